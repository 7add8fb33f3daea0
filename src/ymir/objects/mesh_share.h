// The share of a rank in a mesh that ranks divide among them.
//
// Every rank knows the mesh and where all its nodes are; the matrix and the cells, which take the memory and the time,
// are divided. A rank has the rows of its own nodes, and makes them complete by itself: it goes through all cells that
// touch one of them. Cells at the border are therefore gone through by several ranks, with the same results.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/data/solid_mesh.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

// Whether ranks divide a mesh: those of large ones where possible, never, or always where possible.
enum class MeshRanks : std::uint8_t { automatic, one, all };

struct MeshShare {
  Communicator* ranks;
  int lead;                         // the rank that says what is done next
  std::vector<std::int32_t> order;  // nodes of all ranks, rank by rank, ascending in each
  std::vector<std::int32_t> first;  // where those of each rank begin there, and the number of all
  std::vector<std::int32_t> cells;  // that touch a node of this rank, ascending

  std::span<const std::int32_t> nodes() const {
    const auto r = static_cast<std::size_t>(ranks->rank());
    return std::span(order).subspan(static_cast<std::size_t>(first[r]),
                                    static_cast<std::size_t>(first[r + 1] - first[r]));
  }
};

// Collective.
MeshShare share_among(Communicator& ranks, int lead, const SolidMesh& mesh);

}  // namespace ymir
