// Generalised moving least squares: shape functions of nodes that carry a position and its gradient. [Martin2010, 4]
//
//   node i: x_i [m] and F_i (3x3);  basis p(X) = (1, (X - c)/h),  weight w_i = (1 - |X - X_i|^2/h^2)^3 within radius h
//   M(X) = sum_i w_i [p(X_i) p(X_i)' + h^2 sum_k p,k p,k'],  B_i = w_i [p(X_i) | h^2 p,1  h^2 p,2  h^2 p,3]
//   G = M^-1 B,  G_k = M^-1 (B_k - M_k G),  G_kl = M^-1 (B_kl - M_k G_l - M_l G_k - M_kl G)
//   x(X) = sum_i p(X)' G_i (x_i, F_i e_1, F_i e_2, F_i e_3)
//
// M is regular with one node in reach: lines and sheets of nodes need no thickness. Linear fields are reproduced.
// All of it is rest data. Shape functions do not interpolate: hold the field at a point, not the node there.
#pragma once

#include <span>

#include "ymir/math/mat3.h"

namespace ymir {

// Slots of a node: its position, and the three columns of F. Evaluated at one point.
struct GmlsShape {
  double value[4];
  Vec3d first[4];   // d/dX
  Mat3d second[4];  // d2/dX2, symmetric
};

namespace gmls_detail {

struct Mat4 {
  double at[4][4] = {};

  YMIR_HD void add(const Mat4& b, double s) {
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) at[r][c] += b.at[r][c] * s;
  }
  YMIR_HD friend Mat4 operator*(const Mat4& a, const Mat4& b) {
    Mat4 m;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 4; ++k) m.at[r][c] += a.at[r][k] * b.at[k][c];
    return m;
  }
};

// Of a positive definite matrix: Gauss-Jordan needs no pivoting.
YMIR_HD inline Mat4 inverse(Mat4 a) {
  for (int k = 0; k < 4; ++k) {
    const double d = 1 / a.at[k][k];
    a.at[k][k] = 1;
    for (int c = 0; c < 4; ++c) a.at[k][c] *= d;
    for (int r = 0; r < 4; ++r) {
      if (r == k) continue;
      const double f = a.at[r][k];
      a.at[r][k] = 0;
      for (int c = 0; c < 4; ++c) a.at[r][c] -= f * a.at[k][c];
    }
  }
  return a;
}

struct Weight {
  double value;
  Vec3d first;
  Mat3d second;

  // r = X - X_i
  YMIR_HD Weight(Vec3d r, double radius) {
    const double h2 = radius * radius, s = 1 - dot(r, r) / h2;
    const double slope = -6 * s * s / h2;
    value = s * s * s;
    first = r * slope;
    second = identity3() * slope + outer(r, r * (24 * s / (h2 * h2)));
  }
};

// Node part of M and of B_i, without the weight.
YMIR_HD inline void node_matrices(Vec3d offset, double radius, Mat4& moment, Mat4& basis) {
  const double p[4] = {1, offset.x / radius, offset.y / radius, offset.z / radius};
  for (int r = 0; r < 4; ++r) {
    basis.at[r][0] = p[r];
    for (int c = 0; c < 4; ++c) moment.at[r][c] = p[r] * p[c];
    if (r == 0) continue;
    moment.at[r][r] += 1;
    basis.at[r][r] = radius;
  }
}

}  // namespace gmls_detail

// At the point c; nodes are those closer to it than the radius h, at least one [m].
inline void gmls_shapes(std::span<const Vec3d> nodes, Vec3d c, double radius, std::span<GmlsShape> shapes) {
  using gmls_detail::Mat4;
  Mat4 m, mk[3], mkl[3][3];
  for (const Vec3d& x : nodes) {
    const gmls_detail::Weight w(c - x, radius);
    Mat4 moment, basis;
    gmls_detail::node_matrices(x - c, radius, moment, basis);
    m.add(moment, w.value);
    for (int k = 0; k < 3; ++k) {
      mk[k].add(moment, w.first[k]);
      for (int l = 0; l <= k; ++l) mkl[k][l].add(moment, w.second(k, l));
    }
  }
  const Mat4 inverse = gmls_detail::inverse(m);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const gmls_detail::Weight w(c - nodes[i], radius);
    Mat4 moment, basis, scaled, gk[3];
    gmls_detail::node_matrices(nodes[i] - c, radius, moment, basis);
    scaled.add(basis, w.value);
    const Mat4 g = inverse * scaled;
    GmlsShape& shape = shapes[i];
    for (int k = 0; k < 3; ++k) {
      Mat4 right;
      right.add(basis, w.first[k]);
      right.add(mk[k] * g, -1);
      gk[k] = inverse * right;
    }
    for (int s = 0; s < 4; ++s) {
      shape.value[s] = g.at[0][s];
      for (int k = 0; k < 3; ++k) shape.first[s][k] = gk[k].at[0][s] + g.at[1 + k][s] / radius;
    }
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l <= k; ++l) {
        Mat4 right;
        right.add(basis, w.second(k, l));
        right.add(mk[k] * gk[l], -1);
        right.add(mk[l] * gk[k], -1);
        right.add(mkl[k][l] * g, -1);
        const Mat4 gkl = inverse * right;
        for (int s = 0; s < 4; ++s)
          shape.second[s](k, l) = shape.second[s](l, k) =
              gkl.at[0][s] + (gk[k].at[1 + l][s] + gk[l].at[1 + k][s]) / radius;
      }
  }
}

}  // namespace ymir
