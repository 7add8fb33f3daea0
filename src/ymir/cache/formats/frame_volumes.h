// Gas of a cached frame as the volumes that files hold.
#pragma once

#include <vector>

#include "ymir/data/frame.h"
#include "ymir/data/volume_grid.h"

namespace ymir {

// A grid per channel of one or three components, values at voxel centres, over a background of 0; blocks of nothing but
// zeros are left out. The object's kind must be "volume"; Error(bad_input) when its channels are not what it says.
std::vector<VolumeGrid> volumes_of(const ObjectState& object);

}  // namespace ymir
