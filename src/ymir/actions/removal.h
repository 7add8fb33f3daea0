// Points that leave the simulation: outside a box, or too old.
#pragma once

#include <optional>

#include "ymir/math/box.h"
#include "ymir/objects/point_block.h"

namespace ymir {

PointRemoval remove_outside(std::string owner, const Box& bounds);
// Each point lives max_age [s] times a factor that is uniform in 1 +- variation and fixed by its id.
PointRemoval remove_old(std::string owner, double max_age, double variation);

}  // namespace ymir
