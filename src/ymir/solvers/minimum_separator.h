// Smallest separators by maximum flow: as many paths from one side to the other that share no node as there are nodes
// in the smallest set that separates the two [Menger 1927], found by blocking flows [Dinic 1970].
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/solvers/nested_dissection.h"

namespace ymir {

// `sides`: 0 or 1 for nodes that stay where they are, 2 for those the separator may be made of; no edge leads from 0 to
// 1. Results likewise, 2 being the separator: of all smallest ones that nearest to side 0 and that nearest to side 1.
struct MinimumSeparators {
  std::vector<std::int8_t> near[2];
};
MinimumSeparators minimum_separators(const Graph& graph, const std::vector<std::int8_t>& sides);

}  // namespace ymir
