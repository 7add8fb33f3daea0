#include "ymir/solids/contact/condensed_contacts.h"

#include <gtest/gtest.h>

namespace ymir {
namespace {

constexpr double mass = 2;  // of the vertex that moves [kg]

// An edge between a clamp and a vertex. As bodies do, it answers something at the clamp, too.
class ClampedEdge final : public NodalBody {
 public:
  int nodes() const override { return 2; }
  void describe(std::span<NodeMetric> nodes) const override { nodes[1] = {15 * mass, 1 / mass}; }
  bool factor(std::span<const double>) override { return true; }
  void solve(NodeVector* x) override {
    x[0] = x[0] * 1e6;
    x[1] = x[1] * (1 / mass);
    x[1].set(1, x[1][1] - 1);  // it falls at 1 m/s
  }
  void solve_metric(NodeVector*) override {}
};

TEST(CondensedContacts, AnEdgeAtAClampGivesWayAsItsOtherEndDoes) {
  ClampedEdge edge;
  NodalBody* bodies[] = {&edge};
  ContactList list;
  list.add({0, 1, 0}, 0.3);
  list.touch(0, 0, 0.5);
  list.touch(0, 1, 0.5);
  list.add({0, 1, 0}, 0.3).free = {0, -1, 0};  // against the clamp itself, where nothing can be done
  list.touch(0, 0, 1);
  const CondensedContacts condensed(list, bodies);
  EXPECT_DOUBLE_EQ(condensed.problem().blocks[0](0, 0), 0.25 / mass);
  EXPECT_DOUBLE_EQ(condensed.problem().q[0].x, -0.5);
  EXPECT_EQ(condensed.solve(list, 1e-9, 0).status, CoulombStatus::solved);
  EXPECT_NEAR(list.contacts[0].impulse.y, 0.5 / (0.25 / mass), 1e-8);
  EXPECT_EQ(norm(list.contacts[1].impulse), 0);
}

}  // namespace
}  // namespace ymir
