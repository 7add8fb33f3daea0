// What paths beside sheets lead to, and where there are sheets at all; how they are traced is in sheet_paths.h.
#pragma once

#include <algorithm>
#include <vector>

#include "ymir/fluid/trace_lookup.h"

namespace ymir {

// Where the value of a sample comes from.
struct SheetSample {
  std::uint16_t voxel = 0;
  std::uint8_t count = 0;  // 0: it stays
  std::array<Vec3i, 8> at;
  std::array<float, 8> weight;

  void add(Vec3i voxel_at, double w) {
    if (!(w > 0)) return;
    at[count] = voxel_at;
    weight[count++] = static_cast<float>(w);
  }
  void normalise();
  // Taps: value(x, y, z). Clamped to the samples, because the weights round.
  template <class Taps>
  float value(const Taps& taps) const {
    float sum = 0, low = taps.value(at[0].x, at[0].y, at[0].z), high = low;
    for (std::size_t k = 0; k < count; ++k) {
      const float f = taps.value(at[k].x, at[k].y, at[k].z);
      sum += weight[k] * f;
      low = std::min(low, f);
      high = std::max(high, f);
    }
    return std::min(std::max(sum, low), high);
  }
};

// Whether anything is marked in a box of voxels, at once.
class MarkSums {
 public:
  void build(const GatheredBox<std::uint8_t>& marks, const GatherRegion& region);
  bool any(Vec3i low, Vec3i high) const;

 private:
  int at(int x, int y, int z) const { return sums_[static_cast<std::size_t>((z * size_.y + y) * size_.x + x)]; }
  Vec3i low_{}, size_{};
  std::vector<int> sums_;  // of all marked voxels below
};

}  // namespace ymir
