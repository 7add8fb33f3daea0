#include "ymir/actions/points_inside.h"

#include <algorithm>

namespace ymir {

PointsInside points_inside(const ForceTarget& object, const std::function<double(Vec3d x)>& distance,
                           Communicator& communicator) {
  PointsInside found;
  object.visit_points([&](const PointBlock& block) {
    for (int i = 0; i < block.count; ++i) {
      if (!(block.mass[i] > 0)) continue;
      ++found.of;
      const double depth = -distance(block.position[i]);
      if (!(depth > block.radius[i])) continue;
      ++found.count;
      found.deepest = std::max(found.deepest, depth);
    }
  });
  return {communicator.sum(found.count), communicator.sum(found.of), communicator.max(found.deepest)};
}

}  // namespace ymir
