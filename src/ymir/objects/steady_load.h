// Forces that are the same at all times, on points at rest: what shapes may be made to bear.
#pragma once

#include <span>
#include <vector>

#include "ymir/objects/point_block.h"

namespace ymir {

// The sum of those that say they are steady, on each point of one block [N]. bucket: the number that forces know it by.
std::vector<Vec3d> steady_load(std::span<const PointForce> forces, std::span<const Vec3d> positions, const double* mass,
                               const double* radius, int bucket = 0);

}  // namespace ymir
