// Force of one row of a constraint: elastic, plus the two dampings every constraint has. [Lesser2022, 6.3]
//
//   elastic   y = W C                                     W = 2 S
//   Rayleigh  y += W (tau/dt) (C - C_n)                   tau: relaxation time [s]; secant rate, so that rigid motion
//   costs
//                                                         nothing; has a potential
//   Dahl      y += W zeta,  zeta = s cm + (zeta_n - s cm) exp(-|C - C_n|/dc), s = sign(C - C_n)
//             internal friction: cm is the largest deformation left at zero load, dc how far C moves until friction is
//             developed, both in units of C; exact along a monotone step
#pragma once

#include "ymir/math/lane_math.h"

namespace ymir {

template <class T>
struct Response {
  T force;      // y
  T stiffness;  // dy/dC > 0
};

template <class T>
YMIR_HD Response<T> elastic_response(const T& c, const T& weight) {
  return {weight * c, weight};
}

template <class T, class Tau>
YMIR_HD void add_rayleigh(Response<T>& r, const T& c, const T& begin, const T& weight, const Tau& tau_per_dt) {
  r.force += weight * ((c - begin) * tau_per_dt);
  r.stiffness += weight * tau_per_dt;
}

template <class T>
YMIR_HD T dahl_friction(const T& c, const T& begin, const T& zeta_begin, const T& saturation, const T& length) {
  const T change = c - begin;
  const T limit = select(change < T{}, -saturation, saturation);
  return limit + (zeta_begin - limit) * exp(-abs(change) / length);
}

template <class T>
YMIR_HD void add_dahl(Response<T>& r, const T& c, const T& begin, const T& zeta_begin, const T& weight,
                      const T& saturation, const T& length) {
  const T zeta = dahl_friction(c, begin, zeta_begin, saturation, length);
  const T signed_zeta = select(c - begin < T{}, -zeta, zeta);
  r.force += weight * zeta;
  r.stiffness += weight * (saturation - signed_zeta) / length;
}

// The same with the slope of the chord since the step began, which is never below the one here: Newton's method goes to
// and fro between the branches of a step whose solution sticks, and with this slope does not.
template <class T>
YMIR_HD void add_dahl_secant(Response<T>& r, const T& c, const T& begin, const T& zeta_begin, const T& weight,
                             const T& saturation, const T& length) {
  const T change = c - begin, moved = abs(change) / length;
  const T share = select(moved > 1e-4, (T{} + 1.0 - exp(-moved)) / max(moved, T{} + 1e-4), T{} + 1.0 - moved * 0.5);
  r.force += weight * dahl_friction(c, begin, zeta_begin, saturation, length);
  r.stiffness += weight * (saturation - select(change < T{}, -zeta_begin, zeta_begin)) * share / length;
}

}  // namespace ymir
