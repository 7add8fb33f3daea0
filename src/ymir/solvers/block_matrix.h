// Symmetric matrix of 3x3 blocks, the lower triangle by block columns: what meshes of nodes assemble into.
//
// Column j holds the blocks starts()[j] .. starts()[j + 1] of rows(), rows ascending, the diagonal first. A block is
// nine values by rows; of a diagonal block all nine are kept, and equal across its diagonal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solvers/sparse_matrix.h"

namespace ymir {

class BlockMatrix {
 public:
  BlockMatrix() = default;
  // Every pair of nodes that share an element; `elements` holds `nodes_each` nodes per element, end to end. Several
  // lists of elements may add to the pattern.
  struct Elements {
    std::span<const std::int32_t> nodes;
    int nodes_each;
  };
  BlockMatrix(std::int32_t nodes, std::span<const Elements> elements);

  std::int32_t nodes() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  std::size_t block_count() const { return rows_.size(); }
  std::span<const std::int32_t> starts() const { return starts_; }
  std::span<const std::int32_t> rows() const { return rows_; }

  // Block of nodes i >= j.
  std::int32_t slot(std::int32_t i, std::int32_t j) const;
  double* block(std::int32_t slot) { return values_.data() + 9 * static_cast<std::size_t>(slot); }
  const double* block(std::int32_t slot) const { return values_.data() + 9 * static_cast<std::size_t>(slot); }
  double* diagonal(std::int32_t node) { return block(starts_[static_cast<std::size_t>(node)]); }
  const double* diagonal(std::int32_t node) const { return block(starts_[static_cast<std::size_t>(node)]); }
  void clear();

  // Unit rows and columns for nodes that are given.
  void hold(std::span<const std::uint8_t> held);

  // y = A x; x and y must not overlap.
  void multiply(const double* x, double* y) const;

 private:
  std::vector<std::int32_t> starts_{0};
  std::vector<std::int32_t> rows_;
  std::vector<double> values_;
};

// The same matrix by scalars: its lower triangle.
std::vector<Triplet> scalar_entries(const BlockMatrix& a);

}  // namespace ymir
