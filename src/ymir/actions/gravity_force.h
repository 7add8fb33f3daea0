// f = m g: the same acceleration for every point, or a channel of accelerations.
#pragma once

#include "ymir/objects/force_target.h"

namespace ymir {

PointForce gravity_force(std::string owner, Vec3d acceleration, PointField<Vec3d> per_point);

}  // namespace ymir
