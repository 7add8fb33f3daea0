// How many points of an object lie inside a solid, before anything has moved.
#pragma once

#include <cstdint>
#include <functional>

#include "ymir/objects/force_target.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

struct PointsInside {
  std::int64_t count = 0;  // deeper than their radius
  std::int64_t of = 0;     // all that have mass
  double deepest = 0;      // [m]
};

// `distance` is signed, negative inside [m]. Collective.
PointsInside points_inside(const ForceTarget& object, const std::function<double(Vec3d x)>& distance,
                           Communicator& communicator);

}  // namespace ymir
