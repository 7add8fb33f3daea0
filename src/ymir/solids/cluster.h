// Blocks that couplings connect, advanced together by one Newton loop.
//
// One system A = blockdiag(A_block) + sum J'WJ. Each block is factored directly (band LDL' of strands, sparse Cholesky
// of a mesh, 3x3 of a particle) and preconditions conjugate gradients on A. Couplings stay out of the blocks: the
// iteration count is then bounded by their number, however stiff they are. Where couplings are hard, or CG fails, or
// blocks are on several ranks, the whole matrix is factored (whole_system.h), in which blocks touched in few places
// are condensed to those (condensed_block.h), and of which a large block is iterated (around_large.h).
//
// The loop is cut into parts, so that members on other ranks can be asked and told in between (spanning_clusters.h).
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ymir/solids/cluster_member.h"
#include "ymir/solids/coupling.h"
#include "ymir/solids/whole_system.h"
#include "ymir/solvers/conjugate_gradient.h"

namespace ymir {

class Cluster {
 public:
  // How the Newton loop went.
  struct Outcome {
    int iterations = 0;
    std::int64_t piece_iterations = 0;  // summed over pieces
    double residual = 0;                // largest, unit-free
    int worst_object = -1;              // where that was
    std::int64_t worst_piece = 0;
    bool converged = true;
    // Where hard couplings are what is left: their owners, those with the largest gaps first, and that gap [m or 1].
    std::vector<std::string> at_odds;
    double gap = 0;
    int cg_iterations = 0;  // most of one solve
    int direct_solves = 0;
  };

  // Their numbers, for elements. object: parts of the whole system are in the order of objects, then pieces.
  int add(int object, std::unique_ptr<SolidBlock> block);
  int add(int object, std::unique_ptr<LocalMember> here);
  int add(int object, std::unique_ptr<ClusterMember> elsewhere);
  // member: -1 where the end is prescribed; place: of the piece in its block.
  void add_element(Coupling& source, std::size_t index, const int (&member)[2], const int (&place)[2]);
  // Kept from substep to substep: its order of elimination is good as long as the same things are coupled.
  void use(std::shared_ptr<WholeSystem> whole) { whole_ = std::move(whole); }

  // All of it, where every block is here. cg_limit: iterations in one Newton step after which the direct solver takes
  // over.
  Outcome advance(const Step& step, int cg_limit);

  // Its parts, in this order; loop from assemble() to move() while running().
  void begin(const Step& step);
  void begin_elements();  // members know their points when the substep begins
  void place();
  void assemble();
  double evaluate();            // members know their points; returns the largest violation of a hard row
  bool judge();                 // members know their residual; true: go on
  bool prepare(bool definite);  // false: some matrix cannot be made definite
  using Solved = WholeSystem::Solved;
  Solved solve_whole(bool definite);
  void fail();
  void set_steps();
  double choose_share();  // members know their step
  void move(double share);
  void end();
  bool running() const { return running_; }
  void keep_on() { running_ = true; }  // though it has converged: what it touches has not
  // Residuals below are of no use: what acts on it is not known better.
  void set_noise(double noise) { noise_ = noise; }
  const Outcome& outcome() const { return outcome_; }

  // Of a single block that is here, for contacts: what they act on, its factor, and the step from that.
  ContactBlock* contacts();
  SolidBlock& block() { return members_[0].local->block(); }
  bool factor_alone() { return factor_blocks(); }
  void take_alone(std::span<const double> step);
  void solve_alone();

 private:
  struct Member {
    std::unique_ptr<ClusterMember> seen;
    LocalMember* local = nullptr;  // seen, where the block is here
    int object = 0;
    std::size_t offset = 0;  // in the cluster's vectors
    double last_step = std::numeric_limits<double>::infinity();
  };
  struct Element {
    Coupling* source;
    std::size_t index;
    int member[2], port[2];  // -1: prescribed
    int dofs[2] = {0, 0};
    std::ptrdiff_t at[2][Embedding::max_dofs];  // in the cluster's vectors; -1: given
    CouplingRows term;
  };
  struct Part {
    int object;
    std::int64_t piece;
    std::size_t member, number;
    std::int32_t first_node = 0;
  };

  template <class F>
  void for_each_local(F&& f);
  template <class F>  // f(end, row of the term, index, value)
  static void for_each_entry(const Element& e, F&& f);
  Embedding point(const Element& e, int end, bool at_begin) const;
  void find_rows(Element& e) const;
  bool solve_linear(int cg_limit);
  bool solve_directly();
  bool factor_blocks();
  void remember(const std::vector<double>& step);
  bool turns_back() const;
  void order_parts();
  std::int32_t slot_of(const Element& e, int end, int dof) const;
  void gather(bool curvature);
  bool any_large() const;
  double opening(std::size_t element, int row) const;
  void block_solve(std::span<const double> r, std::span<double> z);
  void product(std::span<const double> x, std::span<double> y);

  std::vector<Member> members_;
  std::vector<Element> elements_;
  double time_ = 0, dt_ = 0;  // end and length of the substep [s]
  bool running_ = true;
  int max_iterations_ = 0;
  double violation_ = 0, noise_ = 0;
  bool yields_ = false;  // hard rows give a little
  // Contacts that come and go, and friction that sticks and slips, may send full steps round in circles.
  double relaxation_ = 1;
  double before_[2];  // residuals of the iterations before
  bool falling_ = true;
  std::vector<double> step_, step_before_;  // of the solver that was used
  Outcome outcome_;
  std::vector<double> rhs_, solution_;
  CgWorkspace workspace_;
  std::shared_ptr<WholeSystem> whole_;
  std::vector<Part> parts_;                        // in the order of the whole system
  std::vector<std::vector<std::size_t>> part_at_;  // by member and number: index into parts_
  std::vector<WholeSystem::Part> whole_parts_;
  std::vector<WholeSystem::Coupled> coupled_;
  std::vector<double> whole_side_, whole_solution_;
};

}  // namespace ymir
