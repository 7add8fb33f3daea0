// 8-node hexahedron (Q1): trilinear shape functions on [-1, 1]^3, 2x2x2 Gauss points. [Hughes2000]
//
//   N_a = (1 + r r_a)(1 + s s_a)(1 + t t_a)/8
//
// Nodes round the lower face (t = -1), then round the upper one; Gmsh and VTK number them alike.
#pragma once

#include <array>

#include "ymir/physics/elements/quadrature.h"

namespace ymir {

struct Hexahedron {
  static constexpr int nodes = 8, points = 8;
  static constexpr std::array<Vec3d, 8> corner{
      {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}};

  static constexpr double gauss = 0.5773502691896258;  // 1/sqrt 3
  static constexpr std::array<QuadraturePoint, 8> quadrature{{{corner[0] * gauss, 1},
                                                              {corner[1] * gauss, 1},
                                                              {corner[2] * gauss, 1},
                                                              {corner[3] * gauss, 1},
                                                              {corner[4] * gauss, 1},
                                                              {corner[5] * gauss, 1},
                                                              {corner[6] * gauss, 1},
                                                              {corner[7] * gauss, 1}}};

  template <class T>
  YMIR_HD static void shape(const Vec3<T>& r, T* n) {
    for (int a = 0; a < nodes; ++a) {
      const Vec3d c = corner[static_cast<std::size_t>(a)];
      n[a] = (r.x * c.x + 1.0) * (r.y * c.y + 1.0) * (r.z * c.z + 1.0) * 0.125;
    }
  }
  // dN/d(r, s, t)
  template <class T>
  YMIR_HD static void shape_gradient(const Vec3<T>& r, Vec3<T>* d) {
    for (int a = 0; a < nodes; ++a) {
      const Vec3d c = corner[static_cast<std::size_t>(a)];
      const T x = r.x * c.x + 1.0, y = r.y * c.y + 1.0, z = r.z * c.z + 1.0;
      d[a] = {y * z * (c.x * 0.125), z * x * (c.y * 0.125), x * y * (c.z * 0.125)};
    }
  }
  // Volume that each node stands for, from the volumes of the points: row sums of the mass matrix.
  template <class T>
  YMIR_HD static void lumped_volume(const T* weight, T* volume) {
    for (int a = 0; a < nodes; ++a) volume[a] = T{} + 0.0;
    for (std::size_t q = 0; q < points; ++q) {
      double n[nodes];
      shape(quadrature[q].at, n);
      for (int a = 0; a < nodes; ++a) volume[a] += weight[q] * n[a];
    }
  }
};

}  // namespace ymir
