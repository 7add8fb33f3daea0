// Stable neo-Hookean solid whose volume is kept by a multiplier of its own, for nu near 1/2.
//
//   psi = mu/2 (|F|^2 - 3) - mu (J - 1) + mu/2 (J - 1)^2 + q (J - 1)      q [Pa] given, not a function of F
//   P   = mu F + (mu (J - 2) + q) cof F
//   H   = deviatoric part + q d2J + lambda g g',   g = vec cof F
//
// q = lambda_L (J - 1) makes stress and Hessian those of StableNeoHookean. q = lambda = 0 is the deviatoric part alone,
// the part that Q1P0 elements keep at their points. lambda is the condensed constraint (J - 1 = q/lambda_L) of the
// primal-dual matrix: it enters the Hessian but neither energy nor stress.
#pragma once

#include "ymir/physics/hyperelastic/neo_hookean_tangent.h"

namespace ymir {

struct MixedNeoHookean : IsotropicHyperelastic<MixedNeoHookean> {
  template <class T>
  struct Parameters {
    T mu;              // mu_L [Pa]
    T lambda;          // lambda_L, or 0 where the constraint belongs to a group of points [Pa]
    T pressure = T{};  // multiplier q [Pa]
  };

  // What is left for a cell whose lambda_L (J - 1)^2 is kept by pressures.
  template <class T>
  YMIR_HD static Parameters<T> deviatoric(const T& mu) {
    return {mu, T{} + 0.0};
  }

  template <class T>
  YMIR_HD static T energy(const Mat3<T>& f, const Parameters<T>& p) {
    const T dilation = determinant(f) - 1.0;
    return p.mu * ((dot(f, f) - 3.0) * 0.5 - dilation + dilation * dilation * 0.5) + p.pressure * dilation;
  }

  template <class T>
  YMIR_HD static Mat3<T> stress(const Mat3<T>& f, const Parameters<T>& p) {
    return f * p.mu + cofactor(f) * total(determinant(f), p);
  }

  template <class T>
  YMIR_HD static NeoHookeanTangent<T> tangent(const Mat3<T>& f, const Parameters<T>& p) {
    return {f, cofactor(f), p.mu, p.mu + p.lambda, total(determinant(f), p), T{} + 0.0};
  }

  template <class T>
  YMIR_HD static IsotropicModes<T> modes(const Vec3<T>& s, const Parameters<T>& p) {
    return neo_hookean_modes(s, p.mu, p.mu + p.lambda, total(s.x * s.y * s.z, p), T{} + 0.0);
  }

 private:
  template <class T>
  YMIR_HD static T total(const T& j, const Parameters<T>& p) {
    return p.mu * (j - 2.0) + p.pressure;
  }
};

}  // namespace ymir
