#include "ymir/solvers/elastic_amg/block_level.h"

namespace ymir::elastic_amg {
namespace {

// The same numbers for the unknowns of every node.
amg::GhostNumbers widened(const amg::GhostNumbers& numbers, int rank, Index width) {
  std::vector<Index> first = numbers.first_rows();
  for (Index& row : first) row *= width;
  amg::GhostNumbers wide(std::move(first), rank);
  for (const Index node : numbers.ghosts())
    for (Index c = 0; c < width; ++c) wide.local(width * node + c);
  return wide;
}

}  // namespace

GhostNodes::GhostNodes(Communicator& communicator, const amg::GhostNumbers& numbers, Index width)
    : nodes_(communicator, numbers), scalars_(communicator, widened(numbers, communicator.rank(), width)) {}

}  // namespace ymir::elastic_amg
