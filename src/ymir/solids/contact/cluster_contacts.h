// A cluster as contacts see it: the nodes of its blocks one after the other, which answer together, with what couples
// them.
#pragma once

#include <span>
#include <vector>

#include "ymir/solids/cluster.h"
#include "ymir/solids/contact/contact_block.h"

namespace ymir {

class ClusterContacts final : private NodalBody {
 public:
  // After Cluster::begin_elements(). Blocks that nothing touches need no nodes.
  explicit ClusterContacts(Cluster& cluster);

  // What a point of a piece follows (contact_block.h). Appended.
  void follow(const Cluster::Held& at, std::span<const std::int32_t> vertices, std::span<const double> weights,
              Vec3d arm, std::vector<NodeShare>& shares) const;
  Vec3d way(std::int32_t node) const;
  void push(std::span<const NodeVector> impulses, double per_dt);
  void add_levers(std::span<const NodeVector> impulses, double per_dt);
  // Of a block that is alone its own.
  NodalBody& body();
  bool refresh(double dt);
  bool rigid(std::size_t member) const { return blocks_[member]->rigid(); }
  bool thin(std::size_t member) const { return blocks_[member] != nullptr && blocks_[member]->thin(); }
  // ContactBlock::columns() of the block that has the node, which is returned.
  std::size_t columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const;

 private:
  int nodes() const override { return first_.back(); }
  void describe(std::span<NodeMetric> nodes) const override;
  Adapt adapt() const override { return Adapt::never; }
  bool threaded() const override;
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override;
  void solve_metric(NodeVector* x) override;

  std::size_t member_of(std::int32_t node) const;
  template <class T>
  std::span<T> of(std::size_t member, T* nodes) const {
    return {nodes + first_[member], static_cast<std::size_t>(first_[member + 1] - first_[member])};
  }
  void load(NodeVector* impulses);
  void unload(NodeVector* nodes) const;

  Cluster* cluster_;
  std::vector<ContactBlock*> blocks_;  // by member; nullptr: nothing can touch it
  std::vector<std::int32_t> first_;    // node of each, and their number
  double dt_ = 0;
  std::vector<double> b_, side_, x_;  // over the rows of the cluster
  std::vector<MatrixPart*> heavy_;
};

}  // namespace ymir
