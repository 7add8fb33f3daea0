// Rayleigh damping on Green's strain E = (F'F - I)/2: a potential for the change of strain over a step of dt.
//
//   psi = mu' |E - E_n|^2 + lambda'/2 tr(E - E_n)^2,   mu' = tau mu/dt, lambda' = tau lambda/dt
//   P = F S,  S = 2 mu' (E - E_n) + lambda' tr(E - E_n) I
//   K_ab = (g_a' S g_b) I + mu' ((g_a . g_b) F F' + (F g_b)(F g_a)') + lambda' (F g_a)(F g_b)'
//
// E does not change when a body turns, so a rigid motion is not damped; at rest P is tau times the rate of Hooke's
// stress. Only the first term can be indefinite, and is positive where S is.
#pragma once

#include "ymir/math/symmetric_eigen3.h"
#include "ymir/physics/hyperelastic/st_venant_kirchhoff.h"

namespace ymir {

struct GreenStrainDamping : Hyperelastic<GreenStrainDamping> {
  template <class T>
  struct Parameters {
    T mu, lambda;    // times tau/dt [Pa]
    Mat3<T> before;  // E_n
  };

  template <class T>
  YMIR_HD static Mat3<T> strain(const Mat3<T>& f) {
    return plus_diagonal(transposed(f) * f * (T{} + 0.5), T{} - 0.5);
  }

  template <class T>
  YMIR_HD static T energy(const Mat3<T>& f, const Parameters<T>& p) {
    const Mat3<T> e = strain(f) - p.before;
    const T trace = e(0, 0) + e(1, 1) + e(2, 2);
    return p.mu * dot(e, e) + p.lambda * 0.5 * trace * trace;
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
  YMIR_HD static StVenantKirchhoffTangent<T> projected_tangent(const Mat3<T>& f, const Parameters<T>& p) {
    const SymmetricEigen3<T> e = symmetric_eigen3(second_stress(f, p));
    const T zero = T{} + 0.0;
    const Mat3<T>& q = e.vectors;
    const Mat3<T> positive = Mat3<T>{q.column[0] * max(e.values.x, zero), q.column[1] * max(e.values.y, zero),
                                     q.column[2] * max(e.values.z, zero)} *
                             transposed(q);
    return {f, f * transposed(f) * p.mu, positive, p.mu, p.lambda};
  }

 private:
  template <class T>
  YMIR_HD static Mat3<T> second_stress(const Mat3<T>& f, const Parameters<T>& p) {
    const Mat3<T> e = strain(f) - p.before;
    return plus_diagonal(e * (p.mu * 2.0), p.lambda * (e(0, 0) + e(1, 1) + e(2, 2)));
  }
};

}  // namespace ymir
