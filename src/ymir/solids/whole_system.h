// The matrix of a cluster with its couplings, factored as a whole: hard rows, and what CG does not manage.
//
//   [A  J'] [dq     ]   [ b ]
//   [J  0 ] [dlambda] = [-C ]      A with soft couplings J'WJ; J, C: hard rows
//
// Hard rows are solved through the augmented matrix A + J'RJ, positive definite and as sparse as the couplings, with
// the sparse Cholesky of meshes: memory grows with their number and no more, redundant rows do no harm. Each round
//
//   (A + J'RJ) d = r_q + J'R r_c,  dq += d,  dlambda += R (J d - r_c)
//
// divides what is left by 1 + R J A^-1 J' (R: penalty over the row's own compliance), which is a refinement of
// round-off at the same time. Where no multiplier holds, as in a straight row of bodies between two fixed ends, whose
// load across it would need an infinite one, rows yield by `softness` of their own compliance: R is then its inverse.
// Blocks with multipliers of their own are indefinite: the saddle point itself then goes to
// the sparse LDL' of direct.h.
//
// Where a part is large, the rest is eliminated and the large part is iterated (around_large.h): memory is linear in it
// too. Of several large parts that is the last; the others are factored.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ymir/solids/around_large.h"
#include "ymir/solids/bounded_rows.h"
#include "ymir/solids/coupled_rows.h"
#include "ymir/solids/coupling.h"
#include "ymir/solids/saddle_system.h"
#include "ymir/solvers/block_cholesky.h"

namespace ymir {

class WholeSystem {
 public:
  using Solved = ymir::Solved;
  using Coupled = CoupledRows;
  // A matrix and where its nodes begin. A large one is the last.
  struct Part {
    const MatrixPart* matrix;
    std::int32_t first_node;
  };
  // With the values of this Newton step; b and x over slots.
  Solved solve(std::span<const Part> parts, std::span<Coupled> coupled, std::span<const double> b, std::span<double> x);
  // The same in two, for many right sides. Large parts are factored with the others. Of bounded rows those are held
  // that b holds; or the same as in another system, with other matrices of the same parts.
  Solved factor(std::span<const Part> parts, std::span<Coupled> coupled, std::span<const double> b);
  Solved factor(std::span<const Part> parts, std::span<Coupled> coupled, const WholeSystem& as);
  Solved solve_factored(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x);
  // Of the last solve.
  int cg_iterations() const { return cg_iterations_; }
  bool factored() const { return large_ == nullptr; }  // as a whole

 private:
  void gather(std::span<const Part> parts, std::span<const Coupled> coupled);
  void begin_rows(std::span<Coupled> coupled);
  Solved solve_gathered(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x);
  Solved solve_rows(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x);
  Solved factor_rows(std::span<const Coupled> coupled);
  Solved solve_held(std::span<const Coupled> coupled, std::span<const double> b, std::span<double> x);
  void give_rows(std::span<Coupled> coupled, std::span<const double> x) const;
  Solved refine(std::span<const Coupled> coupled, std::span<const double> b, std::span<double> x);
  bool exact() const { return (indefinite_ || all_small_) && large_ == nullptr; }  // by the saddle point itself
  Solved solve_augmented(std::span<const double> b, std::span<double> x);
  void multiply(std::span<const double> x, std::span<double> y);
  void number_touched(std::span<const Part> parts, std::span<const Coupled> coupled);
  double own_stiffness(std::int32_t slot) const;
  double stiffness_of(std::size_t row) const;
  void find_pattern(std::span<const Part> parts, std::span<const Coupled> coupled);
  void find_element_blocks();
  void add_outer(const Coupled& c, int row, double weight);
  void add_element(BlockMatrix& to, std::size_t element);

  bool iterate_ = true;
  LargeMatrix* large_ = nullptr;
  std::int32_t small_nodes_ = 0;       // all that are not of the large part, which come first
  std::vector<std::int32_t> touched_;  // nodes of the large part that elements are on, ascending
  // Slots of elements as the matrices here number them: of the large part they have the touched nodes alone.
  std::vector<std::vector<std::int32_t>> element_slots_;
  AroundLarge around_;
  int cg_iterations_ = 0;
  std::int32_t nodes_ = 0;
  // Small nodes, pairs of nodes of the parts, nodes of elements: what was analysed.
  std::vector<std::int32_t> pattern_;
  std::vector<std::int32_t> next_pattern_;
  std::vector<std::int32_t> slots_;  // of the blocks of the parts
  // Of each pair of nodes of an element, in its own order: its block of the matrix, or -1 above the diagonal.
  std::vector<std::int32_t> element_blocks_;
  std::vector<std::size_t> first_block_;  // of each element
  std::vector<double> dense_;             // matrix over the slots of one element
  std::vector<std::size_t> runs_;         // where each of its nodes begins
  std::vector<std::uint8_t> used_;        // slots that are unknowns
  BlockMatrix matrix_;                    // A
  BlockMatrix augmented_;                 // A + J'RJ
  BlockCholesky cholesky_;
  bool analysed_ = false, indefinite_ = false, all_small_ = false;
  std::vector<double> own_, penalty_;  // of all hard rows: compliance by itself, R
  BoundedRows rows_;
  SaddleSystem saddle_;
  std::vector<double> r_, d_, side_, product_, compact_, compact_product_;
};

}  // namespace ymir
