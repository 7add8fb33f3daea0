#include "ymir/grooms/root_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ymir/base/check.h"
#include "ymir/base/hash.h"

namespace ymir {

RootGrid::RootGrid(const std::vector<Vec3d>& roots) : roots_(roots) {
  YMIR_CHECK(!roots.empty());
  for (const Vec3d& root : roots) box_.include(root);
  // About three roots per cell when they lie on a surface.
  cell_ = norm(box_.size()) / std::max(1.0, std::sqrt(static_cast<double>(roots.size()) / 3));
  if (!(cell_ > 0)) cell_ = 1;
  for (std::size_t i = 0; i < roots.size(); ++i) cells_[key(cell_of(roots[i]))].push_back(static_cast<std::int32_t>(i));
}

RootGrid::Cell RootGrid::cell_of(Vec3d x) const {
  const Vec3d s = (x - box_.low) / cell_;
  return Cell(Vec3d(std::floor(s.x), std::floor(s.y), std::floor(s.z)));
}

std::uint64_t RootGrid::key(Cell c) {
  return hash_combine(hash_combine(static_cast<std::uint64_t>(c.x), static_cast<std::uint64_t>(c.y)),
                      static_cast<std::uint64_t>(c.z));
}

std::vector<std::int32_t> RootGrid::nearest(Vec3d x, std::size_t count) const {
  count = std::min(count, roots_.size());
  // A query outside starts at the point of the box nearest to it. Roots not within `ring` cells of that start lie at
  // least hypot(ring cells, way to the box) from the query, since the box is convex.
  const Vec3d start = cwise_min(cwise_max(x, box_.low), box_.high);
  const Cell center = cell_of(start);
  const double outside = norm(x - start);
  std::vector<std::pair<double, std::int32_t>> found;
  const auto visit = [&](Cell cell) {
    const auto it = cells_.find(key(cell));
    if (it == cells_.end()) return;
    for (const std::int32_t i : it->second)
      if (cell_of(roots_[static_cast<std::size_t>(i)]) == cell)
        found.emplace_back(norm(roots_[static_cast<std::size_t>(i)] - x), i);
  };
  for (std::int64_t ring = 0;; ++ring) {
    for (std::int64_t k = -ring; k <= ring; ++k)
      for (std::int64_t j = -ring; j <= ring; ++j) {
        const bool face = std::max(std::abs(k), std::abs(j)) == ring;
        for (std::int64_t i = -ring; i <= ring; i += face || ring == 0 ? 1 : 2 * ring)
          visit({center.x + i, center.y + j, center.z + k});
      }
    const double reached = std::hypot(static_cast<double>(ring) * cell_, outside);
    if (found.size() == roots_.size()) break;
    if (found.size() < count) continue;
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count - 1), found.end());
    if (found[count - 1].first <= reached) break;
  }
  std::sort(found.begin(), found.end());
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(found[i].second);
  return out;
}

}  // namespace ymir
