// Objects of a cached frame as meshes, for the exchange formats.
#pragma once

#include "ymir/data/frame.h"
#include "ymir/data/meshes.h"

namespace ymir {

// The object's kind must be "points", "curves" or "surface" respectively. Channels come along to the place they live
// on. An object without the channels its kind promises (data/frame.h), or with other counts than its places have, is an
// Error(bad_input).
Points points_of(const ObjectState& object);
Curves curves_of(const ObjectState& object);
Surface surface_of(const ObjectState& object);

}  // namespace ymir
