// Sparse LU of matrices on W's pattern, in 3x3 blocks: B W + A + shift B, with B and A block diagonal. Minimum degree
// ordering; pivots are 3x3 blocks, none are exchanged. Row by row: what is left of a row is subtracted from those
// before it, in a dense row of blocks. Rows whose B is zero (open contacts) have no elimination and cost nothing.
#pragma once

#include "ymir/solvers/coulomb/system.h"

namespace ymir::coulomb {

class BlockLu {
 public:
  explicit BlockLu(const System& system);

  // False where a pivot is singular or the factors are not finite.
  bool factor(const std::vector<Block>& b, const std::vector<Block>& a, double shift);
  // x = (B W + A + shift B)^-1 rhs; x may be rhs.
  void solve(const Vector& rhs, Vector& x);
  // Products of blocks in a factorisation of all contacts.
  double work() const;
  std::int64_t fill() const { return static_cast<std::int64_t>(lower_columns_.size() + upper_columns_.size()); }

 private:
  void order();
  void find_pattern();
  void allocate();
  void scatter(std::int32_t row, const Block& b, const Block& a, double shift);

  const System* system_;
  std::vector<std::int32_t> natural_, place_;  // contact at a place of the ordering, and the other way round
  std::vector<std::int64_t> lower_starts_, upper_starts_;
  std::vector<std::int32_t> lower_columns_, upper_columns_;  // places, ascending
  std::vector<Block> lower_, upper_, inverse_;               // inverse: of pivots
  std::vector<std::uint8_t> alone_;                          // rows without blocks beside the diagonal
  std::vector<Block> work_;
  Vector y_;
};

}  // namespace ymir::coulomb
