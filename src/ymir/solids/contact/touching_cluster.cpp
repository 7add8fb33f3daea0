#include "ymir/solids/contact/touching_cluster.h"

#include <algorithm>

#include "ymir/base/check.h"

namespace ymir {

void TouchingCluster::begin(std::span<const int> touched) {
  members_.clear();
  std::int32_t nodes = 0;
  for (const int number : touched) {
    ContactBlock* block = cluster_->contacts(number);
    YMIR_CHECK(block != nullptr);
    members_.push_back({number, block, nodes});
    nodes += block->body().nodes();
  }
}

const TouchingCluster::Member& TouchingCluster::member_of(std::int32_t node) const {
  const auto above = std::upper_bound(members_.begin(), members_.end(), node,
                                      [](std::int32_t n, const Member& m) { return n < m.first_node; });
  return *(above - 1);
}

void TouchingCluster::follow(int member, int place, std::span<const std::int32_t> vertices,
                             std::span<const double> weights, std::vector<NodeShare>& shares) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.number == member; });
  const std::size_t first = shares.size();
  found->block->follow(place, vertices, weights, shares);
  for (std::size_t i = first; i < shares.size(); ++i) shares[i].node += found->first_node;
}

Vec3d TouchingCluster::way(std::int32_t node) const {
  const Member& m = member_of(node);
  return m.block->way(node - m.first_node);
}

void TouchingCluster::push(std::span<const NodeVector> impulses, double per_dt) {
  for (const Member& m : members_)
    m.block->push(impulses.subspan(static_cast<std::size_t>(m.first_node),
                                   static_cast<std::size_t>(m.block->body().nodes())),
                  per_dt);
}

bool TouchingCluster::refresh(double dt) {
  return cluster_->factor_alone() && std::all_of(members_.begin(), members_.end(), [&](const Member& m) {
           return m.block->refresh(dt);
         });
}

NodalBody& TouchingCluster::body() { return members_.front().block->body(); }

bool TouchingCluster::solve(int) {
  cluster_->solve_alone();
  return true;
}

}  // namespace ymir
