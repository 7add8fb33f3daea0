// What contacts ask of a Cluster: its matrix factored once, for many right sides.
#include <algorithm>

#include "ymir/solids/cluster.h"

namespace ymir {

void Cluster::right_side(double* b) {
  for (const Member& m : members_) m.local->block().right_side(b + m.offset);
}

// As it is; or, where that is indefinite, definite block by block and without the curvature of couplings.
bool Cluster::factor() {
  if (alone()) return factor_blocks();
  for (const bool definite : {false, true}) {
    definite_ = definite;
    if (!prepare(definite)) return false;
    order_parts();
    gather(!definite);
    const Solved solved = matrix_.factor(coupled_);
    if (solved != Solved::indefinite) return solved == Solved::yes;
  }
  return false;
}

MemberMatrix& Cluster::other(std::size_t member) {
  return others_[member] ? *others_[member] : members_[member].local->matrix();
}

bool Cluster::solve_in(ClusterMatrix& matrix, bool others, const double* b, double* x) {
  const auto member = [&](std::size_t m) -> MemberMatrix& { return others ? other(m) : members_[m].local->matrix(); };
  for (std::size_t m = 0; m < members_.size(); ++m) member(m).set_side(b + members_[m].offset);
  if (matrix.solve_factored(coupled_) != Solved::yes) return false;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    member(m).expand();
    std::ranges::copy(member(m).whole(), x + members_[m].offset);
  }
  return true;
}

bool Cluster::solve(const double* b, double* x) {
  if (!alone()) return solve_in(matrix_, false, b, x);
  members_[0].local->block().solve(b, x);
  return true;
}

bool Cluster::factor_with(std::span<MatrixPart* const> instead) {
  const bool first = others_.empty();
  others_.resize(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (instead[m] == nullptr) continue;
    if (first) others_[m] = std::make_unique<MemberMatrix>(*instead[m], members_[m].local->port_rows());
    if (!others_[m]->condense(false)) return false;
  }
  if (first) {
    std::vector<ClusterMatrix::Member> members;
    for (std::size_t m = 0; m < members_.size(); ++m) members.push_back({&other(m), members_[m].object});
    other_matrix_.order(members);
  }
  return other_matrix_.factor(coupled_, matrix_) == Solved::yes;
}

bool Cluster::solve_with(const double* b, double* x) { return solve_in(other_matrix_, true, b, x); }

void Cluster::solve_step() {
  if (alone()) {
    right_side(rhs_.data());
    block_solve(rhs_, solution_);
    members_[0].local->block().set_step(solution_.data());
    remember(solution_);
    return;
  }
  for (const Member& m : members_) m.local->set_side();
  if (matrix_.solve_factored(coupled_) != Solved::yes) return fail();
  take_multipliers(matrix_.solution());
  set_steps();
}

std::span<WholeSystem::Coupled> Cluster::couplings(bool curvature, const SlotOf& slot_of) {
  gather(curvature, slot_of);
  return coupled_;
}

void Cluster::take_step(std::span<const double> step) {
  std::ranges::copy(step, solution_.begin());
  for (Member& m : members_) m.local->block().set_step(solution_.data() + m.offset);
  take_multipliers(solution_);
}

bool Cluster::tied(const Held& a, const Held& b, Vec3d x, double reach) const {
  for (const Element& e : elements_) {
    if (e.member[0] < 0 || e.member[1] < 0) continue;
    const auto is = [&](int end, const Held& held) {
      return e.member[end] == static_cast<int>(held.member) && e.place[end] == held.place;
    };
    if (!(is(0, a) && is(1, b)) && !(is(0, b) && is(1, a))) continue;
    if (norm(point(e, 0, true).position - x) <= reach || norm(point(e, 1, true).position - x) <= reach) return true;
  }
  return false;
}

}  // namespace ymir
