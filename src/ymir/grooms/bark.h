// Where branches leave the trunks they are drawn into.
#pragma once

#include "ymir/data/meshes.h"

namespace ymir {

// Branches that begin inside a closed surface begin on it: what is inside is the trunk's. Skeletons are drawn from axis
// to axis, and wood counted twice would hang in the trunk by a few of its nodes. Of channels only radii are kept;
// strands that never come out are left out, and counted.
Curves begun_at_bark(const Curves& curves, const Surface& trunks, std::size_t& inside);

}  // namespace ymir
