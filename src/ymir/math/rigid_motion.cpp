#include "ymir/math/rigid_motion.h"

#include <algorithm>

#include "ymir/base/check.h"

namespace ymir {
namespace {

// Rotation vector from one key to the next, in world axes.
Vec3d turn_between(const RigidKey& a, const RigidKey& b, const Quaternion& from, const Quaternion& to) {
  const Vec3d change = b.rotation - a.rotation;
  // Rotations are z y x: a change of one angle alone is a turn about one axis, fixed for the whole segment.
  if (change.x == 0 && change.y == 0) return change;
  if (change.x == 0 && change.z == 0) return rotate(quaternion_exp({0, 0, a.rotation.z}), Vec3d{0, change.y, 0});
  if (change.y == 0 && change.z == 0)
    return rotate(quaternion_from_angles({0, a.rotation.y, a.rotation.z}), Vec3d{change.x, 0, 0});
  return quaternion_log(to * conjugate(from));
}

// Derivative at a key of the parabola through it and its neighbours, shortened so that a segment which stands still
// does so and one which goes on in the same direction does not overshoot (Fritsch and Carlson 1980).
Vec3d tangent(Vec3d before, double h_before, Vec3d after, double h_after) {
  const Vec3d slope_before = before / h_before, slope_after = after / h_after;
  const Vec3d middle = (slope_before * h_after + slope_after * h_before) / (h_before + h_after);
  const double most = 3 * std::min(norm(slope_before), norm(slope_after)), length = norm(middle);
  return length > most ? middle * (most / length) : middle;
}

// Rotation vector of q that is nearest to `expected`: whole turns are added as needed.
Vec3d log_near(const Quaternion& q, Vec3d expected) {
  const Vec3d shortest = quaternion_log(q);
  const double angle = norm(shortest);
  const Vec3d axis = angle > 1e-9 ? shortest / angle : normalized(expected);
  const double turns = std::round((dot(expected, axis) - angle) / (2 * M_PI));
  return shortest + axis * (2 * M_PI * turns);
}

}  // namespace

RigidMotion::RigidMotion(std::vector<RigidKey> keys, KeyInterpolation interpolation, Vec3d pivot)
    : keys_(std::move(keys)), interpolation_(interpolation), pivot_(pivot) {
  for (const RigidKey& key : keys_) rotations_.push_back(quaternion_from_angles(key.rotation));
  std::vector<Vec3d> shifts;
  std::vector<double> durations;
  for (std::size_t k = 0; k + 1 < keys_.size(); ++k) {
    YMIR_CHECK(keys_[k].time < keys_[k + 1].time);
    turns_.push_back(turn_between(keys_[k], keys_[k + 1], rotations_[k], rotations_[k + 1]));
    shifts.push_back(keys_[k + 1].position - keys_[k].position);
    durations.push_back(keys_[k + 1].time - keys_[k].time);
    moving_ = moving_ || shifts.back() != Vec3d{} || turns_.back() != Vec3d{};
  }
  if (interpolation_ != KeyInterpolation::smooth) return;
  velocities_.resize(keys_.size());
  angular_.resize(keys_.size());
  for (std::size_t k = 1; k + 1 < keys_.size(); ++k) {
    velocities_[k] = tangent(shifts[k - 1], durations[k - 1], shifts[k], durations[k]);
    angular_[k] = tangent(turns_[k - 1], durations[k - 1], turns_[k], durations[k]);
  }
}

RigidTransform RigidMotion::at(double time) const {
  if (keys_.empty()) return {};
  const Pose now = pose(time);
  return {now.rotation, pivot_ + now.position - rotate(now.rotation, pivot_)};
}

RigidTransform pose_at(const std::vector<RigidMotion>& motions, double time) {
  RigidTransform result;
  for (const RigidMotion& motion : motions) result = compose(motion.at(time), result);
  return result;
}

RigidMotion::Pose RigidMotion::pose(double time) const {
  if (time <= keys_.front().time) return {rotations_.front(), keys_.front().position};
  if (time >= keys_.back().time) return {rotations_.back(), keys_.back().position};
  const auto next =
      std::upper_bound(keys_.begin(), keys_.end(), time, [](double t, const RigidKey& key) { return t < key.time; });
  const auto k = static_cast<std::size_t>(next - keys_.begin()) - 1;
  const double s = (time - keys_[k].time) / (keys_[k + 1].time - keys_[k].time);
  if (interpolation_ == KeyInterpolation::smooth) return smooth(k, s);
  return {quaternion_exp(turns_[k] * s) * rotations_[k],
          keys_[k].position + (keys_[k + 1].position - keys_[k].position) * s};
}

// Cubic Hermite in cumulative Bernstein form, for positions as sums and for rotations as products: Kim, Kim and Shin,
// "A general construction scheme for unit quaternion curves with simple high order derivatives" (1995).
RigidMotion::Pose RigidMotion::smooth(std::size_t k, double s) const {
  const double h = keys_[k + 1].time - keys_[k].time, r = 1 - s;
  const double b1 = 1 - r * r * r, b2 = s * s * (3 - 2 * s), b3 = s * s * s;
  const Vec3d p1 = velocities_[k] * (h / 3), p3 = velocities_[k + 1] * (h / 3);
  const Vec3d p2 = keys_[k + 1].position - keys_[k].position - p1 - p3;
  const Vec3d w1 = angular_[k] * (h / 3), w3 = angular_[k + 1] * (h / 3);
  const Quaternion middle = quaternion_exp(-w3) * rotations_[k + 1] * conjugate(rotations_[k]) * quaternion_exp(-w1);
  const Vec3d w2 = log_near(middle, turns_[k] - w1 - w3);
  return {quaternion_exp(w3 * b3) * quaternion_exp(w2 * b2) * quaternion_exp(w1 * b1) * rotations_[k],
          keys_[k].position + p1 * b1 + p2 * b2 + p3 * b3};
}

}  // namespace ymir
