// Values of a VolumeGrid at any point: trilinear between voxel centres, the background where no block is stored.
#pragma once

#include "ymir/data/bucket_set.h"
#include "ymir/data/volume_grid.h"
#include "ymir/math/box.h"

namespace ymir {

class VolumeGridSampler {
 public:
  explicit VolumeGridSampler(VolumeGrid grid);

  // x in [m]; of a grid of one component, that one and zeros.
  Vec3d sample(Vec3d x) const;
  Box bounds() const;  // of the stored blocks [m]

 private:
  double value(Vec3i voxel, int component) const;
  double interpolate(Vec3d at, int component) const;  // at in voxels

  VolumeGrid grid_;
  KeyIndex blocks_;
};

}  // namespace ymir
