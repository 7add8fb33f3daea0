// Guides: few strands of a groom that stand for all of it.
//
// Strands are compared by root and shape: the distance of two strands is the root mean square distance of their points
// at equal fractions of their lengths, the root counting as much as all others together. Guides are spread by farthest
// points first and then moved to the middle of the strands they stand for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

struct GuideSelection {
  std::vector<std::int64_t> strands;  // of the groom, ascending
  double mean_distance = 0;           // from a strand to the guide nearest to it [m]
  double max_distance = 0;            // [m]
};

// The same strands for any number of threads. Strands without length are never guides and not counted. Throws
// Error(bad_input), naming the groom, when it has fewer than `count` strands with a length.
GuideSelection select_guides(const Curves& groom, std::int64_t count, const std::string& name);

// The chosen strands, complete with their channels.
Curves strands_of(const Curves& curves, std::span<const std::int64_t> strands);

}  // namespace ymir
