// Rows that ranks make for one another while a coarser level is built.
#pragma once

#include <vector>

#include "ymir/solvers/amg/halo.h"
#include "ymir/solvers/amg/prolongation.h"

namespace ymir::amg {

// Aggregates of ghosts behind those of the rows, as columns of the coarser level. Collective.
void append_ghosts(Halo& fine, Aggregates& aggregates, GhostNumbers& coarse);

// Rows of P of ghosts, from their owners. Collective.
void append_ghosts(Halo& fine, Entries& p, GhostNumbers& coarse);

// A part of an entry of a coarse row, or of the row's sum.
struct CoarseEntry {
  static constexpr Index row_sum = -1;
  Index row, column;
  double value;
};
// The shares made by other ranks in the rows here, sorted by row, those of one in the order of the ranks. Collective.
std::vector<CoarseEntry> exchanged(Communicator& communicator, const std::vector<std::vector<CoarseEntry>>& made,
                                   GhostNumbers& numbers);

}  // namespace ymir::amg
