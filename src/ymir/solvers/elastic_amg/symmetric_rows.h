// Rows of a symmetric matrix of 3x3 blocks that keeps its lower triangle by columns (block_matrix.h): where in it the
// blocks of every whole row are. Rows are independent of each other, so products are parallel and the same bits for any
// number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solvers/block_matrix.h"

namespace ymir::elastic_amg {

using Index = std::int32_t;

class SymmetricRows {
 public:
  SymmetricRows() = default;
  explicit SymmetricRows(const BlockMatrix& pattern);

  Index rows() const { return static_cast<Index>(starts_.size()) - 1; }
  const std::vector<Index>& starts() const { return starts_; }
  const std::vector<Index>& columns() const { return columns_; }  // ascending
  // Block of entry k of row i, nine values: by rows where the column is at most i, by columns beyond.
  const double* block(const BlockMatrix& a, std::size_t k) const { return a.block(slots_[k]); }

  // y = A x; x and y must not overlap.
  void multiply(const BlockMatrix& a, std::span<const double> x, std::span<double> y) const;

 private:
  std::vector<Index> starts_{0}, columns_, slots_;
};

}  // namespace ymir::elastic_amg
