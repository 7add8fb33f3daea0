// St. Venant-Kirchhoff solid: Hooke's law in Green's strain. [Bonet2008]
//
//   E = (F'F - I)/2,  psi = mu |E|^2 + lambda/2 tr(E)^2,  P = F S,  S = 2 mu E + lambda tr(E) I
//   K_ab = (g_a' S g_b) I + mu (g_a . g_b) F F' + mu (F g_b)(F g_a)' + lambda (F g_a)(F g_b)'
//
// With a = lambda tr E - mu: psi_i = s_i (mu s_i^2 + a), hence twist a + mu (s_i^2 - s_i s_j + s_j^2),
// flip a + mu (s_i^2 + s_i s_j + s_j^2), without quotients. Softens under compression, F = 0 is stationary: for small
// strains only.
#pragma once

#include "ymir/physics/hyperelastic/isotropic_tangent.h"
#include "ymir/physics/hyperelastic/lame.h"

namespace ymir {

template <class T>
struct StVenantKirchhoffTangent {
  Mat3<T> f, ff, s;  // F, mu F F', S
  T mu, lambda;      // [Pa]

  struct Node {
    Vec3<T> g, f, s;
  };

  YMIR_HD Node at(const Vec3<T>& g) const { return {g, f * g, s * g}; }

  YMIR_HD Mat3<T> block(const Node& a, const Node& b) const {
    Mat3<T> k = ff * dot(a.g, b.g);
    k += outer(b.f * mu, a.f);
    k += outer(a.f * lambda, b.f);
    return plus_diagonal(k, dot(a.g, b.s));
  }
};

struct StVenantKirchhoff : IsotropicHyperelastic<StVenantKirchhoff> {
  template <class T>
  struct Parameters {
    T mu, lambda;  // [Pa]
  };

  template <class T>
  YMIR_HD static Parameters<T> from_lame(const Lame<T>& l) {
    return {l.mu, l.lambda};
  }

  template <class T>
  YMIR_HD static T energy(const Mat3<T>& f, const Parameters<T>& p) {
    const Mat3<T> e = green_strain(f);
    const T tr = trace(e);
    return p.mu * dot(e, e) + p.lambda * 0.5 * tr * tr;
  }

  template <class T>
  YMIR_HD static Mat3<T> stress(const Mat3<T>& f, const Parameters<T>& p) {
    return f * second_stress(f, p);
  }

  template <class T>
  YMIR_HD static StVenantKirchhoffTangent<T> tangent(const Mat3<T>& f, const Parameters<T>& p) {
    return {f, f * transposed(f) * p.mu, second_stress(f, p), p.mu, p.lambda};
  }

  template <class T>
  YMIR_HD static IsotropicModes<T> modes(const Vec3<T>& s, const Parameters<T>& p) {
    const T xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z, a = p.lambda * 0.5 * (xx + yy + zz - 3.0) - p.mu;
    const Vec3<T> squares{a + p.mu * (yy + zz), a + p.mu * (zz + xx), a + p.mu * (xx + yy)};
    const Vec3<T> products = Vec3<T>{s.y * s.z, s.z * s.x, s.x * s.y} * p.mu;
    const T steep = p.lambda + p.mu * 3.0, xy = p.lambda * s.x * s.y, yz = p.lambda * s.y * s.z,
            zx = p.lambda * s.z * s.x;
    return {{{a + steep * xx, xy, zx}, {xy, a + steep * yy, yz}, {zx, yz, a + steep * zz}},
            squares - products,
            squares + products};
  }

 private:
  template <class T>
  YMIR_HD static Mat3<T> green_strain(const Mat3<T>& f) {
    return plus_diagonal(transposed(f) * f, T{} - 1.0) * (T{} + 0.5);
  }
  template <class T>
  YMIR_HD static Mat3<T> second_stress(const Mat3<T>& f, const Parameters<T>& p) {
    const Mat3<T> e = green_strain(f);
    return plus_diagonal(e * (p.mu * 2.0), p.lambda * trace(e));
  }
};

}  // namespace ymir
