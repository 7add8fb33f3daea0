// 10-node tetrahedron (P2): corners as in Tetrahedron, then the middles of six edges. [Hughes2000]
//
//   N_i = L_i (2 L_i - 1) at corners, 4 L_i L_j on edges, L the barycentric coordinates
//
// Edges in the order of VTK. Gmsh exchanges the last two. Four Gauss points, exact for quadratic polynomials: the
// products of gradients that a straight-sided element integrates at rest. [Keast1986]
#pragma once

#include <array>

#include "ymir/physics/elements/quadrature.h"

namespace ymir {

struct QuadraticTetrahedron {
  static constexpr int nodes = 10, points = 4;
  // Node 4 + k lies between the corners edge[k].
  static constexpr int edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  // Node a of ours is node from_x[a] of a file.
  static constexpr std::array<int, 10> from_vtk{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  static constexpr std::array<int, 10> from_gmsh{0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

  static constexpr double near = 0.5854101966249685, far = 0.1381966011250105;  // (5 + 3 sqrt 5)/20, (5 - sqrt 5)/20
  static constexpr std::array<QuadraturePoint, 4> quadrature{{{{far, far, far}, 1.0 / 24},
                                                              {{near, far, far}, 1.0 / 24},
                                                              {{far, near, far}, 1.0 / 24},
                                                              {{far, far, near}, 1.0 / 24}}};

  template <class T>
  YMIR_HD static void shape(const Vec3<T>& r, T* n) {
    const T l[4] = {1.0 - r.x - r.y - r.z, r.x, r.y, r.z};
    for (int i = 0; i < 4; ++i) n[i] = l[i] * (l[i] * 2.0 - 1.0);
    for (int k = 0; k < 6; ++k) n[4 + k] = l[edge[k][0]] * l[edge[k][1]] * 4.0;
  }
  // dN/d(r, s, t)
  template <class T>
  YMIR_HD static void shape_gradient(const Vec3<T>& r, Vec3<T>* d) {
    const T zero = T{} + 0.0, one = T{} + 1.0;
    const T l[4] = {1.0 - r.x - r.y - r.z, r.x, r.y, r.z};
    const Vec3<T> g[4] = {{-one, -one, -one}, {one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (int i = 0; i < 4; ++i) d[i] = g[i] * (l[i] * 4.0 - 1.0);
    for (int k = 0; k < 6; ++k) {
      const int i = edge[k][0], j = edge[k][1];
      d[4 + k] = (g[j] * l[i] + g[i] * l[j]) * (T{} + 4.0);
    }
  }
  // Volume that each node stands for, from the volumes of the points. Row sums of the mass matrix are negative at
  // corners (-V/20); its diagonal scaled to the volume is not: 6 : 32, that is V/36 and 4 V/27. [Hinton1976]
  template <class T>
  YMIR_HD static void lumped_volume(const T* weight, T* volume) {
    const T whole = weight[0] + weight[1] + weight[2] + weight[3];
    for (int a = 0; a < nodes; ++a) volume[a] = whole * (a < 4 ? 1.0 / 36 : 4.0 / 27);
  }
};

}  // namespace ymir
