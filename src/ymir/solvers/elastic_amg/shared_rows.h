// Rows of a symmetric matrix of 3x3 blocks that ranks share: every rank has some whole rows, its own columns first and
// in order, then ghosts (amg/halo.h).
#pragma once

#include <span>
#include <vector>

#include "ymir/solvers/elastic_amg/block_level.h"

namespace ymir::elastic_amg {

class SharedRows {
 public:
  // columns: of each row ascending, numbered by `numbers`. Collective.
  SharedRows(Communicator& communicator, std::vector<Index> starts, std::vector<Index> columns,
             const amg::GhostNumbers& numbers);

  Index rows() const { return static_cast<Index>(starts_.size()) - 1; }
  const std::vector<Index>& starts() const { return starts_; }
  const std::vector<Index>& columns() const { return columns_; }
  double* block(Index k) { return values_.data() + 9 * at(k); }  // by rows
  const double* block(Index k) const { return values_.data() + 9 * at(k); }
  Communicator& communicator() const { return halo_.communicator(); }
  const amg::GhostNumbers& numbers() const { return numbers_; }

  // y = A x, of the rows here. Collective.
  void multiply(std::span<const double> x, std::span<double> y);
  // Sum over the rows of all ranks. Collective.
  double inner(std::span<const double> a, std::span<const double> b) const;

 private:
  std::vector<Index> starts_, columns_;
  std::vector<double> values_;
  amg::GhostNumbers numbers_;
  GhostNodes halo_;
  std::vector<double> x_;  // with ghosts
};

}  // namespace ymir::elastic_amg
