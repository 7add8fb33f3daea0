// Rigid placement of a body, and its course over time given by keyframes.
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/math/quaternion.h"

namespace ymir {

// Body to world: x = rotation X + translation.
struct RigidTransform {
  Quaternion rotation;
  Vec3d translation{0, 0, 0};  // [m]

  YMIR_HD Vec3d to_world(Vec3d body) const { return rotate(rotation, body) + translation; }
  YMIR_HD Vec3d to_body(Vec3d world) const { return rotate(conjugate(rotation), world - translation); }
  YMIR_HD Vec3d direction_to_world(Vec3d body) const { return rotate(rotation, body); }
  YMIR_HD Vec3d direction_to_body(Vec3d world) const { return rotate(conjugate(rotation), world); }
  friend constexpr bool operator==(const RigidTransform&, const RigidTransform&) = default;
};

// First `inner`, then `outer`.
YMIR_HD inline RigidTransform compose(const RigidTransform& outer, const RigidTransform& inner) {
  return {outer.rotation * inner.rotation, outer.to_world(inner.translation)};
}

struct RigidKey {
  double time = 0;          // [s]
  Vec3d position{0, 0, 0};  // where the pivot is moved to, relative to where it rests [m]
  Vec3d rotation{0, 0, 0};  // angles about the fixed axes x, then y, then z [rad]
  friend bool operator==(const RigidKey&, const RigidKey&) = default;
};

// linear: constant velocity and angular velocity from key to key. smooth: once continuously differentiable, at rest at
// the first and the last key.
enum class KeyInterpolation : std::uint8_t { linear, smooth };

// Where one angle alone changes between two keys, the body turns by all of that angle, full turns included; otherwise
// it takes the shorter way. Before the first key and after the last the pose is held. A function of time alone: safe to
// ask from any thread.
class RigidMotion {
 public:
  RigidMotion() = default;  // stays where it is
  // Times must increase.
  RigidMotion(std::vector<RigidKey> keys, KeyInterpolation interpolation, Vec3d pivot);

  RigidTransform at(double time) const;
  bool moving() const { return moving_; }  // false: the same at all times
  const std::vector<RigidKey>& keys() const { return keys_; }
  KeyInterpolation interpolation() const { return interpolation_; }
  Vec3d pivot() const { return pivot_; }

 private:
  struct Pose {
    Quaternion rotation;
    Vec3d position;
  };
  Pose pose(double time) const;
  Pose smooth(std::size_t segment, double s) const;

  std::vector<RigidKey> keys_;
  KeyInterpolation interpolation_ = KeyInterpolation::linear;
  Vec3d pivot_{0, 0, 0};
  bool moving_ = false;
  std::vector<Quaternion> rotations_;        // per key
  std::vector<Vec3d> turns_;                 // per segment: rotation vector from key to key [rad]
  std::vector<Vec3d> velocities_, angular_;  // per key, smooth only [m/s], [rad/s]
};

// All of them, the first one first.
RigidTransform pose_at(const std::vector<RigidMotion>& motions, double time);

}  // namespace ymir
