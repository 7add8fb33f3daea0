// 4-node tetrahedron (P1): linear shape functions on (r, s, t) >= 0, r + s + t <= 1. [Hughes2000]
//
// Nodes at the origin and at the ends of r, s, t, positive volume that way; Gmsh and VTK number them alike.
// One point: the gradient is constant.
#pragma once

#include <array>

#include "ymir/physics/elements/quadrature.h"

namespace ymir {

struct Tetrahedron {
  static constexpr int nodes = 4, points = 1;
  static constexpr std::array<QuadraturePoint, 1> quadrature{{{{0.25, 0.25, 0.25}, 1.0 / 6}}};

  template <class T>
  YMIR_HD static void shape(const Vec3<T>& r, T* n) {
    n[0] = 1.0 - r.x - r.y - r.z, n[1] = r.x, n[2] = r.y, n[3] = r.z;
  }
  // dN/d(r, s, t)
  template <class T>
  YMIR_HD static void shape_gradient(const Vec3<T>&, Vec3<T>* d) {
    const T zero = T{} + 0.0, one = T{} + 1.0;
    d[0] = {-one, -one, -one}, d[1] = {one, zero, zero}, d[2] = {zero, one, zero}, d[3] = {zero, zero, one};
  }
  // Volume that each node stands for, from the volumes of the points: row sums of the mass matrix.
  template <class T>
  YMIR_HD static void lumped_volume(const T* weight, T* volume) {
    for (int a = 0; a < nodes; ++a) volume[a] = weight[0] * 0.25;
  }
};

}  // namespace ymir
