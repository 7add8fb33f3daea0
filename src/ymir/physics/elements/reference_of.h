// Reference coordinates of a place in a cell whose nodes are given: Newton's method on sum N_a(r) x_a = x, one step
// where that is linear.
#pragma once

#include <algorithm>
#include <cmath>

#include "ymir/math/mat3.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"

namespace ymir {

// How far reference coordinates are outside of the cell; at most 0 inside.
inline double outside(const Tetrahedron&, Vec3d r) { return std::max({-r.x, -r.y, -r.z, r.x + r.y + r.z - 1}); }
inline double outside(const QuadraticTetrahedron&, Vec3d r) { return outside(Tetrahedron{}, r); }
inline double outside(const Hexahedron&, Vec3d r) {
  return std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z)}) - 1;
}

inline Vec3d middle_of(const Hexahedron&) { return {0, 0, 0}; }
template <class Element>
Vec3d middle_of(const Element&) {
  return {0.25, 0.25, 0.25};
}

// False: the cell is flat there, or the place too far from it.
template <class Element>
bool reference_of(const Vec3d (&node)[Element::nodes], Vec3d x, Vec3d& r) {
  constexpr int most_steps = 30;
  r = middle_of(Element{});
  for (int k = 0; k < most_steps; ++k) {
    double weight[Element::nodes];
    Vec3d slope[Element::nodes];
    Element::shape(r, weight);
    Element::shape_gradient(r, slope);
    Vec3d left = x - node[0];
    Mat3d jacobian;
    for (int a = 0; a < Element::nodes; ++a) {
      left -= (node[a] - node[0]) * weight[a];
      jacobian += outer(node[a] - node[0], slope[a]);
    }
    const double det = determinant(jacobian);
    if (!(std::abs(det) > 0)) return false;
    const Vec3d step = transposed(cofactor(jacobian)) * left / det;
    r += step;
    if (!(norm(r) < 100)) return false;
    if (norm(step) < 1e-13 * (1 + norm(r))) return true;
  }
  return false;
}

}  // namespace ymir
