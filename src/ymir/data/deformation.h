// Simple deformations of a surface about an upright axis, keyed in time: a body that nods, turns and breathes without
// any file.
#pragma once

#include <span>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir {

// Bend and twist grow evenly from the lower to the upper end of the surface; what is below the lower end stays.
struct DeformationKey {
  double time = 0;   // [s]
  double bend = 0;   // of the upper end towards +z [rad]
  double lean = 0;   // likewise towards +x [rad]
  double twist = 0;  // about the axis [rad]
  double swell = 0;  // all lengths, seen from the middle, are 1 + swell times what they are
  friend bool operator==(const DeformationKey&, const DeformationKey&) = default;
};

// The axis goes up from `foot`.
struct DeformationAxis {
  Vec3d foot;         // [m]
  double length = 1;  // > 0 [m]
};

Vec3d deformed(Vec3d p, const DeformationKey& by, const DeformationAxis& axis);
// Between two keys, eased: at rest at each of them. Before the first and after the last it is held; none: nothing is
// deformed. Times must increase.
DeformationKey deformation_at(std::span<const DeformationKey> keys, double time);

}  // namespace ymir
