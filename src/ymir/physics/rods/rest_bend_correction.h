// Stiffness of a vertex that is bent at rest, by that of a straight one: what makes a polygon as stiff as the smooth
// curve through its vertices.
//
// At a vertex whose edges meet at the angle 2 psi, a relative rotation w of the edges strains the kernel (bend_twist.h)
// by more than w: turning about the binormal changes |kb| = 2 tan psi by w sec^2 psi, turning about the bisector of the
// edges twists by w sec psi. And the curve is longer than its polygon, by psi/sin psi. So a moment M causes the
// rotation M s/(E I), s length of the curve, only if
//
//   bending  E I/V cos^4 psi sin psi/psi        twist  G J/V cos^2 psi sin psi/psi        V length of the polygon
#pragma once

#include <cmath>

namespace ymir {

struct RestBendCorrection {
  double bend = 1, twist = 1;

  RestBendCorrection() = default;
  // Rest values of the two bending components.
  RestBendCorrection(double kappa1, double kappa2) {
    const double tangent2 = (kappa1 * kappa1 + kappa2 * kappa2) / 4;  // tan^2 psi
    const double cosine2 = 1 / (1 + tangent2), psi = std::atan(std::sqrt(tangent2));
    const double shorter = psi > 1e-4 ? std::sin(psi) / psi : 1 - psi * psi / 6;
    twist = cosine2 * shorter;
    bend = cosine2 * twist;
  }
};

}  // namespace ymir
