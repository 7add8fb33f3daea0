// Stable neo-Hookean solid with the logarithmic term that makes F = 0 unstable. [Smith2018]
//
//   psi = mu/2 (I - 3) - mu/2 log((I + 1)/4) - 3/4 mu (J - 1) + lambda/2 (J - 1)^2,   I = |F|^2
//   P = mu (1 - 1/(I + 1)) F + (lambda (J - 1) - 3/4 mu) cof F
//   mu = 4/3 mu_L, lambda = lambda_L + 5/6 mu_L: then it linearises to Hooke's law.
//
// Recovers from any state, at the price of a logarithm and of some stiffening (11 % at twice the length, nu = .45).
#pragma once

#include "ymir/math/lane_math.h"
#include "ymir/physics/hyperelastic/lame.h"
#include "ymir/physics/hyperelastic/neo_hookean_tangent.h"

namespace ymir {

struct LogNeoHookean : IsotropicHyperelastic<LogNeoHookean> {
  template <class T>
  struct Parameters {
    T mu, lambda;      // of the model, not of linear elasticity [Pa]
    T pressure = T{};  // multiplier of J - 1, as in MixedNeoHookean [Pa]
  };

  template <class T>
  YMIR_HD static Parameters<T> from_lame(const Lame<T>& l) {
    return {l.mu * (4.0 / 3), l.lambda + l.mu * (5.0 / 6)};
  }

  // What is left for a cell whose lambda_L (J - 1)^2 is kept by pressures.
  template <class T>
  YMIR_HD static Parameters<T> deviatoric(const T& mu) {
    return from_lame(Lame<T>{mu, T{} + 0.0});
  }

  template <class T>
  YMIR_HD static T energy(const Mat3<T>& f, const Parameters<T>& p) {
    const T i = dot(f, f), dilation = determinant(f) - 1.0;
    return p.mu * ((i - 3.0 - logarithm((i + 1.0) * 0.25)) * 0.5 - dilation * 0.75) +
           p.lambda * 0.5 * dilation * dilation + p.pressure * dilation;
  }

  template <class T>
  YMIR_HD static Mat3<T> stress(const Mat3<T>& f, const Parameters<T>& p) {
    const T i = dot(f, f);
    return f * (p.mu * i / (i + 1.0)) + cofactor(f) * pressure(determinant(f), p);
  }

  template <class T>
  YMIR_HD static NeoHookeanTangent<T> tangent(const Mat3<T>& f, const Parameters<T>& p) {
    const T i = dot(f, f), m = p.mu / (i + 1.0);
    return {f, cofactor(f), m * i, p.lambda, pressure(determinant(f), p), m * 2.0 / (i + 1.0)};
  }

  template <class T>
  YMIR_HD static IsotropicModes<T> modes(const Vec3<T>& s, const Parameters<T>& p) {
    const T i = dot(s, s), m = p.mu / (i + 1.0);
    return neo_hookean_modes(s, m * i, p.lambda, pressure(s.x * s.y * s.z, p), m * 2.0 / (i + 1.0));
  }

 private:
  template <class T>
  YMIR_HD static T pressure(const T& j, const Parameters<T>& p) {
    return p.lambda * (j - 1.0) - p.mu * 0.75 + p.pressure;
  }
};

}  // namespace ymir
