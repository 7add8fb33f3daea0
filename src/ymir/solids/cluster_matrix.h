// The matrix of a cluster as a whole: parts of its members, in an order that is the same for any distribution over
// ranks, and the couplings between them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ymir/solids/matrix_source.h"
#include "ymir/solids/whole_system.h"

namespace ymir {

class ClusterMatrix {
 public:
  struct Member {
    MatrixSource* source;
    int object;  // parts are in the order of objects, then pieces; the largest of large parts is the last
  };

  // Kept from substep to substep: its order of elimination is good as long as the same things are coupled.
  void use(std::shared_ptr<WholeSystem> whole) { whole_ = std::move(whole); }
  bool ordered() const { return !parts_.empty(); }
  void order(std::span<const Member> members);
  void forget() { parts_.clear(); }  // members have other parts than before
  // Of a row of a member that couplings act on.
  std::int32_t slot_of(std::size_t member, std::size_t row) const;

  // Sides of the members; they take the solution.
  Solved solve(std::span<WholeSystem::Coupled> coupled);
  // The same in two, for many right sides, with the bounded rows held that the sides of now hold, or those of another.
  Solved factor(std::span<WholeSystem::Coupled> coupled);
  Solved factor(std::span<WholeSystem::Coupled> coupled, const ClusterMatrix& as);
  Solved solve_factored(std::span<WholeSystem::Coupled> coupled);

  std::span<const double> solution() const { return solution_; }  // over all slots
  int cg_iterations() const { return whole_->cg_iterations(); }
  bool factored() const { return whole_->factored(); }

 private:
  struct Part {
    int object;
    std::int64_t piece;
    std::size_t member, number;
    std::int32_t first_node = 0;
  };
  const MatrixPart& matrix(const Part& part) const { return members_[part.member].source->part(part.number); }
  std::size_t first_slot(const Part& part) const { return 3 * static_cast<std::size_t>(part.first_node); }
  void gather_parts();
  void gather_sides();
  void give_solution();

  std::shared_ptr<WholeSystem> whole_;
  std::vector<Member> members_;
  std::vector<Part> parts_;                        // in the order of the whole system
  std::vector<std::vector<std::size_t>> part_at_;  // by member and number: index into parts_
  std::vector<WholeSystem::Part> whole_parts_;
  std::vector<double> side_, solution_;
};

}  // namespace ymir
