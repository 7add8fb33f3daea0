#include "ymir/solids/condensed_block.h"

#include <algorithm>

namespace ymir {

void DensePart::visit_blocks(const BlockVisitor& visit) const {
  for (std::int32_t j = 0; j < nodes(); ++j)
    for (std::int32_t i = j; i < nodes(); ++i) {
      double block[9] = {};
      for (int k = 0; k < 9; ++k) {
        const auto r = static_cast<std::size_t>(3 * i + k / 3), c = static_cast<std::size_t>(3 * j + k % 3);
        if (r < size_ && c < size_) block[k] = values_[r * size_ + c];
      }
      visit(i, j, block);
    }
}

CondensedBlock::CondensedBlock(Condensable& block, std::size_t size, std::vector<Ports> pieces)
    : block_(&block), pieces_(std::move(pieces)) {
  for (const Ports& piece : pieces_) {
    rows_.insert(rows_.end(), piece.rows.begin(), piece.rows.end());
    matrices_.emplace_back(piece.rows.size());
    sides_.emplace_back(piece.rows.size());
  }
  for (auto* vector : {&b_, &r_, &z_, &product_, &moved_}) vector->resize(size);
}

void CondensedBlock::solve_inside(std::span<const double> whole) {
  std::copy(whole.begin(), whole.end(), r_.begin());
  for (const std::size_t row : rows_) r_[row] = 0;
  block_->solve(r_.data(), z_.data());
  for (const std::size_t row : rows_) z_[row] = 0;
}

bool CondensedBlock::condense(bool definite) {
  if (definite && !block_->factor()) return false;
  if (!block_->factor_without(rows_)) return false;
  std::size_t most = 0;
  for (const Ports& piece : pieces_) most = std::max(most, piece.rows.size());
  for (std::size_t k = 0; k < most; ++k) {
    std::fill(moved_.begin(), moved_.end(), 0.0);
    for (const Ports& piece : pieces_)
      if (k < piece.rows.size()) moved_[piece.rows[k]] = 1;
    block_->product(moved_.data(), product_.data());
    solve_inside(product_);
    for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] -= z_[i];
    block_->product(moved_.data(), product_.data());
    for (std::size_t p = 0; p < pieces_.size(); ++p)
      if (const auto& rows = pieces_[p].rows; k < rows.size())
        for (std::size_t i = 0; i < rows.size(); ++i) matrices_[p].at(i, k) = product_[rows[i]];
  }
  // Symmetric but for round-off.
  for (DensePart& b : matrices_)
    for (std::size_t i = 0; i < b.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) b.at(i, k) = b.at(k, i) = 0.5 * (b.at(i, k) + b.at(k, i));
  return true;
}

void CondensedBlock::set_side(const double* b) {
  std::copy_n(b, b_.size(), b_.begin());
  solve_inside(b_);
  block_->product(z_.data(), product_.data());
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    for (std::size_t k = 0; k < pieces_[p].rows.size(); ++k) {
      const std::size_t row = pieces_[p].rows[k];
      sides_[p][k] = b_[row] - product_[row];
    }
}

void CondensedBlock::expand(std::span<const double> ports, double* x) {
  std::fill(moved_.begin(), moved_.end(), 0.0);
  for (std::size_t k = 0; k < rows_.size(); ++k) moved_[rows_[k]] = ports[k];
  block_->product(moved_.data(), product_.data());
  for (std::size_t i = 0; i < product_.size(); ++i) product_[i] = b_[i] - product_[i];
  solve_inside(product_);
  for (std::size_t i = 0; i < moved_.size(); ++i) x[i] = z_[i] + moved_[i];
}

}  // namespace ymir
