// Volume of a deformed element and its gradient: the constraint C = volume/rest - 1 of elements with one pressure
// (P1 with a multiplier, Q1P0). [Simo1985; Hughes2000]
//
//   volume = sum_q w J,   d volume/dx_a = sum_q w cof F g_a
//
// Its second derivative is the term q d2J that MixedNeoHookean adds at every point for the multiplier q.
#pragma once

#include "ymir/physics/elements/assemble_element.h"

namespace ymir {

// The part of one point [m^3]; d[3 nodes] += its gradient [m^2].
template <class Element, class T>
YMIR_HD T point_volume(const Vec3<T>* x, const RestGradients<Element, T>& rest, int q, T* d) {
  const Mat3<T> f = deformation_gradient<Element::nodes>(x, rest.gradient[q]);
  const Mat3<T> area = cofactor(f) * rest.weight[q];
  for (int a = 0; a < Element::nodes; ++a) {
    const Vec3<T> slope = area * rest.gradient[q][a];
    d[3 * a] += slope.x, d[3 * a + 1] += slope.y, d[3 * a + 2] += slope.z;
  }
  return determinant(f) * rest.weight[q];
}

// The whole.
template <class Element, class T>
YMIR_HD T deformed_volume(const Vec3<T>* x, const RestGradients<Element, T>& rest, T* d) {
  T volume = T{} + 0.0;
  for (int q = 0; q < Element::points; ++q) volume += point_volume<Element>(x, rest, q, d);
  return volume;
}

}  // namespace ymir
