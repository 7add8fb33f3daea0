// The three hinges of a triangle, shared by the bending kernels of triangles.
//
//   triangle x0 x1 x2; side k is the edge (x_k, x_k+1); x_3+k is the far vertex of the triangle across side k
//
// A side may have no neighbour. Missing (free, simply supported): x_3+k may be anything, the angle has the factor 0.
// Clamped to a plane that contains the edge: x_3+k is a ghost held in that plane (clamp_ghost), and the hinge angle is
// the angle beta between the triangle and the plane; the energy of the mirrored half belongs to no triangle.
#pragma once

#include "ymir/physics/shells/hinge.h"

namespace ymir {

enum class ShellSide { interior, missing, clamped };

// A point of the clamp plane across the edge (a, b); `normal` is that of the plane, on the side of the triangle's own
// normal, and orthogonal to the edge.
template <class T>
YMIR_HD Vec3<T> clamp_ghost(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& normal) {
  return (a + b) * (T{} + 0.5) + cross(b - a, normal);
}

template <class T>
struct TriangleHinges {
  Hinge::Geometry<T> side[3];

  YMIR_HD TriangleHinges(const Vec3<T>* x, const T* expected)
      : side{{x[0], x[1], x[2], x[3], expected[0]},
             {x[1], x[2], x[0], x[4], expected[1]},
             {x[2], x[0], x[1], x[5], expected[2]}} {}

  // Vertex of the triangle and its neighbours that is vertex a of hinge k.
  YMIR_HD static constexpr int vertex(int k, int a) { return a < 3 ? (k + a) % 3 : 3 + k; }

  // j[k] = factor[k] dtheta_k/dx, over the 18 positions.
  template <int Dofs>
  YMIR_HD void gradient(const T* factor, T (*j)[Dofs]) const {
    for (int k = 0; k < 3; ++k) {
      T local[1][Hinge::dofs];
      Hinge::gradient(side[k], local);
      for (int c = 0; c < 18; ++c) j[k][c] = T{};
      for (int a = 0; a < 4; ++a)
        for (int r = 0; r < 3; ++r) j[k][3 * vertex(k, a) + r] = local[0][3 * a + r] * factor[k];
    }
  }

  // h += sum_k y_k factor_k d2theta_k
  YMIR_HD void add_curvature(const T* factor, const T* y, T* h) const {
    for (int k = 0; k < 3; ++k) {
      T local[packed_size(Hinge::dofs)] = {};
      const T weight = y[k] * factor[k];
      Hinge::add_curvature(side[k], &weight, local);
      for (int a = 0; a < Hinge::dofs; ++a)
        for (int b = 0; b <= a; ++b) {
          const int row = 3 * vertex(k, a / 3) + a % 3, column = 3 * vertex(k, b / 3) + b % 3;
          h[row >= column ? packed(row, column) : packed(column, row)] += local[packed(a, b)];
        }
    }
  }
};

}  // namespace ymir
