// What Objects keep of a Strand System: in checkpoints, and back from them on any number of ranks.
#pragma once

#include <string>
#include <vector>

#include "ymir/data/frame.h"
#include "ymir/data/strand_system.h"
#include "ymir/pipeline/channel.h"

namespace ymir {

// The channels strand, vertices, home, tie and values. strands: nullptr for documentation. The texts say what a vertex
// and its values are.
void add_strand_channels(std::vector<Channel>& to, const StrandSystem* strands, std::string vertices,
                         std::string values);
// What the order of `values` means, so that a changed setup does not take one channel for another. Collective.
std::int64_t layout_of(const StrandSystem& strands);
// From those channels of a checkpoint; Error(bad_input) where they do not fit.
std::vector<Strand> stored_strands(const StrandSystem& strands, const ObjectState& whole, const std::string& owner);

}  // namespace ymir
