// Stable neo-Hookean solid, plain. [Smith2018, without the logarithm]
//
//   psi = mu/2 (|F|^2 - 3) - mu (J - 1) + lambda/2 (J - 1)^2,   P = mu F + (lambda (J - 1) - mu) cof F
//   mu = mu_L, lambda = lambda_L + mu_L: then it linearises to Hooke's law.
//
// It is lambda/2 (J - 1 - mu/lambda)^2 with the constant left out, which for a stiff volume would swamp the energy.
// Finite for every F, also inverted ones, but F = 0 is a second minimum: see LogNeoHookean.
#pragma once

#include "ymir/physics/hyperelastic/lame.h"
#include "ymir/physics/hyperelastic/neo_hookean_tangent.h"

namespace ymir {

struct StableNeoHookean : IsotropicHyperelastic<StableNeoHookean> {
  template <class T>
  struct Parameters {
    T mu, lambda;  // of the model, not of linear elasticity [Pa]
  };

  template <class T>
  YMIR_HD static Parameters<T> from_lame(const Lame<T>& l) {
    return {l.mu, l.lambda + l.mu};
  }

  template <class T>
  YMIR_HD static T energy(const Mat3<T>& f, const Parameters<T>& p) {
    const T dilation = determinant(f) - 1.0;
    return p.mu * ((dot(f, f) - 3.0) * 0.5 - dilation) + p.lambda * 0.5 * dilation * dilation;
  }

  template <class T>
  YMIR_HD static Mat3<T> stress(const Mat3<T>& f, const Parameters<T>& p) {
    return f * p.mu + cofactor(f) * pressure(determinant(f), p);
  }

  template <class T>
  YMIR_HD static NeoHookeanTangent<T> tangent(const Mat3<T>& f, const Parameters<T>& p) {
    return {f, cofactor(f), p.mu, p.lambda, pressure(determinant(f), p), T{} + 0.0};
  }

  template <class T>
  YMIR_HD static IsotropicModes<T> modes(const Vec3<T>& s, const Parameters<T>& p) {
    return neo_hookean_modes(s, p.mu, p.lambda, pressure(s.x * s.y * s.z, p), T{} + 0.0);
  }

 private:
  template <class T>
  YMIR_HD static T pressure(const T& j, const Parameters<T>& p) {
    return p.lambda * (j - 1.0) - p.mu;
  }
};

}  // namespace ymir
