// Buckets: the cells of the Grid Domain, at several levels. Level 0 is the finest; an edge doubles with every level.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ymir/math/vec3.h"

namespace ymir {

// Coordinates count buckets of the bucket's own level; the lower corner lies at coord * size * 2^level.
struct BucketCoord {
  std::int32_t x = 0, y = 0, z = 0;
  std::int32_t level = 0;

  friend constexpr bool operator==(const BucketCoord&, const BucketCoord&) = default;
};

// Place on the space-filling curve: Morton code of the lower corner in level-0 buckets, then the level. Sorting by key
// walks the Morton curve; a coarse bucket comes directly before the buckets inside its space.
using BucketKey = std::uint64_t;

inline constexpr int bucket_axis_bits = 20;
inline constexpr std::int32_t bucket_reach = 1 << (bucket_axis_bits - 1);  // level-0 coordinates lie in [-reach, reach)
inline constexpr int bucket_level_bits = 4;
inline constexpr int max_bucket_levels = 1 << bucket_level_bits;

namespace morton {

// Inserts two zero bits before each of the low 21 bits.
constexpr std::uint64_t spread(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x001f00000000ffffull;
  v = (v | v << 16) & 0x001f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  v = (v | v << 2) & 0x1249249249249249ull;
  return v;
}
constexpr std::uint64_t gather(std::uint64_t v) {
  v &= 0x1249249249249249ull;
  v = (v ^ v >> 2) & 0x10c30c30c30c30c3ull;
  v = (v ^ v >> 4) & 0x100f00f00f00f00full;
  v = (v ^ v >> 8) & 0x001f0000ff0000ffull;
  v = (v ^ v >> 16) & 0x001f00000000ffffull;
  v = (v ^ v >> 32) & 0x1fffff;
  return v;
}

}  // namespace morton

constexpr BucketKey key_of(BucketCoord c) {
  const auto axis = [&](std::int32_t v) {
    return morton::spread(static_cast<std::uint64_t>(v * (std::int64_t{1} << c.level) + bucket_reach));
  };
  const std::uint64_t code = axis(c.x) | axis(c.y) << 1 | axis(c.z) << 2;
  return code << bucket_level_bits | static_cast<std::uint64_t>(max_bucket_levels - 1 - c.level);
}

constexpr int level_of(BucketKey key) {
  return max_bucket_levels - 1 - static_cast<int>(key & (max_bucket_levels - 1));
}

constexpr BucketCoord coord_of(BucketKey key) {
  const int level = level_of(key);
  const std::uint64_t code = key >> bucket_level_bits;
  const auto axis = [&](std::uint64_t bits) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(morton::gather(bits)) - bucket_reach) >> level;
  };
  return {axis(code), axis(code >> 1), axis(code >> 2), level};
}

constexpr BucketCoord parent(BucketCoord c) { return {c.x >> 1, c.y >> 1, c.z >> 1, c.level + 1}; }

constexpr BucketCoord child(BucketCoord c, int octant) {
  return {2 * c.x + (octant & 1), 2 * c.y + (octant >> 1 & 1), 2 * c.z + (octant >> 2 & 1), c.level - 1};
}

constexpr BucketCoord offset(BucketCoord c, int dx, int dy, int dz) { return {c.x + dx, c.y + dy, c.z + dz, c.level}; }

// False at the rim of the addressable space, where a neighbour does not exist.
constexpr bool addressable(BucketCoord c) {
  const std::int32_t reach = bucket_reach >> c.level;
  const auto inside = [&](std::int32_t v) { return v >= -reach && v < reach; };
  return inside(c.x) && inside(c.y) && inside(c.z);
}

// The 27 directions of a neighbourhood, x fastest; 13 is the bucket itself.
constexpr int direction(int dx, int dy, int dz) { return (dz + 1) * 9 + (dy + 1) * 3 + dx + 1; }
inline constexpr int here = direction(0, 0, 0);
constexpr Vec3i offset_of(int dir) { return {dir % 3 - 1, dir / 3 % 3 - 1, dir / 9 - 1}; }

}  // namespace ymir
