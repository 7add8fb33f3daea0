// A sparse volume as exchanged with files: dense blocks of 8^3 voxels over a constant background.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir {

struct VolumeGrid {
  static constexpr int block_side = 8;
  static constexpr std::size_t block_voxels = 512;

  std::string name;
  int components = 1;      // 1 or 3
  bool staggered = false;  // component i lies on the lower i-face of its voxel instead of the centre
  double voxel = 1;        // edge length [m]
  Vec3d origin;            // centre of voxel (0, 0, 0) [m]: voxel v has its centre at origin + voxel * v
  std::array<float, 3> background{};

  // Block b covers voxels 8 b ... 8 b + 7 per axis. Sorted by z, then y, then x; no block occurs twice.
  std::vector<Vec3i> blocks;
  // block_voxels * components values per block, x fastest, the components of a voxel side by side.
  std::vector<float> values;

  std::size_t values_per_block() const { return block_voxels * static_cast<std::size_t>(components); }
};

}  // namespace ymir
