#include "ymir/fluid/trace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ymir {

RowBits RowBits::full() {
  RowBits rows;
  rows.bits.fill(0xff);
  rows.all = true;
  return rows;
}

RowBits RowBits::with_gas(const GatheredBox<std::uint8_t>& cells, Lattice lattice) {
  static_assert(static_cast<int>(CellKind::fluid) == 1 && static_cast<int>(CellKind::solid) == 2);
  const Vec3i d = below(lattice);
  RowBits rows;
  for (int r = 0; r < 64; ++r) {
    std::uint64_t a, b;
    std::memcpy(&a, cells.at(0, r % 8, r / 8), 8);
    std::memcpy(&b, cells.at(d.x, r % 8 + d.y, r / 8 + d.z), 8);
    // The lowest bit of a byte tells gas; the product collects the eight of them in its highest byte.
    const std::uint64_t gas = (a | b) & 0x0101010101010101;
    rows.bits[static_cast<std::size_t>(r)] = static_cast<std::uint8_t>(gas * 0x0102040810204080 >> 56);
  }
  return rows;
}

int RowBits::count_in(const RowBits& others) const {
  int count = 0;
  for (std::size_t r = 0; r < 64; ++r) count += std::popcount(static_cast<unsigned>(bits[r] & others.bits[r]));
  return count;
}

GatherRegion region_of_paths(const VelocityBounds& bounds, float dt_over_h, Interpolation interpolation) {
  const int margin = interpolation == Interpolation::cubic ? 1 : 0;
  GatherRegion region;
  for (int axis = 0; axis < 3; ++axis) {
    // The slack covers rounding in interpolated velocities and positions.
    constexpr float slack = 1e-3f, beyond = 100;
    const float a = -bounds.low[axis] * dt_over_h, b = -bounds.high[axis] * dt_over_h;
    const float back = std::min({a, b, 0.0f}), forth = std::max({a, b, 0.0f});
    if (!(back > -beyond && forth < beyond)) return {{-1000, -1000, -1000}, {1000, 1000, 1000}};
    // Starts are at -0.5 .. 7 from the first centre; lattices begin half a voxel lower.
    region.low[axis] = static_cast<int>(std::floor(-0.5f - slack + back)) - margin;
    region.high[axis] = static_cast<int>(std::floor(7.5f + slack + forth)) + 1 + margin;
  }
  return region;
}

GatherRegion region_around(const TileTrace& points, const RowBits& wanted, bool are_midpoints,
                           Interpolation interpolation) {
  const int margin = !are_midpoints && interpolation == Interpolation::cubic ? 1 : 0;
  const float to_faces = are_midpoints ? 0.5f : 0.0f;
  GatherRegion region{};
  if (wanted.empty()) return region;
  const std::array<const TileValues*, 3> axes{&points.x, &points.y, &points.z};
  for (int axis = 0; axis < 3; ++axis) {
    const TileValues& at = *axes[static_cast<std::size_t>(axis)];
    Row low = Row::all(std::numeric_limits<float>::infinity()), high = -low;
    for (int r = 0; r < 64; ++r) {
      if (wanted.bits[static_cast<std::size_t>(r)] == 0) continue;
      low = min(low, at.row(r));
      high = max(high, at.row(r));
    }
    for (int lane = 1; lane < 8; ++lane) {
      low.set(0, std::min(low[0], low[lane]));
      high.set(0, std::max(high[0], high[lane]));
    }
    region.low[axis] = static_cast<int>(std::floor(low[0])) - margin;
    region.high[axis] = static_cast<int>(std::floor(high[0] + to_faces)) + 1 + margin;
  }
  return region;
}

}  // namespace ymir
