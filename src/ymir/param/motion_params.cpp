#include "ymir/param/motion_params.h"

#include <fmt/format.h>

#include <cmath>

namespace ymir {

Schema<RigidKey> rigid_key_schema() {
  return Schema<RigidKey>("motion", "A pose at a time.")
      .param(&RigidKey::time, "time", unit::s, "When; the first frame begins at 0 s.")
      .required()
      .param(&RigidKey::position, "position", unit::m, "How far the pivot is moved from where it rests.")
      .param(&RigidKey::rotation, "rotation", unit::radian, "Angles about x, then y, then z, around the pivot.");
}

std::string motion_problem(const MotionParams& params) {
  for (std::size_t k = 1; k < params.motion.size(); ++k) {
    const RigidKey &a = params.motion[k - 1], &b = params.motion[k];
    if (!(a.time < b.time))
      return fmt::format("the times of keys must increase, but {} s follows {} s; put the keys in order", b.time,
                         a.time);
    const Vec3d change = b.rotation - a.rotation;
    const int changed = (change.x != 0) + (change.y != 0) + (change.z != 0);
    const double most = std::max({std::abs(change.x), std::abs(change.y), std::abs(change.z)});
    if (changed > 1 && most > M_PI * (1 - 1e-12))
      return fmt::format(
          "the keys at {} s and {} s differ in several angles, one by 180 deg or more, so the way from one to the "
          "other "
          "is not clear; add a key between them",
          a.time, b.time);
  }
  return "";
}

RigidMotion make_motion(const MotionParams& params, Vec3d pivot) {
  return {params.motion, params.interpolation, params.pivot.value_or(pivot)};
}

}  // namespace ymir
