// A rigid body during one substep: the Newton iterate, its 6x6 system, and what Constraints see of both.
//
//   m (X - X_n - dt v_n)/dt^2 - f = 0,   axl(Q J Qhat')/dt^2 - tau = 0,   unknowns (dX, dphi) in the axes of the world
//
// Qhat is the rotation of free flight: the gyroscopic torque is in it and in no other place.
#pragma once

#include <span>
#include <string>

#include "ymir/math/rigid_motion.h"
#include "ymir/physics/rigid/rigid_point.h"

namespace ymir {

struct RigidStep {
  static constexpr int size = 6;

  double dt = 0;    // [s]
  double time = 0;  // at its end [s]
  int body = 0;
  int iteration = 0;                    // of Newton's method
  Vec3d position, begin_position;       // of the centre of mass [m]
  Quaternion rotation, begin_rotation;  // of the principal axes
  double residual[size];                // [N, N m]
  double matrix[size][size];            // [N/m, N, N m]
  double lever[3][3];                   // what forces on levers add to the block of rotations; may be indefinite [N m]

  // A point in the axes of the body, now and when the substep began.
  RigidPoint point(Vec3d in_body) const { return {position, rotation, in_body}; }
  RigidPoint begin_point(Vec3d in_body) const { return {begin_position, begin_rotation, in_body}; }

  // dE/dx = gradient at a point, d2E/dx2 = k (symmetric).
  void add(const RigidPoint& at, Vec3d gradient, const Mat3d& k) {
    const Vec3d torque = at.torque(gradient);
    const Mat3d turn = at.turn_jacobian(), kt = k * turn, tkt = transposed(turn) * kt;
    for (int r = 0; r < 3; ++r) {
      residual[r] += gradient[r];
      residual[3 + r] += torque[r];
      for (int c = 0; c < 3; ++c) {
        matrix[r][c] += k(r, c);
        matrix[r][3 + c] += kt(r, c);
        matrix[3 + c][r] += kt(r, c);
        matrix[3 + r][3 + c] += tkt(r, c);
      }
    }
    add_lever(at, gradient);
  }
  void add_lever(const RigidPoint& at, Vec3d gradient) {
    const Mat3d turned = at.lever(gradient);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) lever[r][c] += turned(r, c);
  }
};

// An energy of rigid bodies, each by itself.
class RigidConstraint {
 public:
  virtual ~RigidConstraint() = default;
  virtual std::string owner() const = 0;
  virtual std::string what() const = 0;
  // Once per substep, on one thread, before any body.
  virtual void prepare(double /*begin*/, double /*end*/) {}
  virtual void assemble(RigidStep& step) = 0;
  // Whether it says where a body is when the substep ends: the body then has no unknowns.
  virtual bool carries(int /*body*/, RigidTransform& /*pose*/) const { return false; }
  virtual void end(const RigidStep& /*step*/) {}
  // What survives the substep: saved, rolled back, checkpointed and hashed with the bodies.
  virtual std::span<double> state() { return {}; }
  // Deepest point inside a solid, as of the last substep [m].
  virtual double penetration() const { return 0; }
};

}  // namespace ymir
