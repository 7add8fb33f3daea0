// Bending of a triangle by the angles to its three neighbours. [Grinspun2003; Grinspun2006]
//
//   C = (theta_0, theta_1, theta_2) [rad], clamped side: theta = 2 beta, missing side: 0 and eliminated from the weight
//
// The shape operator sum_k theta_k l_k/(2A) n_k n_k' is exact for quadratic fields on equilateral and one-diagonal
// meshes only: on irregular ones the stiffness is off by 1.2 to 1.8 at every resolution. MidBending converges.
#pragma once

#include "ymir/physics/shells/triangle_hinges.h"

namespace ymir {

struct TriBending {
  static constexpr int rows = 3, dofs = 18, coordinates = dofs;  // x0, x1, x2, x3, x4, x5

  YMIR_HD static constexpr double angle_factor(ShellSide side) {
    return side == ShellSide::missing ? 0 : side == ShellSide::clamped ? 2 : 1;
  }

  template <class T>
  struct Sides {
    T angle[3];     // angle_factor
    T expected[3];  // hinge angles of the step before, or at rest [rad]
  };

  template <class T>
  struct Geometry {
    Sides<T> sides;
    TriangleHinges<T> hinges;

    YMIR_HD Geometry(const Vec3<T>* x, const Sides<T>& s) : sides(s), hinges(x, sides.expected) {}
  };

  template <class T>
  YMIR_HD static void value(const Geometry<T>& g, T* c) {
    for (int k = 0; k < 3; ++k) c[k] = g.hinges.side[k].theta * g.sides.angle[k];
  }

  template <class T>
  YMIR_HD static void gradient(const Geometry<T>& g, T (*j)[dofs]) {
    g.hinges.gradient(g.sides.angle, j);
  }

  template <class T>
  YMIR_HD static void add_curvature(const Geometry<T>& g, const T* y, T* h) {
    g.hinges.add_curvature(g.sides.angle, y, h);
  }
};

}  // namespace ymir
