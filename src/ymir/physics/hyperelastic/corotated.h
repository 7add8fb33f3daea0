// Fixed corotated solid: Hooke's law next to the rotation of F = R S, with the volume measured by J. [Stomakhin2012]
//
//   psi = mu |F - R|^2 + lambda/2 (J - 1)^2,   P = 2 mu (F - R) + lambda (J - 1) cof F
//   psi_i = 2 mu (s_i - 1) + p c_i, p = lambda (J - 1), c_i = s_j s_k: twist 2 mu - 4 mu/(s_i + s_j) + p s_k,
//   flip 2 mu - p s_k
//
// Linear in stretch, so it neither stiffens when pulled nor resists flattening more and more. The Hessian has a pole
// where two singular values cancel, because R jumps there.
#pragma once

#include "ymir/math/polar3.h"
#include "ymir/physics/hyperelastic/isotropic_tangent.h"
#include "ymir/physics/hyperelastic/lame.h"
#include "ymir/physics/hyperelastic/neo_hookean_tangent.h"

namespace ymir {

struct Corotated : IsotropicHyperelastic<Corotated> {
  // Smallest s_i + s_j the Hessian knows: it stays finite on the pole.
  static constexpr double smallest_sum = 1e-9;

  template <class T>
  struct Parameters {
    T mu, lambda;      // [Pa]
    T pressure = T{};  // multiplier of J - 1, as in MixedNeoHookean [Pa]
  };

  template <class T>
  YMIR_HD static Parameters<T> from_lame(const Lame<T>& l) {
    return {l.mu, l.lambda};
  }

  // What is left for a cell whose lambda_L (J - 1)^2 is kept by pressures.
  template <class T>
  YMIR_HD static Parameters<T> deviatoric(const T& mu) {
    return {mu, T{} + 0.0};
  }

  template <class T>
  YMIR_HD static T energy(const Mat3<T>& f, const Parameters<T>& p) {
    const Vec3<T> s = svd3(f).s;
    const T x = s.x - 1.0, y = s.y - 1.0, z = s.z - 1.0, dilation = determinant(f) - 1.0;
    return p.mu * (x * x + y * y + z * z) + p.lambda * 0.5 * dilation * dilation + p.pressure * dilation;
  }

  template <class T>
  YMIR_HD static Mat3<T> stress(const Mat3<T>& f, const Parameters<T>& p) {
    return (f - polar_rotation(svd3(f))) * (p.mu * 2.0) +
           cofactor(f) * (p.lambda * (determinant(f) - 1.0) + p.pressure);
  }

  template <class T>
  YMIR_HD static IsotropicTangent<T> tangent(const Mat3<T>& f, const Parameters<T>& p) {
    const Svd3<T> d = svd3(f);
    return {d, modes(d.s, p)};
  }

  template <class T>
  YMIR_HD static IsotropicModes<T> modes(const Vec3<T>& s, const Parameters<T>& p) {
    const T two_mu = p.mu * 2.0, floor = T{} + smallest_sum;
    const T pressure = p.lambda * (s.x * s.y * s.z - 1.0) + p.pressure;
    IsotropicModes<T> out = neo_hookean_modes(s, two_mu, p.lambda, pressure, T{} + 0.0);
    out.twist -=
        Vec3<T>{two_mu / max(s.y + s.z, floor), two_mu / max(s.z + s.x, floor), two_mu / max(s.x + s.y, floor)} *
        (T{} + 2.0);
    return out;
  }
};

}  // namespace ymir
