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

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ymir/solids/cluster_matrix.h"
#include "ymir/solids/cluster_member.h"
#include "ymir/solids/coupling.h"
#include "ymir/solvers/conjugate_gradient.h"

namespace ymir {

class Cluster {
 public:
  using Solved = ymir::Solved;
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
  struct Systems {
    std::shared_ptr<WholeSystem> own = std::make_shared<WholeSystem>(), other = std::make_shared<WholeSystem>();
  };
  void use(const Systems& systems) {
    matrix_.use(systems.own);
    other_matrix_.use(systems.other);
  }

  // All of it, where every block is here. cg_limit: iterations in one Newton step after which the direct solver takes
  // over.
  Outcome advance(const Step& step, int cg_limit);

  // Its parts, in this order; loop from assemble() to move() while running(). Where all is here, descend() may stand
  // for choose_share() and move(), and the assemble() and evaluate() that come next.
  void begin(const Step& step);
  void begin_elements();  // members know their points when the substep begins
  void place();
  void assemble();
  double evaluate();            // members know their points; returns the largest violation of a hard row
  bool judge();                 // members know their residual; true: go on
  bool prepare(bool definite);  // false: some matrix cannot be made definite
  Solved solve_whole(bool definite);
  void fail();
  void set_steps();
  double choose_share();  // members know their step
  void move(double share);
  // forces: assemble() and evaluate(), and whatever acts from outside.
  void descend(const std::function<void()>& forces);
  void end();
  bool running() const { return running_; }
  void keep_on() { running_ = true; }  // though it has converged: what it touches has not
  // Residuals below are of no use: what acts on it is not known better.
  void set_noise(double noise) { noise_ = noise; }
  // Where contacts hold a body, steps below are all that is left, whatever its residual: a heavy load on a light body
  // has torques, by its own inertia, that turns of rounding change.
  void set_still(double still) { still_ = still; }
  const Outcome& outcome() const { return outcome_; }

  // For contacts, of a cluster whose blocks are all here: their unknowns one after the other.
  std::size_t blocks() const { return members_.size(); }
  SolidBlock& block(std::size_t member) { return members_[member].local->block(); }
  std::size_t first_row(std::size_t member) const { return members_[member].offset; }
  std::size_t rows() const { return rhs_.size(); }
  bool alone() const { return members_.size() == 1 && elements_.empty(); }
  void right_side(double* b);
  // The factor of this iterate; b to x with it. Of a block that is alone, or of the whole.
  bool factor();
  bool solve(const double* b, double* x);
  // The same with other matrices in the place of those of blocks (nullptr: its own), around the same couplings.
  bool factor_with(std::span<MatrixPart* const> instead);
  bool solve_with(const double* b, double* x);
  // Newton's step, with that factor, for the residuals as they are by now.
  void solve_step();
  // Couplings of this iterate over the slots of a matrix of others, in which a row of a member has this one.
  using SlotOf = std::function<std::int32_t(std::size_t member, std::size_t row)>;
  std::span<WholeSystem::Coupled> couplings(bool curvature, const SlotOf& slot_of);
  // Newton's step from that matrix; those of multipliers stand in couplings().
  void take_step(std::span<const double> step);
  // Whether a coupling holds two pieces of blocks to each other at a point within reach of x [m], when the substep
  // begins.
  struct Held {
    std::size_t member = 0;
    int place = 0;
  };
  bool tied(const Held& a, const Held& b, Vec3d x, double reach) const;

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
    int place[2];            // of the pieces in their blocks
    int dofs[2] = {0, 0};
    std::ptrdiff_t at[2][Embedding::max_dofs];  // in the cluster's vectors; -1: given
    CouplingRows term;
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
  void remember(std::span<const double> step);
  bool turns_back() const;
  void order_parts();
  MemberMatrix& other(std::size_t member);
  bool solve_in(ClusterMatrix& matrix, bool others, const double* b, double* x);
  void gather(bool curvature);
  void gather(bool curvature, const SlotOf& slot_of);
  void take_multipliers(std::span<const double> step);
  bool any_large() const;
  double opening(std::size_t element, int row) const;
  double slope();
  void block_solve(std::span<const double> r, std::span<double> z);
  void product(std::span<const double> x, std::span<double> y);

  std::vector<Member> members_;
  std::vector<Element> elements_;
  double time_ = 0, dt_ = 0;  // end and length of the substep [s]
  bool running_ = true;
  int max_iterations_ = 0;
  double violation_ = 0, noise_ = 0, still_ = 0;
  bool yields_ = false;  // hard rows give a little
  // Contacts that come and go, and friction that sticks and slips, may send full steps round in circles.
  double relaxation_ = 1;
  double before_[2];  // residuals of the iterations before
  bool falling_ = true;
  std::vector<double> step_, step_before_;  // of the solver that was used
  Outcome outcome_;
  std::vector<double> rhs_, solution_;
  CgWorkspace workspace_;
  ClusterMatrix matrix_;
  bool definite_ = false;  // the last factor() had to make it so
  // With other matrices in the place of those of blocks.
  ClusterMatrix other_matrix_;
  std::vector<std::unique_ptr<MemberMatrix>> others_;  // by member; nullptr: its own
  std::vector<WholeSystem::Coupled> coupled_;
};

}  // namespace ymir
