// Axis-aligned box.
#pragma once

#include <limits>

#include "ymir/math/vec3.h"

namespace ymir {

struct Box {
  Vec3d low{inf, inf, inf};
  Vec3d high{-inf, -inf, -inf};

  bool empty() const { return !(low.x <= high.x && low.y <= high.y && low.z <= high.z); }
  void include(Vec3d p) {
    low = cwise_min(low, p);
    high = cwise_max(high, p);
  }
  void include(const Box& b) {
    low = cwise_min(low, b.low);
    high = cwise_max(high, b.high);
  }
  bool contains(Vec3d p) const {
    return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y && p.z <= high.z;
  }
  Vec3d center() const { return (low + high) * 0.5; }
  Vec3d size() const { return high - low; }

 private:
  static constexpr double inf = std::numeric_limits<double>::infinity();
};

}  // namespace ymir
