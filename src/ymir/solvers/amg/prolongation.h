// Prolongation by smoothed aggregation: P = (I - w D^-1 A_F) T. T has the near null vectors on every aggregate as its
// columns, A_F is A with weak entries added to the diagonal, D at least the sum of the strong entries of a row, so that
// D^-1 A_F has no eigenvalue above 2 and w = 2/3. [Vanek1996; method notes C, 4]
#pragma once

#include <span>

#include "ymir/solvers/amg/aggregation.h"

namespace ymir::amg {

// Rows with values; one entry of value 1 per row where `starts` is empty (and none where the column is -1).
struct Entries {
  std::vector<Index> starts, columns;
  std::vector<float> values;
  std::size_t bytes() const { return 4 * (starts.size() + columns.size() + values.size()); }
};

// P by rows. Its transpose is not stored: a block of rows adds to the coarse rows it owns, and passes on the few
// entries that belong to other blocks, or to ghosts: coarse rows of other ranks, whose columns follow the own ones.
class Prolongation {
 public:
  Prolongation() = default;
  // first: coarse rows that blocks own, in their order, and the number of all. Entries may have further rows, those of
  // ghosts, that only the product P' A P needs.
  Prolongation(Entries entries, Index rows, std::vector<Index> first);

  Index coarse_rows() const { return first_.back(); }
  Index first(Index block) const { return first_[static_cast<std::size_t>(block)]; }
  const Entries& entries() const { return p_; }

  void add(std::span<const float> coarse, std::span<float> fine) const;  // fine += P coarse
  void transpose(std::span<const float> fine, std::span<float> coarse);  // coarse = P' fine of the rows here
  // body(column, value) for the entries of a row
  template <class F>
  void for_each(Index row, F&& body) const {
    if (p_.starts.empty()) {
      if (const Index column = p_.columns[static_cast<std::size_t>(row)]; column >= 0) body(column, 1.0f);
      return;
    }
    const auto end = static_cast<std::size_t>(p_.starts[static_cast<std::size_t>(row) + 1]);
    for (auto k = static_cast<std::size_t>(p_.starts[static_cast<std::size_t>(row)]); k < end; ++k)
      body(p_.columns[k], p_.values[k]);
  }
  // Entries of other blocks' rows that belong to a coarse row, sorted by it.
  struct Guest {
    Index column, row;
    float value;
  };
  std::span<const Guest> guests(Index block) const {
    const auto b = static_cast<std::size_t>(block);
    return std::span(guests_).subspan(static_cast<std::size_t>(first_guest_[b]),
                                      static_cast<std::size_t>(first_guest_[b + 1] - first_guest_[b]));
  }
  std::span<const Guest> guests_of_ghosts() const {
    return std::span(guests_).subspan(first_guest_.empty() ? 0 : static_cast<std::size_t>(first_guest_.back()));
  }
  std::size_t bytes() const;

 private:
  Entries p_;
  Index rows_ = 0, block_ = 1;
  std::vector<Index> first_{0};
  std::vector<Guest> guests_;
  std::vector<Index> first_guest_;      // of the blocks they go to
  std::vector<Index> places_, passed_;  // in guests_ of what blocks pass on, and where those of a block begin
  std::vector<float> values_;           // of guests_, for transpose
};

// For constants: the rows of P sum up to 1 but for rounding. Beyond the largest entries of a row, the rest goes to its
// own aggregate.
Entries smoothed_constants(const Graph& graph, const Aggregates& aggregates, int most_entries);

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
  Graph view(double limit) const;
};
NodeGraph condensed(const Graph& graph, const std::vector<Index>& nodes);

}  // namespace ymir::amg
