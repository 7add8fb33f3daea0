// Rest state of a triangle: gradients of its shape functions in the material plane (u, v), and its area.
//
//   N_a = 1 at vertex a, 0 at the others;  (ru_a, rv_a) = grad N_a [1/m],  area [m^2]
//
// grad N_a points from the edge opposite to a towards a, across that edge, and |grad N_a| = length / (2 area).
#pragma once

#include "ymir/math/lane_math.h"
#include "ymir/math/vec3.h"

namespace ymir {

template <class T>
struct RestTriangle {
  T ru[3], rv[3];
  T area;
};

// From material coordinates [m], counter-clockwise.
template <class T>
YMIR_HD RestTriangle<T> rest_triangle(const T* u, const T* v) {
  const T twice_area = (u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]);
  RestTriangle<T> rest;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    rest.ru[a] = (v[b] - v[c]) / twice_area;
    rest.rv[a] = (u[c] - u[b]) / twice_area;
  }
  rest.area = twice_area * 0.5;
  return rest;
}

// From rest positions in space [m]; u runs along `axis` laid into the plane of the triangle (not normal to it).
template <class T>
YMIR_HD RestTriangle<T> rest_triangle(const Vec3<T>* x, const Vec3<T>& axis) {
  const Vec3<T> normal = cross(x[1] - x[0], x[2] - x[0]);
  const Vec3<T> across = cross(normal, axis), along = cross(across, normal);
  const T unit_u = 1.0 / sqrt(dot(along, along)), unit_v = 1.0 / sqrt(dot(across, across));
  T u[3], v[3];
  for (int a = 0; a < 3; ++a) {
    u[a] = dot(x[a] - x[0], along) * unit_u;
    v[a] = dot(x[a] - x[0], across) * unit_v;
  }
  return rest_triangle(u, v);
}

}  // namespace ymir
