// Weights W = 2S of the energies C'SC of shells, symmetric 3x3 packed by rows of the lower triangle.
//
//   moduli     M on (e11, e22, 2 e12): isotropic E/(1 - nu^2) (1 nu 0; nu 1 0; 0 0 (1 - nu)/2), or orthotropic along u,
//   v membrane   W = A h M                                       [J], or A (h M) with h M [N/m] measured on cloth
//   bending    D_b = h^3/12 M  [J],   W = A B'D_b B,   kappa = B C the curvature (k11, k22, 2 k12) [1/m]
//   TRI        column k of B = l_k/(2A) (n1^2, n2^2, 2 n1 n2), n the in-plane normal of edge k
//   MID        twice that
//   HINGE      W = D l^2/(A1 + A2), D = E h^3/(12 (1 - nu^2));  clamped: D l^2/A on the angle to the clamp plane, which
//              is D l^2/(2A) on twice that angle (the edge mirrored), halved because the mirror's energy is not ours
//
// A missing side bends until it carries no moment: minimised over, it leaves the Schur complement of W.
#pragma once

#include <array>

#include "ymir/physics/constraints/minimised_rows.h"
#include "ymir/physics/shells/rest_triangle.h"

namespace ymir {

template <class T>
using Packed3 = std::array<T, 6>;  // (00, 10, 11, 20, 21, 22)

template <class T>
YMIR_HD Packed3<T> scaled(Packed3<T> w, const T& factor) {
  for (T& entry : w) entry = entry * factor;
  return w;
}

// young [Pa] or young times thickness [N/m].
template <class T>
YMIR_HD Packed3<T> isotropic_moduli(const T& young, const T& poisson) {
  const T m = young / (1.0 - poisson * poisson);
  return {m, m * poisson, m, T{}, T{}, m * (1.0 - poisson) * 0.5};
}

// poisson: contraction along v under tension along u; needs poisson^2 young_v < young_u.
template <class T>
YMIR_HD Packed3<T> orthotropic_moduli(const T& young_u, const T& young_v, const T& poisson, const T& shear) {
  const T r = 1.0 / (1.0 - poisson * poisson * young_v / young_u);
  return {young_u * r, poisson * young_v * r, young_v * r, T{}, T{}, shear};
}

template <class T>
YMIR_HD Packed3<T> membrane_weight(const RestTriangle<T>& rest, const Packed3<T>& moduli, const T& thickness) {
  return scaled(moduli, rest.area * thickness);
}

// D_b from the moduli [Pa] and the thickness [m].
template <class T>
YMIR_HD Packed3<T> bending_moduli(const Packed3<T>& moduli, const T& thickness) {
  return scaled(moduli, thickness * thickness * thickness * (1.0 / 12));
}

namespace shell_weights_detail {

// Side k of the triangle lies opposite to vertex k + 2, whose gradient is n l/(2A) but for its sign.
template <class T>
YMIR_HD Packed3<T> bending_weight(const RestTriangle<T>& rest, const Packed3<T>& d, double factor, const T* missing) {
  T b[3][3], db[3][3];
  for (int k = 0; k < 3; ++k) {
    const T gu = rest.ru[(k + 2) % 3], gv = rest.rv[(k + 2) % 3];
    const T f = factor / sqrt(gu * gu + gv * gv);
    b[0][k] = gu * gu * f, b[1][k] = gv * gv * f, b[2][k] = gu * gv * f * 2.0;
  }
  for (int k = 0; k < 3; ++k) {
    db[0][k] = d[0] * b[0][k] + d[1] * b[1][k] + d[3] * b[2][k];
    db[1][k] = d[1] * b[0][k] + d[2] * b[1][k] + d[4] * b[2][k];
    db[2][k] = d[3] * b[0][k] + d[4] * b[1][k] + d[5] * b[2][k];
  }
  Packed3<T> w;
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c <= a; ++c)
      w[packed(a, c)] = (b[0][a] * db[0][c] + b[1][a] * db[1][c] + b[2][a] * db[2][c]) * rest.area;
  return minimised_over<3>(w, missing);
}

}  // namespace shell_weights_detail

// d: D_b [J]; missing[k] 1: side k has no neighbour, 0: it has one or is clamped.
template <class T>
YMIR_HD Packed3<T> tri_bending_weight(const RestTriangle<T>& rest, const Packed3<T>& d, const T* missing) {
  return shell_weights_detail::bending_weight(rest, d, 1.0, missing);
}
// A missing side may also be kept, its xi then an unknown.
template <class T>
YMIR_HD Packed3<T> mid_bending_weight(const RestTriangle<T>& rest, const Packed3<T>& d, const T* missing) {
  return shell_weights_detail::bending_weight(rest, d, 2.0, missing);
}

// rigidity D [J], length of the edge [m], areas of its two triangles [m^2].
template <class T>
YMIR_HD T hinge_weight(const T& rigidity, const T& length, const T& area1, const T& area2) {
  return rigidity * length * length / (area1 + area2);
}
template <class T>
YMIR_HD T clamped_hinge_weight(const T& rigidity, const T& length, const T& area) {
  return rigidity * length * length / area;
}

}  // namespace ymir
