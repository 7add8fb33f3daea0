// The unit quaternion of a rotation matrix.
#pragma once

#include <algorithm>

#include "ymir/math/mat3.h"
#include "ymir/math/quaternion.h"

namespace ymir {

inline Quaternion quaternion_from_matrix(const Mat3d& r) {
  // The largest component first, by the trace of what it is made of.
  const double w = 1 + r(0, 0) + r(1, 1) + r(2, 2), x = 1 + r(0, 0) - r(1, 1) - r(2, 2);
  const double y = 1 - r(0, 0) + r(1, 1) - r(2, 2), z = 1 - r(0, 0) - r(1, 1) + r(2, 2);
  const double most = std::max({w, x, y, z});
  const Vec3d skew{r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)};
  const Vec3d sum{r(2, 1) + r(1, 2), r(0, 2) + r(2, 0), r(1, 0) + r(0, 1)};
  if (most == w) return normalized(Quaternion{w, skew});
  if (most == x) return normalized(Quaternion{skew.x, {x, sum.z, sum.y}});
  if (most == y) return normalized(Quaternion{skew.y, {sum.z, y, sum.x}});
  return normalized(Quaternion{skew.z, {sum.y, sum.x, z}});
}

}  // namespace ymir
