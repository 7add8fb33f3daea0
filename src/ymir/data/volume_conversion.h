// Discrete Volume channels from and to the volumes that files hold.
#pragma once

#include "ymir/data/discrete_volume.h"
#include "ymir/data/volume_grid.h"

namespace ymir {

// This rank's level-0 buckets of a channel of resolution 8 or 16.
VolumeGrid to_volume_grid(const DiscreteVolume& volume, ChannelId<float> id);

// Activates the buckets that the grid's blocks touch and sets the whole channel at level 0: the grid's value or its
// background. The grid must lie on the channel's voxels (same size, a whole number of voxels from the origin), have its
// components and its sampling; otherwise an Error says what to change. Collective; every rank passes the same grid.
void from_volume_grid(DiscreteVolume& volume, ChannelId<float> id, const VolumeGrid& grid);

}  // namespace ymir
