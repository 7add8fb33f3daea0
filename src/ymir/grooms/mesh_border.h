// Border of an open mesh: what is nearest to it has no inside.
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/data/triangle_bvh.h"

namespace ymir {

class MeshBorder {
 public:
  explicit MeshBorder(const Surface& surface);

  // Whether a closest point of that surface lies on its border.
  bool holds(const Surface& surface, const ClosestPoint& closest) const;
  // Signed distance, with what is behind the border counted as outside.
  double signed_distance(const Surface& surface, const TriangleBvh& bvh, Vec3d x, const ClosestPoint& closest) const {
    return holds(surface, closest) ? closest.distance : bvh.signed_distance(x, closest);
  }

 private:
  std::vector<std::uint8_t> edges_;     // per triangle, bit a: the edge opposite to vertex a has no other triangle
  std::vector<std::uint8_t> vertices_;  // 1: on the border
};

}  // namespace ymir
