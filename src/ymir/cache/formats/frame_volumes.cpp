#include "ymir/cache/formats/frame_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

[[noreturn]] void refuse(const ObjectState& object, const std::string& what) {
  throw Error(ExitCode::bad_input, object.name + ": " + what + "; run the simulation again");
}

template <class T>
const T* attribute(const ObjectState& object, const std::string& name) {
  const auto found = object.attributes.find(name);
  return found == object.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

// One block of 8^3 voxels, cut out of a bucket of `side`^3.
struct BlockSource {
  Vec3i block;
  std::size_t first;  // value of the bucket it begins with
};

VolumeGrid grid_of(const ObjectState& object, const std::string& name, const Array& array, int side, double bucket_size,
                   std::span<const Vec3i> buckets) {
  constexpr int block = VolumeGrid::block_side;
  VolumeGrid grid;
  grid.name = name;
  grid.components = array.components();
  grid.voxel = bucket_size / side;
  grid.origin = Vec3d(1, 1, 1) * (0.5 * grid.voxel);
  const auto components = static_cast<std::size_t>(grid.components);
  const auto voxels = static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  const auto* values = reinterpret_cast<const float*>(array.bytes().data());
  const int blocks = side / block;
  const auto copy_block = [&](std::size_t first, float* to) {
    for (int k = 0; k < block; ++k)
      for (int j = 0; j < block; ++j) {
        const auto row = static_cast<std::size_t>((k * side + j) * side) * components;
        to = std::copy_n(values + first + row, block * grid.components, to);
      }
  };
  std::vector<BlockSource> sources;
  std::vector<float> copy(grid.values_per_block());
  for (std::size_t b = 0; b < buckets.size(); ++b)
    for (int n = 0; n < blocks * blocks * blocks; ++n) {
      const Vec3i within(n % blocks, n / blocks % blocks, n / (blocks * blocks));
      const auto corner = static_cast<std::size_t>(((within.z * side + within.y) * side + within.x) * block);
      const std::size_t first = (b * voxels + corner) * components;
      copy_block(first, copy.data());
      if (std::all_of(copy.begin(), copy.end(), [](float v) { return v == 0; })) continue;
      const auto bad = std::find_if(copy.begin(), copy.end(), [](float v) { return !std::isfinite(v); });
      if (bad != copy.end()) refuse(object, fmt::format("the channel {} holds a value that is not finite", name));
      sources.push_back({buckets[b] * blocks + within, first});
    }
  const auto key = [](const BlockSource& s) { return std::tuple(s.block.z, s.block.y, s.block.x); };
  std::sort(sources.begin(), sources.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  grid.values.resize(sources.size() * grid.values_per_block());
  for (std::size_t s = 0; s < sources.size(); ++s) {
    grid.blocks.push_back(sources[s].block);
    copy_block(sources[s].first, grid.values.data() + s * grid.values_per_block());
  }
  return grid;
}

}  // namespace

std::vector<VolumeGrid> volumes_of(const ObjectState& object) {
  YMIR_CHECK(object.kind == "volume");
  const auto bucket = object.channels.find("bucket");
  const double* bucket_size = attribute<double>(object, "bucket_size");
  if (bucket == object.channels.end() || !bucket->second.holds<Vec3i>() || bucket_size == nullptr ||
      !(*bucket_size > 0) || !std::isfinite(*bucket_size))
    refuse(object, "the frame does not say where its voxels are");
  const auto buckets = bucket->second.as<Vec3i>();
  constexpr int limit = std::numeric_limits<int>::max() / 1024;  // voxels are numbered in 32 bits
  for (const Vec3i& b : buckets)
    for (int axis = 0; axis < 3; ++axis)
      if (b[axis] > limit || b[axis] < -limit) refuse(object, "a voxel lies too far out");
  std::vector<VolumeGrid> grids;
  for (const auto& [name, array] : object.channels) {
    if (array.place != Place::voxel || array.type() != ScalarType::f32 ||
        (array.components() != 1 && array.components() != 3))
      continue;
    const std::int64_t* side = attribute<std::int64_t>(object, name + ".resolution");
    if (side == nullptr || *side < VolumeGrid::block_side || *side > 64 || *side % VolumeGrid::block_side != 0 ||
        array.count() != buckets.size() * static_cast<std::size_t>(*side * *side * *side))
      refuse(object, fmt::format("the channel {} does not fill its voxels", name));
    grids.push_back(grid_of(object, name, array, static_cast<int>(*side), *bucket_size, buckets));
  }
  return grids;
}

}  // namespace ymir
