// Rigid keyframes as parameters: `motion:`, `interpolation:` and `pivot:` of whatever may move.
//
//   struct Params : MotionParams { ... };
//   return with_motion(Schema<Params>("collider", "...") ... );
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ymir/math/rigid_motion.h"
#include "ymir/param/schema.h"

namespace ymir {

struct MotionParams {
  std::vector<RigidKey> motion;
  KeyInterpolation interpolation = KeyInterpolation::linear;
  std::optional<Vec3d> pivot;  // [m]
};

Schema<RigidKey> rigid_key_schema();

// Adds the parameters to those declared so far; `pivot_doc` says where the pivot is when none is given, `movable` which
// of what the others declare can move; all when empty.
template <class P>
Schema<P>& with_motion(Schema<P>& schema, std::string_view pivot_doc, const std::vector<Condition>& movable = {}) {
  schema.param(static_cast<std::vector<RigidKey> P::*>(&MotionParams::motion), "motion", rigid_key_schema(),
               "Keyframes of a rigid motion, in the order of their times; before the first and after the last the pose "
               "is held.");
  for (const Condition& condition : movable) schema.only(condition);
  return schema
      .param(static_cast<KeyInterpolation P::*>(&MotionParams::interpolation), "interpolation",
             "Linear, at constant speed from key to key; smooth, without jumps of the velocity and at rest at "
             "the first and the last key.")
      .template enumerated<KeyInterpolation>(
          {{"linear", KeyInterpolation::linear}, {"smooth", KeyInterpolation::smooth}})
      .only_with({"motion"})
      .param(static_cast<std::optional<Vec3d> P::*>(&MotionParams::pivot), "pivot", unit::m, pivot_doc)
      .only_with({"motion"});
}

// Why the keys are no motion, and what to do; "" when they are one.
std::string motion_problem(const MotionParams& params);
// Keys that have no problem; `pivot` is where it is when none is given.
RigidMotion make_motion(const MotionParams& params, Vec3d pivot = {0, 0, 0});

}  // namespace ymir
