// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by cyclic Jacobi rotations [Golub2013, 8.5], without branches
// on values: A = Q diag(values) Q', Q a rotation, in no order. Errors are small next to the largest eigenvalue.
#pragma once

#include "ymir/math/mat3.h"
#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"

namespace ymir {

template <class T>
struct SymmetricEigen3 {
  Vec3<T> values;
  Mat3<T> vectors;
};

namespace detail {

// Makes a_pq zero, r the third axis; false when it was small already, in all lanes.
template <class T>
YMIR_HD bool annihilate(T& pp, T& qq, T& pq, T& rp, T& rq, Vec3<T>& vp, Vec3<T>& vq, const T& small) {
  const auto turn = pq * pq > small;
  const T difference = qq - pp, root = sqrt(difference * difference + pq * pq * 4.0);
  const T denominator = difference + select(difference < 0.0, -root, root);
  const T t = select(turn, (pq * 2.0) / select(turn, denominator, T{} + 1.0), T{} + 0.0);
  const T c = 1.0 / sqrt(t * t + 1.0), s = c * t;
  pp -= t * pq;
  qq += t * pq;
  pq = select(turn, T{} + 0.0, pq);
  const T old = rp;
  rp = c * old - s * rq;
  rq = s * old + c * rq;
  const Vec3<T> v = vp;
  vp = v * c - vq * s;
  vq = v * s + vq * c;
  return any(turn);
}

}  // namespace detail

// Of the lower triangle of a.
template <class T>
YMIR_HD SymmetricEigen3<T> symmetric_eigen3(const Mat3<T>& a) {
  constexpr int most_sweeps = 12;
  constexpr double relative = 1e-16;
  T a00 = a(0, 0), a11 = a(1, 1), a22 = a(2, 2), a10 = a(1, 0), a20 = a(2, 0), a21 = a(2, 1);
  const T zero = T{} + 0.0, one = T{} + 1.0;
  Vec3<T> v0{one, zero, zero}, v1{zero, one, zero}, v2{zero, zero, one};
  const T square = a00 * a00 + a11 * a11 + a22 * a22 + (a10 * a10 + a20 * a20 + a21 * a21) * 2.0;
  const T small = square * (relative * relative);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool turned = detail::annihilate(a00, a11, a10, a20, a21, v0, v1, small);
    turned = detail::annihilate(a00, a22, a20, a10, a21, v0, v2, small) || turned;
    turned = detail::annihilate(a11, a22, a21, a10, a20, v1, v2, small) || turned;
    if (!turned) break;
  }
  return {{a00, a11, a22}, {v0, v1, v2}};
}

}  // namespace ymir
