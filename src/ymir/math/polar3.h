// Polar decomposition F = R S, R a rotation (also where det F < 0), S symmetric, and the spin of R.
//
//   R = U V',  S = V diag(s) V',  dR = [om]x R with om = R (tr S I - S)^-1 axl(R' dF)
//
// The inverse has the values 1/(s_j + s_k): where s.y + s.z = 0 (an inverted F) R is not unique and the spin infinite.
#pragma once

#include "ymir/math/svd3.h"

namespace ymir {

template <class T>
YMIR_HD Mat3<T> polar_rotation(const Svd3<T>& d) {
  return d.u * transposed(d.v);
}

template <class T>
YMIR_HD Mat3<T> polar_stretch(const Svd3<T>& d) {
  return Mat3<T>{d.v.column[0] * d.s.x, d.v.column[1] * d.s.y, d.v.column[2] * d.s.z} * transposed(d.v);
}

// om [rad] of a change dF, in the axes of F's rows (the deformed space).
template <class T>
YMIR_HD Vec3<T> polar_spin(const Svd3<T>& d, const Mat3<T>& df) {
  // In the axes of V: axl(V' R' dF V) = V' axl(R' dF), and R V = U.
  const Vec3<T> a = axial(transposed(d.u) * df * d.v);
  return d.u * Vec3<T>{a.x / (d.s.y + d.s.z), a.y / (d.s.z + d.s.x), a.z / (d.s.x + d.s.y)};
}

}  // namespace ymir
