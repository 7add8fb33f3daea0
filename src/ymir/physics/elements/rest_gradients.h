// Gradients of the shape functions in rest space, and the rest volume, at the quadrature points of an element.
//
//   D = dX/dr = sum_a X_a (dN_a/dr)',   grad N_a = D^-T dN_a/dr,   w = weight det D
//
// Computed once. w <= 0 (in practice det D <= 1e-12 of the cube of the size) is a flat or inverted element, which the
// caller rejects: nothing here is finite then.
#pragma once

#include "ymir/math/mat3.h"

namespace ymir {

template <class Element, class T>
struct RestGradients {
  Vec3<T> gradient[Element::points][Element::nodes];  // [1/m]
  T weight[Element::points];                          // [m^3]
};

template <class Element, class T>
YMIR_HD RestGradients<Element, T> rest_gradients(const Vec3<T>* rest) {
  RestGradients<Element, T> out;
  for (int q = 0; q < Element::points; ++q) {
    const auto& point = Element::quadrature[static_cast<std::size_t>(q)];
    Vec3d local[Element::nodes];
    Element::shape_gradient(point.at, local);
    const auto d = [&](int a) { return Vec3<T>{T{} + local[a].x, T{} + local[a].y, T{} + local[a].z}; };
    Mat3<T> jacobian = outer(rest[0], d(0));
    for (int a = 1; a < Element::nodes; ++a) jacobian += outer(rest[a], d(a));
    const T volume = determinant(jacobian);
    const Mat3<T> inverse_transposed = cofactor(jacobian) * (1.0 / volume);
    for (int a = 0; a < Element::nodes; ++a) out.gradient[q][a] = inverse_transposed * d(a);
    out.weight[q] = volume * point.weight;
  }
  return out;
}

}  // namespace ymir
