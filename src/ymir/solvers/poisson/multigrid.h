// One multigrid cycle as a preconditioner: V(2,2) with red-black Gauss-Seidel, colours reversed after the coarse
// correction so that it is symmetric, from x = 0, in single precision. [method notes C, 3]
#pragma once

#include "ymir/solvers/poisson/coarsest.h"
#include "ymir/solvers/poisson/survey.h"

namespace ymir::poisson {

enum class Cycle {
  v,
  w,  // coarser levels are visited twice: walls thinner than a coarse cell, light bubbles
};

class Multigrid {
 public:
  // Levels above `fine`, whose survey was just made. New tiles: all levels are built anew. Collective.
  void build(PoissonLevel& fine, const Survey& survey, bool new_tiles);

  // x = M b on the finest level, and the sums of b x over each of its tiles. Collective.
  void apply(Cycle cycle);
  // The same with M = 1 / diagonal.
  void apply_jacobi();
  const std::vector<double>& products() const { return products_; }

  std::size_t bytes() const;  // of the coarser levels, on this rank
  int levels() const { return static_cast<int>(coarser_.size()) + 1; }

 private:
  PoissonLevel& level(int l) { return l == 0 ? *fine_ : *coarser_[static_cast<std::size_t>(l - 1)]; }
  void visit(int l, Cycle cycle, bool from_zero);
  void smooth_and_restrict(PoissonLevel& fine, PoissonLevel& coarse, bool from_zero);
  void prolong_and_smooth(PoissonLevel& fine, PoissonLevel& coarse);

  PoissonLevel* fine_ = nullptr;
  std::vector<std::unique_ptr<PoissonLevel>> coarser_;
  CoarsestSolver coarsest_;
  std::vector<double> products_;
};

}  // namespace ymir::poisson
