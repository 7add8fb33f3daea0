#include "ymir/data/volume_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ymir/base/error.h"
#include "ymir/data/volume_accessor.h"

namespace ymir {
namespace {

constexpr int side = VolumeGrid::block_side;

std::size_t offset_in_block(Vec3i v) {
  return static_cast<std::size_t>(((v.z & (side - 1)) * side + (v.y & (side - 1))) * side + (v.x & (side - 1)));
}

Vec3i block_of(Vec3i v) { return {v.x >> 3, v.y >> 3, v.z >> 3}; }

// Voxels from the channel's lattice to the grid's.
Vec3i lattice_offset(const VolumeGrid& grid, double voxel) {
  if (std::abs(grid.voxel - voxel) > 1e-6 * voxel)
    throw Error(ExitCode::bad_input,
                fmt::format("volume '{}': its voxels are {} m, the simulation's {} m; make them equal", grid.name,
                            grid.voxel, voxel));
  Vec3i offset;
  for (int axis = 0; axis < 3; ++axis) {
    const double voxels = grid.origin[axis] / voxel - 0.5;
    if (!(std::abs(voxels) < 1e6) || std::abs(voxels - std::round(voxels)) > 1e-4)
      throw Error(ExitCode::bad_input,
                  fmt::format("volume '{}': its origin {} m on axis {} is not a whole number of voxels from the "
                              "simulation's; move it onto the lattice",
                              grid.name, grid.origin[axis], axis));
    offset[axis] = static_cast<int>(std::round(voxels));
  }
  return offset;
}

}  // namespace

VolumeGrid to_volume_grid(const DiscreteVolume& volume, ChannelId<float> id) {
  const VolumeChannel& channel = volume.channel(id.index);
  YMIR_CHECK(channel.resolution >= side);
  VolumeGrid grid;
  grid.name = channel.name;
  grid.components = channel.components;
  grid.staggered = channel.sampling == Sampling::face;
  grid.voxel = volume.voxel_size(id.index);
  grid.origin = Vec3d{0.5, 0.5, 0.5} * grid.voxel;
  for (std::size_t c = 0; c < 3; ++c) grid.background[c] = static_cast<float>(channel.background[c]);

  const int blocks = channel.resolution / side;  // along a bucket edge
  for (int i = 0; i < volume.buckets().local_count(); ++i) {
    const BucketCoord b = volume.buckets().coord(i);
    if (b.level != 0) continue;
    for (int z = 0; z < blocks; ++z)
      for (int y = 0; y < blocks; ++y)
        for (int x = 0; x < blocks; ++x) grid.blocks.push_back({b.x * blocks + x, b.y * blocks + y, b.z * blocks + z});
  }
  std::sort(grid.blocks.begin(), grid.blocks.end(),
            [](Vec3i a, Vec3i b) { return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x); });
  grid.values.resize(grid.blocks.size() * grid.values_per_block());
  for (int c = 0; c < grid.components; ++c) {
    const VolumeView<float> view(volume, id, c);
    for_each_in_order(static_cast<std::ptrdiff_t>(grid.blocks.size()), [&](int n) {
      const auto block = static_cast<std::size_t>(n);
      float* to = grid.values.data() + block * grid.values_per_block() + c;
      const Vec3i low = grid.blocks[block] * side;
      for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
          for (int x = 0; x < side; ++x, to += grid.components) *to = view.value(0, low + Vec3i{x, y, z});
    });
  }
  return grid;
}

void from_volume_grid(DiscreteVolume& volume, ChannelId<float> id, const VolumeGrid& grid) {
  const VolumeChannel& channel = volume.channel(id.index);
  if (grid.components != channel.components || grid.staggered != (channel.sampling == Sampling::face))
    throw Error(ExitCode::bad_input,
                fmt::format("volume '{}': it has {} {} components, channel '{}' needs {} {}", grid.name,
                            grid.components, grid.staggered ? "face" : "cell", channel.name, channel.components,
                            channel.sampling == Sampling::face ? "face" : "cell"));
  const Vec3i offset = lattice_offset(grid, volume.voxel_size(id.index));
  std::vector<BucketKey> block_keys, bucket_keys;
  for (const Vec3i b : grid.blocks) {
    if (!addressable({b.x, b.y, b.z, 0}))
      throw Error(ExitCode::bad_input, fmt::format("volume '{}': block ({}, {}, {}) lies beyond the addressable space",
                                                   grid.name, b.x, b.y, b.z));
    block_keys.push_back(key_of({b.x, b.y, b.z, 0}));
    const Vec3i low = b * side + offset, high = low + Vec3i{side - 1, side - 1, side - 1};
    const auto bucket = [&](int v) {
      return static_cast<int>(std::floor(static_cast<double>(v) / channel.resolution));
    };
    for (int z = bucket(low.z); z <= bucket(high.z); ++z)
      for (int y = bucket(low.y); y <= bucket(high.y); ++y)
        for (int x = bucket(low.x); x <= bucket(high.x); ++x)
          if (addressable({x, y, z, 0})) bucket_keys.push_back(key_of({x, y, z, 0}));
  }
  KeyIndex index;
  index.assign(block_keys);
  volume.activate(std::move(bucket_keys));
  auto out = read_write(volume, id);
  for_each_bucket(volume.buckets(), out, [&](int i) {
    const BucketCoord b = volume.buckets().coord(i);
    if (b.level != 0) return;
    const int r = channel.resolution;
    for (int at = 0; at < r * r * r; ++at) {
      const Vec3i v = Vec3i{b.x * r + at % r, b.y * r + at / r % r, b.z * r + at / (r * r)} - offset;
      const Vec3i block = block_of(v);
      const BucketCoord place{block.x, block.y, block.z, 0};
      const int found = addressable(place) ? index.find(key_of(place)) : -1;
      for (int c = 0; c < grid.components; ++c) {
        const std::size_t from = static_cast<std::size_t>(found < 0 ? 0 : found) * grid.values_per_block() +
                                 offset_in_block(v) * static_cast<std::size_t>(grid.components) +
                                 static_cast<std::size_t>(c);
        out.tile(i, c)[at] = found < 0 ? grid.background[static_cast<std::size_t>(c)] : grid.values[from];
      }
    }
  });
}

}  // namespace ymir
