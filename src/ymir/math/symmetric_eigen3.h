// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by cyclic Jacobi rotations. [Golub2013, 8.5]
//
// Small eigenvalues keep their relative accuracy and vectors are orthogonal to round-off also where eigenvalues
// coincide, which closed formulas lose.
#pragma once

#include <cmath>

#include "ymir/math/mat3.h"

namespace ymir {

struct SymmetricEigen3 {
  Vec3d values;   // rising
  Mat3d vectors;  // columns, a rotation (determinant 1)
};

// The lower triangle of `a` is read.
YMIR_HD inline SymmetricEigen3 symmetric_eigen3(Mat3d a) {
  a(0, 1) = a(1, 0), a(0, 2) = a(2, 0), a(1, 2) = a(2, 1);
  Mat3d v = identity3();
  constexpr int sweeps = 20;  // convergence is quadratic: 4 or 5 are needed
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (a(1, 0) == 0 && a(2, 0) == 0 && a(2, 1) == 0) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        const double off = a(q, p);
        if (off == 0) continue;
        // The smaller of the two angles that zero a(q, p).
        const double ratio = (a(q, q) - a(p, p)) / (2 * off);
        const double t = (ratio < 0 ? -1 : 1) / (std::fabs(ratio) + std::hypot(1.0, ratio));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        const int r = 3 - p - q;
        const double rp = a(r, p), rq = a(r, q);
        a(p, p) -= t * off;
        a(q, q) += t * off;
        a(q, p) = a(p, q) = 0;
        a(r, p) = a(p, r) = c * rp - s * rq;
        a(r, q) = a(q, r) = s * rp + c * rq;
        const Vec3d vp = v.column[p], vq = v.column[q];
        v.column[p] = vp * c - vq * s;
        v.column[q] = vp * s + vq * c;
      }
  }
  SymmetricEigen3 e{{a(0, 0), a(1, 1), a(2, 2)}, v};
  // Swapped columns change sign, so that the determinant stays 1.
  const auto order = [&](int low, int high) {
    if (e.values[low] <= e.values[high]) return;
    const double value = e.values[low];
    e.values[low] = e.values[high], e.values[high] = value;
    const Vec3d column = e.vectors.column[low];
    e.vectors.column[low] = e.vectors.column[high], e.vectors.column[high] = -column;
  };
  order(0, 1), order(1, 2), order(0, 1);
  return e;
}

}  // namespace ymir
