// Blocks that couplings connect, advanced together by one Newton loop.
//
// One system A = blockdiag(A_block) + sum J'WJ. Each block is factored directly (band LDL' of strands, sparse Cholesky
// of a mesh, 3x3 of a particle) and preconditions conjugate gradients on A. Couplings stay out of the blocks: the
// iteration count is then bounded by their number, however stiff they are. Where couplings are hard, or CG fails, the
// whole matrix is factored (whole_system.h).
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "ymir/solids/coupling.h"
#include "ymir/solids/solid_object.h"
#include "ymir/solids/whole_system.h"
#include "ymir/solvers/conjugate_gradient.h"

namespace ymir {

class Cluster {
 public:
  struct Element {
    Coupling* source;
    std::size_t index;
    int member[2], place[2];  // -1: prescribed
    int dofs[2] = {0, 0};
    std::ptrdiff_t at[2][Embedding::max_dofs];  // in the cluster's vectors; -1: given
    CouplingRows term;
  };
  // How the Newton loop went.
  struct Outcome {
    int iterations = 0;
    std::int64_t piece_iterations = 0;  // summed over pieces
    double residual = 0;                // largest, unit-free
    bool converged = true;
    int cg_iterations = 0;  // most of one solve
    int direct_solves = 0;
  };

  // Its number, for elements.
  int add(std::unique_ptr<SolidBlock> block);
  Element& add_element() { return elements_.emplace_back(); }
  // Kept from substep to substep: its order of elimination is good as long as the same things are coupled.
  void use(std::shared_ptr<WholeSystem> whole) { whole_ = std::move(whole); }
  // cg_limit: iterations in one Newton step after which the direct solver takes over.
  Outcome advance(const Step& step, int cg_limit);

 private:
  struct Member {
    std::unique_ptr<SolidBlock> block;
    std::size_t offset = 0;  // in the cluster's vectors
    double last_step = std::numeric_limits<double>::infinity();
  };

  template <class F>
  void for_each_member(F&& f);
  Embedding point(const Element& e, int end, bool at_begin) const;
  void find_rows(Element& e) const;
  void begin(const Step& step);
  double evaluate(double dt);
  bool converged(double violation, Outcome& outcome);
  bool solve_linear(Outcome& outcome, int cg_limit);
  bool solve_whole(Outcome& outcome);
  bool factor_blocks();
  void gather(bool curvature);
  void block_solve(std::span<const double> r, std::span<double> z);
  void product(std::span<const double> x, std::span<double> y);

  std::vector<Member> members_;
  std::vector<Element> elements_;
  std::vector<double> rhs_, solution_;
  CgWorkspace workspace_;
  std::shared_ptr<WholeSystem> whole_;
  std::vector<WholeSystem::Coupled> coupled_;
};

}  // namespace ymir
