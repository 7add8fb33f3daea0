// Connected components of the unknowns, over faces with c > 0, across tiles and ranks. A component without an open side
// is closed: the matrix is singular there, with the constants as null space, and right sides must have no mean over it.
// [method notes C, 2]
#pragma once

#include <span>

#include "ymir/solvers/poisson/survey.h"

namespace ymir::poisson {

class Components {
 public:
  // Collective.
  void find(const PoissonLevel& fine, const Survey& survey);

  std::int64_t count() const { return count_; }
  std::int64_t closed() const { return static_cast<std::int64_t>(cells_.size()) + isolated_; }

  // A closed component of several cells, as far as it lies in one tile.
  struct Part {
    int tile;
    int component;  // of the closed ones of all ranks
    int bits;       // its cells: an index for cells_of(), or -1 where the tile has no other unknowns
  };
  // In the order of the tiles.
  std::span<const Part> parts() const { return parts_; }
  std::span<const Part> parts_of(int tile) const {
    const auto at = static_cast<std::size_t>(tile);
    return parts().subspan(first_part_[at], first_part_[at + 1] - first_part_[at]);
  }
  const TileBits& cells_of(const Part& part, const PoissonLevel& fine) const {
    return part.bits >= 0 ? bits_[static_cast<std::size_t>(part.bits)]
                          : fine.cells[static_cast<std::size_t>(part.tile)];
  }

  // Mean of every closed component from the sums over its parts. Added in the order of the tiles of all ranks.
  // Collective.
  std::span<const double> means(Communicator& communicator, std::span<const double> sums);

 private:
  struct Contact {  // two components that touch across ranks
    std::int64_t a, b;
  };
  void find_in_tiles(const PoissonLevel& fine, const Survey& survey);
  void join_tiles(const PoissonLevel& fine, const Survey& survey);
  std::vector<Contact> contacts_with_ranks(const PoissonLevel& fine, const Survey& survey, std::int64_t offset);
  void join_ranks(const PoissonLevel& fine, const Survey& survey);
  void collect_parts(const PoissonLevel& fine);
  int root(int id);
  void join(int a, int b);

  // Pieces: components within one tile. Piece p of tile t is first_[t] + p.
  std::vector<int> first_, parent_;
  std::vector<TileBits> pieces_;
  std::vector<char> open_;
  std::vector<int> closed_number_;  // of the component of a piece; -1: open

  std::int64_t count_ = 0, isolated_ = 0;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_part_;  // of a tile
  std::vector<TileBits> bits_;
  std::vector<std::int64_t> cells_;  // per closed component
  std::vector<double> means_;
};

}  // namespace ymir::poisson
