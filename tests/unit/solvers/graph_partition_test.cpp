#include "ymir/solvers/graph_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace ymir {
namespace {

// Corners of n x n x 2n cubes.
struct Brick {
  std::vector<Vec3d> positions;
  NodeGraph graph;

  explicit Brick(int n) {
    const int side = n + 1;
    const auto node = [&](int i, int j, int k) { return (k * side + j) * side + i; };
    for (int k = 0; k <= 2 * n; ++k)
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) positions.push_back(Vec3d(i, j, k));
    std::vector<std::int32_t> cubes;
    for (int k = 0; k < 2 * n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          for (int c = 0; c < 8; ++c) cubes.push_back(node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)));
    graph = node_graph(static_cast<std::int32_t>(positions.size()), cubes, 8);
  }
};

TEST(GraphPartition, NodesOfCubesHaveTheirNeighbours) {
  const Brick brick(4);
  ASSERT_EQ(brick.graph.nodes(), 5 * 5 * 9);
  // 7 at a corner, 26 inside.
  EXPECT_EQ(brick.graph.starts[1], 7);
  const int inside = (2 * 5 + 2) * 5 + 2;
  EXPECT_EQ(brick.graph.starts[inside + 1] - brick.graph.starts[inside], 26);
}

class InParts : public testing::TestWithParam<int> {};

// A plane across the brick cuts (3n + 1)^2 links; k parts of a brick twice as long as wide can be had by as many planes
// across as there are parts less one, or fewer links.
TEST_P(InParts, AreBalancedAndHaveFewLinksBetweenThem) {
  constexpr int n = 12;
  const Brick brick(n);
  const int parts = GetParam();
  const std::array<std::vector<int>, 3> found{partition(brick.graph, brick.positions, parts),
                                              partition(brick.graph, brick.positions, parts),
                                              bisect(brick.graph, brick.positions, parts)};
  EXPECT_EQ(found[0], found[1]);
  for (const std::vector<int>& part : found) {
    std::vector<int> weight(static_cast<std::size_t>(parts), 0);
    int links = 0;
    for (std::size_t i = 0; i < part.size(); ++i)
      for (int e = brick.graph.starts[i]; e < brick.graph.starts[i + 1]; ++e) {
        ++weight.at(static_cast<std::size_t>(part[i]));
        links += part[i] < part[static_cast<std::size_t>(brick.graph.neighbours[static_cast<std::size_t>(e)])] ? 1 : 0;
      }
    const double mean = static_cast<double>(brick.graph.neighbours.size()) / parts;
    EXPECT_LT(*std::max_element(weight.begin(), weight.end()), 1.1 * mean);
    EXPECT_GT(*std::min_element(weight.begin(), weight.end()), 0.9 * mean);
    EXPECT_LE(links, 1.1 * (parts - 1) * (3 * n + 1) * (3 * n + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Two_to_eight, InParts, testing::Values(1, 2, 3, 4, 7, 8));

TEST(GraphPartition, MorePartsThanNodesLeavesSomeEmpty) {
  const std::vector<std::int32_t> cell{0, 1, 2, 3};
  const std::vector<Vec3d> x{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const auto& part : {partition(node_graph(4, cell, 4), x, 6), bisect(node_graph(4, cell, 4), x, 6)})
    for (const int p : part) {
      EXPECT_GE(p, 0);
      EXPECT_LT(p, 6);
    }
}

}  // namespace
}  // namespace ymir
