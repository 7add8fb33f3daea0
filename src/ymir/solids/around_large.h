// A large matrix and all that is coupled to it: what is small is eliminated, the large is iterated.
//
//   [K_SS  K_SL    ] [x_S]   [b_S]      S: small blocks; K: their matrices and the couplings, augmented by hard rows
//   [K_LS  K_LL + A] [x_L] = [b_L]      A: the large matrix; K touches few of its nodes
//
//   (A + K_LL - K_LS K_SS^-1 K_SL) x_L = b_L - K_LS K_SS^-1 b_S
//
// K_SS is factored, by Cholesky, or where blocks have multipliers by LDL'. Hard rows make K stiff, but what is light
// does not hold what it hangs on: in the difference the stiffness cancels, to the inertia and elasticity of what is
// attached. Conjugate gradients preconditioned for A alone then need little more than without it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ymir/solids/large_matrix.h"
#include "ymir/solvers/block_cholesky.h"
#include "ymir/solvers/direct.h"

namespace ymir {

class AroundLarge {
 public:
  // k: nodes of S first, then those of L that are touched. multipliers: S has some.
  void analyze(const BlockMatrix& k, std::int32_t small_nodes, bool multipliers);
  bool factor(const BlockMatrix& k);
  // b and x: of S, then of all of L. touched: nodes of L, ascending.
  CgReport solve(LargeMatrix& large, std::span<const std::int32_t> touched, const BlockMatrix& k,
                 std::span<const double> b, std::span<double> x);

 private:
  void solve_small(const double* b, double* x);

  std::int32_t small_nodes_ = 0;
  BlockMatrix small_;
  std::vector<std::int32_t> from_;  // of the blocks of small_: those of k
  BlockCholesky cholesky_;
  std::optional<DirectSolver> saddle_;
  std::vector<double> v_, w_, side_;
};

}  // namespace ymir
