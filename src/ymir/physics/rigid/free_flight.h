// Torque-free motion of a rigid body over a step: the rotational counterpart of x + dt v. [Dullweber1997]
//
//   in the body's principal axes, m = Q'L: turn by h m_a/I_a about axis a, Q <- Q R_a, m <- R_a' m,
//   half steps about axes 1 and 2, a full one about 3, half steps about 2 and 1
//
// Symmetric, of second order, conserves L to round-off, stable at any rate of spin. The gyroscopic torque is in it, and
// in no other place.
#pragma once

#include "ymir/math/quaternion.h"

namespace ymir {

// q takes principal axes to the world; momentum L is in the world [kg m^2/s], moments are I [kg m^2]; dt [s].
YMIR_HD inline Quaternion free_flight(Quaternion q, Vec3d momentum, Vec3d moments, double dt, int splits) {
  Vec3d m = rotate(conjugate(q), momentum);
  const double h = dt / splits;
  const auto turn = [&](int axis, double step) {
    Vec3d angle{};
    angle[axis] = step * m[axis] / moments[axis];
    const Quaternion r = quaternion_exp(angle);
    q = q * r;
    m = rotate(conjugate(r), m);
  };
  for (int k = 0; k < splits; ++k) {
    turn(0, 0.5 * h);
    turn(1, 0.5 * h);
    turn(2, h);
    turn(1, 0.5 * h);
    turn(0, 0.5 * h);
  }
  return normalized(q);
}

}  // namespace ymir
