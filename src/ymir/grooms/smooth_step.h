// The cubic that leads from 0 at t <= 0 to 1 at t >= 1 without corners.
#pragma once

#include <algorithm>

namespace ymir {

inline double smooth_step(double t) {
  const double c = std::clamp(t, 0.0, 1.0);
  return c * c * (3 - 2 * c);
}
inline double smooth_step(double low, double high, double x) { return smooth_step((x - low) / (high - low)); }

}  // namespace ymir
