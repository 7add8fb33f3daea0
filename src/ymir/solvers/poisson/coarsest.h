// Direct solve on the coarsest level, at most a few hundred unknowns: dense LDL' in double precision. Closed parts of
// the matrix are singular: the last pivot of each vanishes and its unknown is kept at zero, which leaves the operator
// symmetric and, for right sides without mean over the part, gives the solution up to a constant.
#pragma once

#include <vector>

#include "ymir/solvers/poisson/poisson_level.h"

namespace ymir::poisson {

class CoarsestSolver {
 public:
  // All tiles of the level are on one rank.
  void factor(PoissonLevel& level);
  void solve(PoissonLevel& level);  // b -> x

 private:
  std::vector<std::ptrdiff_t> places_;  // of the unknowns in the level's arrays
  std::vector<double> matrix_;          // L below the diagonal, 1 / D on it
  std::vector<double> work_;
};

}  // namespace ymir::poisson
