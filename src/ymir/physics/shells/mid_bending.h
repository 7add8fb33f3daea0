// Bending of a triangle with the turn of the surface at its mid-edges as unknowns: in the flat limit the triangle of
// Morley, of second order on every mesh. [Morley1968; Grinspun2006]
//
//   alpha_k = theta_k/2 + xi_k in the first triangle of edge k, theta_k/2 - xi_k in the second           [rad]
//   clamped side: alpha = beta;  missing side: alpha = xi, free (or eliminated from the weight)
//
// xi_k [rad] turns the mid-edge normal from the bisector of the two triangle normals. It has no mass.
#pragma once

#include "ymir/physics/shells/triangle_hinges.h"

namespace ymir {

struct MidBending {
  static constexpr int rows = 3, dofs = 21, coordinates = dofs;  // x0, ..., x5, xi of sides 0, 1, 2

  YMIR_HD static constexpr double angle_factor(ShellSide side) {
    return side == ShellSide::missing ? 0 : side == ShellSide::clamped ? 1 : 0.5;
  }
  // `first`: whether this is the first of the edge's two triangles.
  YMIR_HD static constexpr double turn_factor(ShellSide side, bool first) {
    return side == ShellSide::clamped ? 0 : side == ShellSide::missing || first ? 1 : -1;
  }

  template <class T>
  struct Sides {
    T angle[3];     // angle_factor
    T turn[3];      // turn_factor
    T expected[3];  // hinge angles of the step before, or at rest [rad]
  };

  template <class T>
  struct Geometry {
    Sides<T> sides;
    TriangleHinges<T> hinges;
    T xi[3];

    YMIR_HD Geometry(const Vec3<T>* x, const T* turns, const Sides<T>& s)
        : sides(s), hinges(x, sides.expected), xi{turns[0], turns[1], turns[2]} {}
  };

  template <class T>
  YMIR_HD static void value(const Geometry<T>& g, T* c) {
    for (int k = 0; k < 3; ++k) c[k] = g.hinges.side[k].theta * g.sides.angle[k] + g.xi[k] * g.sides.turn[k];
  }

  template <class T>
  YMIR_HD static void gradient(const Geometry<T>& g, T (*j)[dofs]) {
    g.hinges.gradient(g.sides.angle, j);
    for (int k = 0; k < 3; ++k)
      for (int e = 0; e < 3; ++e) j[k][18 + e] = k == e ? g.sides.turn[k] : T{};
  }

  // alpha is linear in xi: only positions bend.
  template <class T>
  YMIR_HD static void add_curvature(const Geometry<T>& g, const T* y, T* h) {
    g.hinges.add_curvature(g.sides.angle, y, h);
  }
};

}  // namespace ymir
