// The matrix of a block of this rank for the whole system: as it is, or condensed to the rows that couplings act on,
// where these are few.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ymir/solids/condensed_block.h"
#include "ymir/solids/matrix_source.h"

namespace ymir {

class MemberMatrix final : public MatrixSource {
 public:
  // ports: rows that couplings act on, by piece, ascending.
  MemberMatrix(MatrixPart& block, std::vector<CondensedBlock::Ports> ports);

  bool condensed() const { return condensed_.has_value(); }
  // Where it is condensed, with the values of the block as they are now. False: it cannot be.
  bool condense(bool definite) { return !condensed_ || condensed_->condense(definite); }
  void set_side(const double* b);                           // of all unknowns
  void expand();                                            // all parts are taken
  std::span<const double> whole() const { return whole_; }  // the solution, then

  std::size_t parts() const override { return condensed_ ? condensed_->pieces().size() : 1; }
  const MatrixPart& part(std::size_t part) const override;
  std::int64_t piece_of(std::size_t part) const override;
  Place place_of(std::size_t row) const override;
  void right_side(std::size_t part, double* b) override;
  void take(std::size_t part, const double* x) override;

 private:
  std::size_t first_port(std::size_t part) const;

  MatrixPart* block_;
  std::int64_t first_piece_;
  std::optional<CondensedBlock> condensed_;
  std::vector<double> at_ports_;  // of those that the block is condensed to
  std::vector<double> whole_;     // of all unknowns: right side, then solution
};

}  // namespace ymir
