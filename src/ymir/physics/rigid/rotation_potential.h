// Incremental potential of rotational inertia: how far a rotation is from that of free flight.
//
//   Psi(Q) = -tr(Q J Qhat')/dt^2,  A = Q J Qhat'                J covariance in the body [kg m^2]
//   under Q <- exp(dphi) Q:  gradient axl(A)/dt^2,  Hessian (tr A 1 - sym A)/dt^2
//
// The residual of a step is axl(A)/dt^2 - torque, its exact Jacobian (tr A 1 - A)/dt^2; both agree at Q = Qhat. The
// Hessian is positive definite while Q stays within 90 degrees of Qhat.
#pragma once

#include "ymir/math/mat3.h"
#include "ymir/math/quaternion.h"

namespace ymir {

struct RotationPotential {
  Mat3d a;  // [kg m^2]
  double inverse_dt2;

  // spread: covariance along the principal axes, which q and free turn into the world.
  YMIR_HD RotationPotential(const Quaternion& q, const Quaternion& free, Vec3d spread, double dt)
      : inverse_dt2(1 / (dt * dt)) {
    for (int k = 0; k < 3; ++k) {
      Vec3d axis{};
      axis[k] = 1;
      a += outer(rotate(q, axis) * spread[k], rotate(free, axis));
    }
  }

  YMIR_HD double value() const { return -trace(a) * inverse_dt2; }
  YMIR_HD Vec3d gradient() const { return axial(a) * inverse_dt2; }  // [N m]
  YMIR_HD Mat3d hessian() const { return (identity3() * trace(a) - (a + transposed(a)) * 0.5) * inverse_dt2; }
};

}  // namespace ymir
