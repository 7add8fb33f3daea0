// What the home of an island asks of a rank that has some of its clusters (remote_clusters.h asks, lent_clusters.h
// answers). A request is a message that begins with one of these.
#pragma once

#include <cstdint>

namespace ymir {

enum class IslandRequest : std::uint8_t {
  begin,         // the substep; -> nodes of the clusters, what contacts follow
  assemble,      // and judge; -> residuals, ways of the nodes
  prepare,       // another step; -> whether there are factors
  solve,         // vectors of nodes of some clusters; -> the same solved
  solve_metric,  // likewise
  factor,        // masses of nodes of some clusters; -> whether there are factors
  solve_many,    // vectors of nodes of one cluster; -> the same solved
  move,          // impulses on the nodes
  end,
};

}  // namespace ymir
