// Joints: frames of two bodies, or of a body and the world, that may move against each other in some ways only.
//
// What a joint holds it holds exactly, by multipliers (physics/rigid/joint.h). Along the way it leaves open it may have
// limits, a motor and friction: rows whose multipliers have bounds, found together with all others in each iteration of
// Newton's method (solids/bounded_rows.h). A row is held while its multiplier is within them, and is a constant force
// at a bound.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ymir/data/animated_surface.h"
#include "ymir/objects/rigid_object.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

enum class JointKind : std::uint8_t { ball, hinge, slider, weld };

// Along the open way of a hinge [rad, N m] or slider [m, N]; a ball has the spring alone.
struct JointDrive {
  std::optional<double> low, high;     // limits
  std::optional<double> motor_speed;   // [1/s]; beside a target: the largest on the way there
  std::optional<double> motor_target;  // reached and held
  double motor_relaxation = 0;         // T: it goes to its target with the speed (target - place)/T [s]; 0: at once
  double motor_strength = 0;           // most the motor pulls; 0: as much as it takes
  double friction = 0;                 // most that friction holds against
  // A spring back to where the joint begins [N m/rad, N/m], of balls in all three turns, damped by its relaxation time
  // [s].
  double spring = 0, spring_relaxation = 0;
};

// One of each end: a point and what it looks like when everything begins.
struct JointEnd {
  MaterialPoint point;                  // without an object: the world
  Embedding begin;                      // prescribed where it belongs to no object
  double mass = 0;                      // of what moves there [kg]
  const RigidObject* object = nullptr;  // nullptr: the world
  std::size_t body = 0;
};

struct JointPlace {
  JointEnd source, target;
  Vec3d axis{0, 1, 0};  // u, a unit vector
};

// Of a rigid body, at a point that is at x when everything begins; and of the world.
JointEnd joint_end(RigidObject& object, std::size_t body, Vec3d x);
JointEnd world_end(Vec3d x);

void add_joints(SolidSystem& solids, const std::string& owner, JointKind kind, const JointDrive& drive,
                std::vector<JointPlace> places);

}  // namespace ymir
