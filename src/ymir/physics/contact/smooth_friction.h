// Friction as the slope of an energy: it grows with the slip s of a substep until |s| = e, and stays. [Li2020, 6]
//
//   E = g f0(|s|),  f0 = y^2/e - y^3/(3 e^2) + e/3 below e, y beyond;   f1 = f0' = 2y/e - y^2/e^2, 1
//
//   g bound: mu times a normal force that is given [N];  e = slip speed times dt [m]
//
// What rests on a slope creeps: v = slip speed (1 - sqrt(1 - tan/mu)).
#pragma once

#include <cmath>

#include "ymir/math/mat3.h"

namespace ymir {

struct SmoothFriction {
  double energy = 0;         // [J]
  Vec3d force;               // against the slip [N]
  double along = 0;          // stiffness in the direction of the slip [N/m]
  double across = 0;         // and across it
  Vec3d direction{0, 0, 0};  // of the slip; 0: it has none

  // slip: across the normal [m].
  SmoothFriction(double bound, double e, Vec3d slip) {
    const double y = norm(slip);
    if (y > 0) direction = slip / y;
    const double share = y / e;
    if (share < 1) {
      energy = bound * e * (share * share - share * share * share / 3 + 1.0 / 3);
      across = bound * (2 - share) / e;  // f1/y
      along = bound * 2 * (1 - share) / e;
    } else {
      energy = bound * y;
      across = bound / y;
    }
    force = slip * -across;
  }
  // d(-force)/d slip, in the plane across n.
  Mat3d stiffness(Vec3d n) const {
    return (identity3() - outer(n, n)) * across + outer(direction, direction) * (along - across);
  }
};

}  // namespace ymir
