#include "ymir/fluid/trace_sheets.h"

namespace ymir {

void SheetSample::normalise() {
  float sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += weight[k];
  for (std::size_t k = 0; k < count; ++k) weight[k] /= sum;
}

void MarkSums::build(const GatheredBox<std::uint8_t>& marks, const GatherRegion& region) {
  low_ = region.low;
  size_ = region.high - region.low + Vec3i{2, 2, 2};
  sums_.assign(
      static_cast<std::size_t>(size_.x) * static_cast<std::size_t>(size_.y) * static_cast<std::size_t>(size_.z), 0);
  for (int z = 1; z < size_.z; ++z)
    for (int y = 1; y < size_.y; ++y) {
      const std::uint8_t* row = marks.at(low_.x, low_.y + y - 1, low_.z + z - 1);
      int sum = 0;
      for (int x = 1; x < size_.x; ++x) {
        sum += row[x - 1] != 0 ? 1 : 0;
        sums_[static_cast<std::size_t>((z * size_.y + y) * size_.x + x)] =
            sum + at(x, y - 1, z) + at(x, y, z - 1) - at(x, y - 1, z - 1);
      }
    }
}

bool MarkSums::any(Vec3i low, Vec3i high) const {
  const Vec3i a = cwise_max(low - low_, Vec3i{0, 0, 0}),
              b = cwise_min(high - low_ + Vec3i{1, 1, 1}, size_ - Vec3i{1, 1, 1});
  const auto upper = [&](int z) { return at(b.x, b.y, z) - at(a.x, b.y, z) - at(b.x, a.y, z) + at(a.x, a.y, z); };
  return upper(b.z) - upper(a.z) > 0;
}

}  // namespace ymir
