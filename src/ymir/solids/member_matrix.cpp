#include "ymir/solids/member_matrix.h"

#include <algorithm>

#include "ymir/base/check.h"

namespace ymir {
namespace {

bool worth_condensing(const MatrixPart& block, std::span<const CondensedBlock::Ports> ports) {
  const std::size_t most =
      block.indefinite() ? CondensedBlock::most_ports_with_multipliers : CondensedBlock::most_ports;
  std::size_t total = 0;
  for (const CondensedBlock::Ports& piece : ports) {
    if (piece.rows.size() > most) return false;
    total += piece.rows.size();
  }
  return !ports.empty() && (2 * total <= block.size() || block.indefinite());
}

}  // namespace

MemberMatrix::MemberMatrix(MatrixPart& block, std::vector<CondensedBlock::Ports> ports)
    : block_(&block), first_piece_(ports.empty() ? 0 : ports.front().piece), whole_(block.size()) {
  if (block.condensable() == nullptr || !worth_condensing(block, ports)) return;
  for (const CondensedBlock::Ports& piece : ports) at_ports_.resize(at_ports_.size() + piece.rows.size());
  condensed_.emplace(*block.condensable(), block.size(), std::move(ports));
}

void MemberMatrix::set_side(const double* b) {
  if (condensed_)
    condensed_->set_side(b);
  else
    std::copy_n(b, whole_.size(), whole_.begin());
}

void MemberMatrix::expand() {
  if (condensed_) condensed_->expand(at_ports_, whole_.data());
}

const MatrixPart& MemberMatrix::part(std::size_t part) const {
  return condensed_ ? static_cast<const MatrixPart&>(condensed_->matrix(part)) : *block_;
}

std::int64_t MemberMatrix::piece_of(std::size_t part) const {
  return condensed_ ? condensed_->pieces()[part].piece : first_piece_;
}

MatrixSource::Place MemberMatrix::place_of(std::size_t row) const {
  if (!condensed_) return {0, block_->slot(row)};
  const auto& pieces = condensed_->pieces();
  for (std::size_t part = 0; part < pieces.size(); ++part) {
    const auto& rows = pieces[part].rows;
    const auto found = std::lower_bound(rows.begin(), rows.end(), row);
    if (found != rows.end() && *found == row) return {part, static_cast<std::int32_t>(found - rows.begin())};
  }
  YMIR_CHECK(false);
  return {};
}

std::size_t MemberMatrix::first_port(std::size_t part) const {
  std::size_t first = 0;
  for (std::size_t p = 0; p < part; ++p) first += condensed_->pieces()[p].rows.size();
  return first;
}

void MemberMatrix::right_side(std::size_t part, double* b) {
  if (condensed_) {
    std::copy(condensed_->right_side(part).begin(), condensed_->right_side(part).end(), b);
    return;
  }
  for (std::size_t row = 0; row < whole_.size(); ++row) b[block_->slot(row)] = whole_[row];
}

void MemberMatrix::take(std::size_t part, const double* x) {
  if (condensed_) {
    std::copy_n(x, condensed_->pieces()[part].rows.size(), at_ports_.data() + first_port(part));
    return;
  }
  for (std::size_t row = 0; row < whole_.size(); ++row) whole_[row] = x[block_->slot(row)];
}

}  // namespace ymir
