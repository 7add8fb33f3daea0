// Elimination orders of a graph that keep a Cholesky factor sparse.
//
// Nested dissection [George 1973]: a small set of nodes that separates the rest into two halves is eliminated last, the
// halves are ordered likewise. The graph is shrunk by matching neighbours [Karypis, Kumar 1998] and its small image
// laid out by the slowest modes of diffusion [Pothen, Simon, Liou 1990], which are smoothed on the way back; the best
// cut across them is refined by moves of single nodes [Fiduccia, Mattheyses 1982; Ashcraft, Liu 1997 for separators],
// then replaced by the smallest separator near it (minimum_separator.h). Small parts are ordered by minimum degree
// [Amestoy, Davis, Duff 1996].
//
// The order depends on the graph alone, not on the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ymir {

// Undirected: each edge is listed at both of its ends; no loops.
struct Graph {
  std::vector<std::int32_t> starts{0};
  std::vector<std::int32_t> neighbours;

  std::int32_t nodes() const { return static_cast<std::int32_t>(starts.size()) - 1; }
  std::span<const std::int32_t> of(std::int32_t node) const {
    const auto i = static_cast<std::size_t>(node);
    return {neighbours.data() + starts[i], neighbours.data() + starts[i + 1]};
  }
};

// order[k]: the node to eliminate k-th.
std::vector<std::int32_t> nested_dissection(const Graph& graph);
std::vector<std::int32_t> minimum_degree(const Graph& graph);

}  // namespace ymir
