// Rows over ranks: rank r holds rows first_rows[r] .. first_rows[r + 1] of all. A matrix by rows there has columns that
// are its own rows (0 .. rows) and, behind them, ghosts: rows of other ranks that it touches.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "ymir/parallel/communicator.h"
#include "ymir/solvers/amg/aggregation.h"

namespace ymir::amg {

// Where the rows of every rank begin, and the number of all. Collective.
std::vector<Index> first_rows_of(Communicator& communicator, Index rows);
int owner_of(std::span<const Index> first_rows, Index row);

// Numbers the columns of a rank, ghosts as they come up.
class GhostNumbers {
 public:
  GhostNumbers(std::vector<Index> first_rows, int rank, std::span<const Index> known = {});
  Index local(Index row);  // of a row of all
  Index global(Index column) const {
    return column < rows_ ? first_ + column : ghosts_[static_cast<std::size_t>(column - rows_)];
  }
  Index columns() const { return rows_ + static_cast<Index>(ghosts_.size()); }
  const std::vector<Index>& first_rows() const { return first_rows_; }
  const std::vector<Index>& ghosts() const { return ghosts_; }

 private:
  std::vector<Index> first_rows_;
  Index first_, rows_;
  std::vector<Index> ghosts_;
  std::unordered_map<Index, Index> number_;
};

// Brings values to ghosts, and back.
class Halo {
 public:
  // Collective, as are fetch() and add_back().
  Halo(Communicator& communicator, const GhostNumbers& numbers);
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  Communicator& communicator() const { return *communicator_; }
  const std::vector<Index>& first_rows() const { return first_rows_; }
  Index all_rows() const { return first_rows_.back(); }
  const std::vector<Index>& ghosts() const { return ghosts_; }  // their rows of all
  Index count() const { return static_cast<Index>(ghosts_.size()); }
  GhostNumbers numbers() const { return {first_rows_, communicator_->rank(), ghosts_}; }

  // Owners' values to ghosts.
  void fetch(const float* own, float* ghosts) { fetch_values(own, ghosts); }
  void fetch(const double* own, double* ghosts) { fetch_values(own, ghosts); }
  void fetch(const Index* own, Index* ghosts) { fetch_values(own, ghosts); }
  // Owners add what ghosts hold, in the order of the ranks.
  void add_back(const float* ghosts, float* own);

  // In the order of the ranks; both sides have the rows between them in the same order.
  struct Neighbour {
    int rank;
    std::vector<Index> sent, received;  // own rows, and places among the ghosts
  };
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  std::size_t bytes() const;

 private:
  using Repeated = std::unique_ptr<Communicator::RepeatedExchange>;
  template <class T>
  void fetch_values(const T* own, T* ghosts);
  Repeated messages(std::size_t size, bool back);

  Communicator* communicator_;
  std::vector<Index> first_rows_, ghosts_;
  std::vector<Neighbour> neighbours_;
  Bytes sent_, received_;  // buffers of all neighbours, for values of up to 8 bytes
  Repeated fetch4_, fetch8_, back4_;
};

}  // namespace ymir::amg
