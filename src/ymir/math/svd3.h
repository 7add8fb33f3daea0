// Singular values of a 3x3 matrix, F = U diag(s) V', U and V rotations: s.x >= s.y >= |s.z|, the sign of det F in s.z.
//
// One-sided Jacobi: rotations V make the columns of B = F V orthogonal [Hestenes1958]. It needs no F'F, whose rounding
// would cost small singular values half of their digits. No branches on values: a pair of columns that is orthogonal
// already gets the identity, so a lane's result does not depend on the sweeps that other lanes still need.
#pragma once

#include "ymir/math/mat3.h"
#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"

namespace ymir {

template <class T>
struct Svd3 {
  Mat3<T> u;
  Vec3<T> s;
  Mat3<T> v;
};

namespace detail {

// (a, b) <- (c a - s b, s a + c b)
template <class T>
YMIR_HD void rotate_columns(Vec3<T>& a, Vec3<T>& b, const T& c, const T& s) {
  const Vec3<T> old = a;
  a = old * c - b * s;
  b = old * s + b * c;
}

// Makes two columns of B orthogonal; false when they were, in all lanes.
template <class T>
YMIR_HD bool orthogonalize(Vec3<T>& a, Vec3<T>& b, Vec3<T>& va, Vec3<T>& vb) {
  constexpr double orthogonal = 4e-16;  // cosine: the rounding of the product itself
  const T aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), difference = bb - aa;
  const auto turn = ab * ab > aa * bb * (orthogonal * orthogonal);
  const T root = sqrt(difference * difference + ab * ab * 4.0);
  const T denominator = difference + select(difference < 0.0, -root, root);
  const T tangent = select(turn, (ab * 2.0) / select(turn, denominator, T{} + 1.0), T{} + 0.0);
  const T c = 1.0 / sqrt(tangent * tangent + 1.0), s = c * tangent;
  rotate_columns(a, b, c, s);
  rotate_columns(va, vb, c, s);
  return any(turn);
}

// Longer column first. One of the two changes sign, so that V stays a rotation.
template <class T>
YMIR_HD void order_columns(Vec3<T>& a, Vec3<T>& b, Vec3<T>& va, Vec3<T>& vb) {
  const auto exchange = dot(a, a) < dot(b, b);
  const T c = select(exchange, T{} + 0.0, T{} + 1.0), s = select(exchange, T{} - 1.0, T{} + 0.0);
  rotate_columns(a, b, c, s);
  rotate_columns(va, vb, c, s);
}

// A unit vector orthogonal to the unit vector n. [Duff2017]
template <class T>
YMIR_HD Vec3<T> any_orthogonal(const Vec3<T>& n) {
  const T sign = select(n.z < 0.0, T{} - 1.0, T{} + 1.0), a = -1.0 / (sign + n.z);
  return {sign * n.x * n.x * a + 1.0, sign * n.x * n.y * a, -sign * n.x};
}

}  // namespace detail

template <class T>
YMIR_HD Svd3<T> svd3(const Mat3<T>& f) {
  // Measured: five at most, the last of which only finds nothing to do. The bound is for NaN and bad luck.
  constexpr int most_sweeps = 12;
  const T zero = T{} + 0.0, one = T{} + 1.0;
  // Squares of entries must neither overflow nor vanish.
  T largest = T{} + 1e-290;
  for (const Vec3<T>& c : f.column) largest = max(largest, max(abs(c.x), max(abs(c.y), abs(c.z))));
  const Mat3<T> scaled = f * (one / largest);
  Vec3<T> a = scaled.column[0], b = scaled.column[1], c = scaled.column[2];
  Vec3<T> va{one, zero, zero}, vb{zero, one, zero}, vc{zero, zero, one};
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool turned = detail::orthogonalize(a, b, va, vb);
    turned = detail::orthogonalize(a, c, va, vc) || turned;
    turned = detail::orthogonalize(b, c, vb, vc) || turned;
    if (!turned) break;
  }
  detail::order_columns(a, b, va, vb);
  detail::order_columns(a, c, va, vc);
  detail::order_columns(b, c, vb, vc);

  const T s1 = norm(a), s2 = norm(b);
  const auto some = s1 > 0.0;
  const T inverse1 = one / select(some, s1, one);
  const Vec3<T> u1{select(some, a.x * inverse1, one), a.y * inverse1, a.z * inverse1};
  // A second column that is nothing but rounding of the first leaves u2 free.
  const Vec3<T> across = b - u1 * dot(u1, b);
  const T length = norm(across);
  const auto plane = length > s2 * 0.5;
  const T inverse2 = one / select(plane, length, one);
  const Vec3<T> free = detail::any_orthogonal(u1);
  const Vec3<T> u2{select(plane, across.x * inverse2, free.x), select(plane, across.y * inverse2, free.y),
                   select(plane, across.z * inverse2, free.z)};
  const Vec3<T> u3 = cross(u1, u2);
  return {{u1, u2, u3}, Vec3<T>{s1, s2, dot(u3, c)} * largest, {va, vb, vc}};
}

}  // namespace ymir
