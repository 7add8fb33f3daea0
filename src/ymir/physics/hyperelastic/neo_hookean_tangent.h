// Second derivative shared by all neo-Hookean models, P = m F + p cof F: [Smith2018]
//
//   H = m I + lambda g g' + p dcof + c f f',    g = vec cof F, f = vec F
//   K_ab = m (g_a . g_b) I + lambda (cof F g_a)(cof F g_b)' - p [F (g_a x g_b)]x + c (F g_a)(F g_b)'
//   twist m + p s_k, flip m - p s_k, scale_ii = m + lambda c_i^2 + c s_i^2,
//   scale_ij = lambda c_i c_j + p s_k + c s_i s_j, c_i = s_j s_k
#pragma once

#include "ymir/physics/hyperelastic/isotropic_tangent.h"

namespace ymir {

template <class T>
struct NeoHookeanTangent {
  Mat3<T> f, cof;
  T m, lambda, p, c;  // [Pa]

  struct Node {
    Vec3<T> g, f, cof;
  };

  YMIR_HD Node at(const Vec3<T>& g) const { return {g, f * g, cof * g}; }

  YMIR_HD Mat3<T> block(const Node& a, const Node& b) const {
    Mat3<T> k = cross_matrix(f * (cross(a.g, b.g) * -p));
    k += outer(a.cof * lambda, b.cof);
    k += outer(a.f * c, b.f);
    return plus_diagonal(k, m * dot(a.g, b.g));
  }
};

template <class T>
YMIR_HD IsotropicModes<T> neo_hookean_modes(const Vec3<T>& s, const T& m, const T& lambda, const T& p, const T& c) {
  const Vec3<T> area{s.y * s.z, s.z * s.x, s.x * s.y}, ps = s * p, one{T{} + 1.0, T{} + 1.0, T{} + 1.0};
  const T xy = lambda * area.x * area.y + ps.z + c * s.x * s.y, yz = lambda * area.y * area.z + ps.x + c * s.y * s.z,
          zx = lambda * area.z * area.x + ps.y + c * s.z * s.x;
  return {{{m + lambda * area.x * area.x + c * s.x * s.x, xy, zx},
           {xy, m + lambda * area.y * area.y + c * s.y * s.y, yz},
           {zx, yz, m + lambda * area.z * area.z + c * s.z * s.z}},
          one * m + ps,
          one * m - ps};
}

}  // namespace ymir
