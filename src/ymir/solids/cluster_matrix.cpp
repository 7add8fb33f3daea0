#include "ymir/solids/cluster_matrix.h"

#include <algorithm>
#include <tuple>

#include "ymir/solids/large_matrix.h"

namespace ymir {

void ClusterMatrix::order(std::span<const Member> members) {
  members_.assign(members.begin(), members.end());
  if (!whole_) whole_ = std::make_shared<WholeSystem>();
  parts_.clear();
  part_at_.assign(members_.size(), {});
  for (std::size_t m = 0; m < members_.size(); ++m)
    for (std::size_t p = 0; p < members_[m].source->parts(); ++p)
      parts_.push_back({members_[m].object, members_[m].source->piece_of(p), m, p});
  std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return std::tuple(a.object, a.piece) < std::tuple(b.object, b.piece);
  });
  const auto bulk = [&](const Part& part) { return matrix(part).large() != nullptr ? matrix(part).nodes() : 0; };
  const auto largest =
      std::max_element(parts_.begin(), parts_.end(), [&](const Part& a, const Part& b) { return bulk(a) < bulk(b); });
  if (bulk(*largest) > 0) std::rotate(largest, largest + 1, parts_.end());
  std::int32_t nodes = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    part.first_node = nodes;
    nodes += matrix(part).nodes();
    auto& at = part_at_[part.member];
    at.resize(std::max(at.size(), part.number + 1));
    at[part.number] = k;
  }
  side_.resize(3 * static_cast<std::size_t>(nodes));
  solution_.resize(side_.size());
}

std::int32_t ClusterMatrix::slot_of(std::size_t member, std::size_t row) const {
  const MatrixSource::Place at = members_[member].source->place_of(row);
  return 3 * parts_[part_at_[member][at.part]].first_node + at.slot;
}

void ClusterMatrix::gather_parts() {
  whole_parts_.clear();
  for (const Part& part : parts_) whole_parts_.push_back({&matrix(part), part.first_node});
}

void ClusterMatrix::gather_sides() {
  std::fill(side_.begin(), side_.end(), 0.0);
  for (const Part& part : parts_)
    members_[part.member].source->right_side(part.number, side_.data() + first_slot(part));
}

void ClusterMatrix::give_solution() {
  for (const Part& part : parts_) members_[part.member].source->take(part.number, solution_.data() + first_slot(part));
}

Solved ClusterMatrix::solve(std::span<WholeSystem::Coupled> coupled) {
  gather_parts();
  gather_sides();
  const WholeSystem::Part& last = whole_parts_.back();
  if (LargeMatrix* large = last.matrix->large())
    large->complete(std::span(side_).subspan(3 * static_cast<std::size_t>(last.first_node)));
  const Solved solved = whole_->solve(whole_parts_, coupled, side_, solution_);
  if (solved == Solved::yes) give_solution();
  return solved;
}

Solved ClusterMatrix::factor(std::span<WholeSystem::Coupled> coupled) {
  gather_parts();
  gather_sides();
  return whole_->factor(whole_parts_, coupled, side_);
}

Solved ClusterMatrix::factor(std::span<WholeSystem::Coupled> coupled, const ClusterMatrix& as) {
  gather_parts();
  return whole_->factor(whole_parts_, coupled, *as.whole_);
}

Solved ClusterMatrix::solve_factored(std::span<WholeSystem::Coupled> coupled) {
  gather_sides();
  const Solved solved = whole_->solve_factored(coupled, side_, solution_);
  if (solved == Solved::yes) give_solution();
  return solved;
}

}  // namespace ymir
