// f = m g: the same acceleration for every point, or a channel of accelerations.
#pragma once

#include <optional>

#include "ymir/objects/point_block.h"

namespace ymir {

PointForce gravity_force(std::string owner, Vec3d acceleration, std::optional<ParticleChannel<Vec3d>> per_point);

}  // namespace ymir
