// A cluster whose blocks touch something: its nodes as one body of the contact solver.
#pragma once

#include <span>
#include <vector>

#include "ymir/solids/cluster.h"
#include "ymir/solids/contact/contact_block.h"

namespace ymir {

class TouchingCluster {
 public:
  explicit TouchingCluster(Cluster& cluster) : cluster_(&cluster) {}
  Cluster& cluster() const { return *cluster_; }

  // After Cluster::begin(): members that contacts touch, by their numbers.
  void begin(std::span<const int> touched);
  void follow(int member, int place, std::span<const std::int32_t> vertices, std::span<const double> weights,
              std::vector<NodeShare>& shares) const;
  Vec3d way(std::int32_t node) const;  // since the substep began [m]
  void push(std::span<const NodeVector> impulses, double per_dt);
  // M and f of the iterate. False: they cannot be factored.
  bool refresh(double dt);
  NodalBody& body();
  // The Newton step under the impulses that were pushed. False: no solver manages.
  bool solve(int cg_limit);

 private:
  struct Member {
    int number;
    ContactBlock* block;
    std::int32_t first_node;
  };
  const Member& member_of(std::int32_t node) const;

  Cluster* cluster_;
  std::vector<Member> members_;
};

}  // namespace ymir
