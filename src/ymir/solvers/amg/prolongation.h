// Prolongation by smoothed aggregation: P = (I - w D^-1 A_F) T. T has the near null vectors on every aggregate as its
// columns, A_F is A with weak entries added to the diagonal, D at least the sum of the strong entries of a row, so that
// D^-1 A_F has no eigenvalue above 2 and w = 2/3. [Vanek1996; method notes C, 4]
#pragma once

#include <span>

#include "ymir/solvers/amg/level.h"

namespace ymir::amg {

// For constants: the rows of P sum up to 1 exactly but for rounding. At most four entries per row.
Entries smoothed_constants(const Graph& graph, const Aggregates& aggregates);

// Near null vectors of a level: `columns` values per row.
struct NearNullSpace {
  int columns = 0;
  std::vector<double> values;
};

// For given vectors, orthonormal on each aggregate of nodes (`nodes`: first rows of nodes, empty where each row is
// one). Columns that vanish on an aggregate are left out. Replaces `vectors` and `nodes` by those of the coarser level.
Entries smoothed_vectors(const Graph& graph, const Aggregates& aggregates, NearNullSpace& vectors,
                         std::vector<Index>& nodes);

// The graph between nodes: squares of entries summed over the blocks of a matrix.
struct NodeGraph {
  std::vector<Index> starts, columns;
  std::vector<float> values, diagonal;
  Graph view(float threshold) const;
};
NodeGraph condensed(const Graph& graph, const std::vector<Index>& nodes);

Entries transposed(const Entries& p, Index columns);

}  // namespace ymir::amg
