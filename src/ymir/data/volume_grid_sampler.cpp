#include "ymir/data/volume_grid_sampler.h"

#include <cmath>

#include "ymir/base/check.h"

namespace ymir {
namespace {

BucketKey key_of_block(Vec3i block) { return key_of({block.x, block.y, block.z, 0}); }

// Lattice coordinates a block key can address; beyond them only background is found.
constexpr double farthest = bucket_reach * VolumeGrid::block_side - 1;

}  // namespace

VolumeGridSampler::VolumeGridSampler(VolumeGrid grid) : grid_(std::move(grid)) {
  YMIR_CHECK(grid_.components == 1 || grid_.components == 3);
  std::vector<BucketKey> keys;
  for (const Vec3i& block : grid_.blocks) keys.push_back(key_of_block(block));
  blocks_.assign(keys);
}

double VolumeGridSampler::value(Vec3i voxel, int component) const {
  const int block = blocks_.find(key_of_block({voxel.x >> 3, voxel.y >> 3, voxel.z >> 3}));
  if (block < 0) return grid_.background[static_cast<std::size_t>(component)];
  const int in_block = ((voxel.z & 7) * 8 + (voxel.y & 7)) * 8 + (voxel.x & 7);
  return grid_.values[static_cast<std::size_t>(block) * grid_.values_per_block() +
                      static_cast<std::size_t>(in_block * grid_.components + component)];
}

double VolumeGridSampler::interpolate(Vec3d at, int component) const {
  if (!(std::abs(at.x) < farthest && std::abs(at.y) < farthest && std::abs(at.z) < farthest))
    return grid_.background[static_cast<std::size_t>(component)];
  const Vec3d cell{std::floor(at.x), std::floor(at.y), std::floor(at.z)};
  const Vec3d f = at - cell;
  const Vec3i base(cell);
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
    const double weight = (i != 0 ? f.x : 1 - f.x) * (j != 0 ? f.y : 1 - f.y) * (k != 0 ? f.z : 1 - f.z);
    sum += weight * value({base.x + i, base.y + j, base.z + k}, component);
  }
  return sum;
}

Vec3d VolumeGridSampler::sample(Vec3d x) const {
  const Vec3d at = (x - grid_.origin) / grid_.voxel;
  if (grid_.components == 1) return {interpolate(at, 0), 0, 0};
  const double shift = grid_.staggered ? 0.5 : 0;  // component i sits half a voxel below the centre along axis i
  return {interpolate({at.x + shift, at.y, at.z}, 0), interpolate({at.x, at.y + shift, at.z}, 1),
          interpolate({at.x, at.y, at.z + shift}, 2)};
}

Box VolumeGridSampler::bounds() const {
  Box box;
  for (const Vec3i& b : grid_.blocks) {
    const Vec3d low = grid_.origin + (Vec3d(b) * VolumeGrid::block_side - Vec3d{0.5, 0.5, 0.5}) * grid_.voxel;
    box.include(low);
    box.include(low + Vec3d{1, 1, 1} * (VolumeGrid::block_side * grid_.voxel));
  }
  return box;
}

}  // namespace ymir
