// A block seen from the few rows that couplings act on, its ports: all other unknowns are eliminated.
//
//   B = A_pp - A_pn A_nn^-1 A_np,   c = b_p - A_pn A_nn^-1 b_n        p: ports, n: the rest
//
// Pieces of the block are independent: each has its own ports, its own dense B, and one pass of the block's solver
// serves one port of every piece. [Schur complement; static condensation, Guyan 1965]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solids/condensable.h"
#include "ymir/solids/matrix_part.h"

namespace ymir {

// Dense symmetric matrix, packed three rows to a node.
class DensePart final : public MatrixPart {
 public:
  explicit DensePart(std::size_t size) : size_(size), values_(size * size, 0) {}
  double& at(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

  std::size_t size() const override { return size_; }
  std::int32_t nodes() const override { return static_cast<std::int32_t>((size_ + 2) / 3); }
  void visit_blocks(const BlockVisitor& visit) const override;
  bool indefinite() const override { return false; }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

class CondensedBlock {
 public:
  struct Ports {
    std::int64_t piece;
    std::vector<std::size_t> rows;  // ascending
  };
  static constexpr std::size_t most_ports = 24;  // of a piece; with more, little is gained
  // The same of blocks with multipliers: the whole system stays positive definite without them.
  static constexpr std::size_t most_ports_with_multipliers = 300;

  CondensedBlock(Condensable& block, std::size_t size, std::vector<Ports> pieces);

  const std::vector<Ports>& pieces() const { return pieces_; }
  // The matrix of the block as it is now. definite: it is made so first. False: it cannot be factored.
  bool condense(bool definite);
  void set_side(const double* b);  // of all unknowns
  const DensePart& matrix(std::size_t piece) const { return matrices_[piece]; }
  std::span<const double> right_side(std::size_t piece) const { return sides_[piece]; }
  // From the ports' unknowns, piece after piece, to those of the block.
  void expand(std::span<const double> ports, double* x);

 private:
  // z_n = A_nn^-1 whole_n, and 0 at the ports.
  void solve_inside(std::span<const double> whole);

  Condensable* block_;
  std::vector<Ports> pieces_;
  std::vector<std::size_t> rows_;  // of all ports
  std::vector<DensePart> matrices_;
  std::vector<std::vector<double>> sides_;
  std::vector<double> b_, r_, z_, product_, moved_;
};

}  // namespace ymir
