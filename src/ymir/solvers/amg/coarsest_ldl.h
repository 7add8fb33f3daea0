// Dense LDL' of the coarsest matrix in double precision. Where it is singular (constants on a closed part) a pivot
// vanishes and its unknown stays at zero: the operator remains symmetric, and right sides without mean over the part
// get their solution up to a constant.
#pragma once

#include <vector>

#include "ymir/solvers/amg/level.h"

namespace ymir::amg {

class CoarsestLdl {
 public:
  void factor(const Level& level);
  void solve(Level& level);  // b -> x
  void clear() { matrix_.clear(), work_.clear(); }
  bool empty() const { return matrix_.empty(); }
  std::size_t bytes() const { return 8 * (matrix_.size() + work_.size()); }

 private:
  std::vector<double> matrix_;  // L below the diagonal, 1 / D on it
  std::vector<double> work_;
};

}  // namespace ymir::amg
