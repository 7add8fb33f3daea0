// The points beside the axis of strands that contacts pull at where strands turn and roll, from a group's state when
// the substep begins.
#pragma once

#include <vector>

#include "ymir/objects/strand_step.h"
#include "ymir/solvers/nodal_contact/edge_arms.h"

namespace ymir {

// One for each vertex; without a length where there is no edge, or it has no thickness.
std::vector<EdgeArms::Edge> strand_arms(const StrandSystem& strands, const RodChannels& channels, int group);

}  // namespace ymir
