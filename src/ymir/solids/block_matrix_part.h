// A matrix of 3x3 blocks as part of a larger one.
#pragma once

#include "ymir/solids/matrix_part.h"
#include "ymir/solvers/block_matrix.h"

namespace ymir {

class BlockMatrixPart final : public MatrixPart {
 public:
  explicit BlockMatrixPart(const BlockMatrix& matrix) : matrix_(&matrix) {}

  std::size_t size() const override { return 3 * static_cast<std::size_t>(matrix_->nodes()); }
  std::int32_t nodes() const override { return matrix_->nodes(); }
  void visit_blocks(const BlockVisitor& visit) const override {
    for (std::int32_t j = 0; j < matrix_->nodes(); ++j)
      for (std::int32_t e = matrix_->starts()[static_cast<std::size_t>(j)];
           e < matrix_->starts()[static_cast<std::size_t>(j) + 1]; ++e)
        visit(matrix_->rows()[static_cast<std::size_t>(e)], j, matrix_->block(e));
  }
  bool indefinite() const override { return false; }

 private:
  const BlockMatrix* matrix_;
};

}  // namespace ymir
