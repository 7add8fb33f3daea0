// Nearest roots, by a uniform grid over points that lie on a surface.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ymir/math/box.h"

namespace ymir {

class RootGrid {
 public:
  explicit RootGrid(const std::vector<Vec3d>& roots);  // at least one; they must outlive the grid

  // The `count` nearest, nearest first, of equally near ones the lower number first; all of them when there are fewer.
  std::vector<std::int32_t> nearest(Vec3d x, std::size_t count) const;

 private:
  using Cell = Vec3<std::int64_t>;
  Cell cell_of(Vec3d x) const;
  static std::uint64_t key(Cell cell);

  const std::vector<Vec3d>& roots_;
  Box box_;
  double cell_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> cells_;
};

}  // namespace ymir
