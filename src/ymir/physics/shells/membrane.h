// Stretching and shearing of a triangle of cloth: Green strain of its plane. [Volino2009]
//
//   U = sum_a ru_a x_a,  V = sum_a rv_a x_a                    images of the material axes [1]
//   C = ((U.U - 1)/2, (V.V - 1)/2, U.V)                        zero at rest [1]
//   sum_k y_k d2C_k / dx_a dx_b = (ru_a y1 ru_b + rv_a y2 rv_b + (ru_a rv_b + rv_a ru_b) y3) I
//
// The last line is (G sigma G') kron I with sigma = (y1 y3; y3 y2): it is positive semi-definite when sigma is, which
// psd_membrane sees to. In compression that part is what lets cloth buckle; without it Newton does not converge.
#pragma once

#include "ymir/physics/constraints/kernel.h"
#include "ymir/physics/shells/rest_triangle.h"

namespace ymir {

struct Membrane {
  static constexpr int rows = 3, dofs = 9, coordinates = dofs;  // x0, x1, x2

  template <class T>
  struct Geometry {
    RestTriangle<T> rest;
    Vec3<T> u, v;

    YMIR_HD Geometry(const Vec3<T>* x, const RestTriangle<T>& rest_state)
        : rest(rest_state),
          u(x[0] * rest.ru[0] + x[1] * rest.ru[1] + x[2] * rest.ru[2]),
          v(x[0] * rest.rv[0] + x[1] * rest.rv[1] + x[2] * rest.rv[2]) {}
  };

  template <class T>
  YMIR_HD static void value(const Geometry<T>& g, T* c) {
    c[0] = (dot(g.u, g.u) - 1.0) * 0.5;
    c[1] = (dot(g.v, g.v) - 1.0) * 0.5;
    c[2] = dot(g.u, g.v);
  }

  template <class T>
  YMIR_HD static void gradient(const Geometry<T>& g, T (*j)[dofs]) {
    for (int a = 0; a < 3; ++a) {
      const T ru = g.rest.ru[a], rv = g.rest.rv[a];
      for (int k = 0; k < 3; ++k) {
        j[0][3 * a + k] = ru * g.u[k];
        j[1][3 * a + k] = rv * g.v[k];
        j[2][3 * a + k] = ru * g.v[k] + rv * g.u[k];
      }
    }
  }

  template <class T>
  YMIR_HD static void add_curvature(const Geometry<T>& g, const T* y, T* h) {
    for (int a = 0; a < 3; ++a) {
      const T along_u = g.rest.ru[a] * y[0] + g.rest.rv[a] * y[2], along_v = g.rest.rv[a] * y[1] + g.rest.ru[a] * y[2];
      for (int b = 0; b <= a; ++b) {
        const T value = along_u * g.rest.ru[b] + along_v * g.rest.rv[b];
        for (int k = 0; k < 3; ++k) h[packed(3 * a + k, 3 * b + k)] += value;
      }
    }
  }
};

// y with the eigenvalues of (y1 y3; y3 y2) clamped at 0: add_curvature of the result is the nearest positive
// semi-definite matrix to that of y.
template <class T>
YMIR_HD void psd_membrane(const T* y, T* clamped) {
  const T mean = (y[0] + y[1]) * 0.5, half = (y[0] - y[1]) * 0.5;
  const T radius = sqrt(half * half + y[2] * y[2]);
  const T large = max(mean + radius, T{}), small = max(mean - radius, T{});
  const T centre = (large + small) * 0.5;
  // Equal eigenvalues: half = y3 = 0, and any divisor does.
  const T ratio = (large - small) * 0.5 / select(radius > T{}, radius, T{} + 1.0);
  clamped[0] = centre + half * ratio;
  clamped[1] = centre - half * ratio;
  clamped[2] = y[2] * ratio;
}

}  // namespace ymir
