// A point that moves with a rigid body: how it follows the body's six degrees of freedom, and what a force on it does.
//
//   x_p = X + r, r = Q r_b;   dx_p = dx + dphi x r = [1, -[r]x] (dx, dphi)
//   f on the point: force f, torque r x f
//   E(x_p), f = dE/dx_p: the second derivative of x_p adds sym(r f') - (r.f) 1 to the block (phi, phi)
//
// That lever term is indefinite in general: joints need it for quadratic convergence, others may leave it out.
#pragma once

#include "ymir/math/mat3.h"
#include "ymir/math/quaternion.h"

namespace ymir {

struct RigidPoint {
  Vec3d position;  // x_p [m]
  Vec3d arm;       // r [m]

  YMIR_HD RigidPoint(Vec3d centre, const Quaternion& q, Vec3d in_body) : arm(rotate(q, in_body)) {
    position = centre + arm;
  }

  YMIR_HD Vec3d motion(Vec3d shift, Vec3d turn) const { return shift + cross(turn, arm); }
  YMIR_HD Vec3d torque(Vec3d force) const { return cross(arm, force); }
  // dx_p/dphi; dx_p/dx is 1. Also the derivative of a body axis, with the axis for the arm.
  YMIR_HD Mat3d turn_jacobian() const { return cross_matrix(-arm); }
  YMIR_HD Mat3d lever(Vec3d force) const {
    const Mat3d rf = outer(arm, force);
    return (rf + transposed(rf)) * 0.5 - identity3() * dot(arm, force);
  }
};

}  // namespace ymir
