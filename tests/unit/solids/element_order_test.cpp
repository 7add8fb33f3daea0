#include "ymir/solids/element_order.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>

namespace ymir {
namespace {

// Tetrahedra of a grid of cubes.
std::vector<std::int32_t> tetrahedra(int side) {
  constexpr std::array<std::array<int, 4>, 6> split{
      {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}};
  std::vector<std::int32_t> nodes;
  const int n = side + 1;
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        for (const auto& t : split)
          for (const int a : t) nodes.push_back(((k + (a >> 2)) * n + j + (a >> 1 & 1)) * n + i + (a & 1));
  return nodes;
}

void expect_good(const ElementOrder& order, const std::vector<std::int32_t>& nodes, std::size_t each,
                 std::int32_t node_count) {
  std::vector<int> seen(nodes.size() / each, 0);
  for (const std::int32_t e : order.elements)
    if (e >= 0) ++seen.at(static_cast<std::size_t>(e));
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  for (std::size_t p = 0; p < order.packs(); ++p) EXPECT_GE(order.elements[p * ElementOrder::lanes], 0);
  // No node in two blobs of a colour.
  std::vector<std::int32_t> blob_of(static_cast<std::size_t>(node_count));
  for (std::size_t c = 0; c + 1 < order.colours.size(); ++c) {
    std::fill(blob_of.begin(), blob_of.end(), -1);
    for (std::int32_t b = order.colours[c]; b < order.colours[c + 1]; ++b)
      for (std::int32_t k = ElementOrder::lanes * order.blobs[static_cast<std::size_t>(b)];
           k < ElementOrder::lanes * order.blobs[static_cast<std::size_t>(b) + 1]; ++k) {
        const std::int32_t e = order.elements[static_cast<std::size_t>(k)];
        for (std::size_t a = 0; a < each && e >= 0; ++a) {
          std::int32_t& owner = blob_of[static_cast<std::size_t>(nodes[each * static_cast<std::size_t>(e) + a])];
          EXPECT_TRUE(owner == -1 || owner == b);
          owner = b;
        }
      }
  }
}

TEST(ElementOrder, ThreadsNeverMeetAtANode) {
  for (const int side : {1, 2, 5, 12, 25}) {
    const auto nodes = tetrahedra(side);
    const std::int32_t count = (side + 1) * (side + 1) * (side + 1);
    const ElementOrder order = order_elements(nodes, 4, count);
    expect_good(order, nodes, 4, count);
    std::atomic<std::size_t> sum = 0;
    order.for_each_pack([&](std::size_t p) { sum += p; });
    EXPECT_EQ(sum, order.packs() * (order.packs() - 1) / 2);
  }
}

// More than 64 colours: every element has the node 0.
TEST(ElementOrder, ManyElementsAtOneNode) {
  std::vector<std::int32_t> nodes;
  for (std::int32_t e = 0; e < 20000; ++e) nodes.insert(nodes.end(), {0, 1 + e});
  const ElementOrder order = order_elements(nodes, 2, 20001);
  expect_good(order, nodes, 2, 20001);
  EXPECT_EQ(order.colours.size(), order.blobs.size());
  EXPECT_GT(order.colours.size(), 64U);
}

// Blobs are compact: a node is met by few of them, where elements in colours of their own met it 24 times.
TEST(ElementOrder, NodesBelongToFewBlobs) {
  const int side = 25;
  const auto nodes = tetrahedra(side);
  const std::int32_t count = (side + 1) * (side + 1) * (side + 1);
  const ElementOrder order = order_elements(nodes, 4, count);
  std::vector<std::int32_t> last(static_cast<std::size_t>(count), -1);
  std::size_t meetings = 0;
  for (std::size_t b = 0; b + 1 < order.blobs.size(); ++b)
    for (std::int32_t k = ElementOrder::lanes * order.blobs[b]; k < ElementOrder::lanes * order.blobs[b + 1]; ++k)
      for (std::size_t a = 0; a < 4; ++a)
        if (const std::int32_t e = order.elements[static_cast<std::size_t>(k)]; e >= 0) {
          std::int32_t& seen = last[static_cast<std::size_t>(nodes[4 * static_cast<std::size_t>(e) + a])];
          meetings += seen != static_cast<std::int32_t>(b) ? 1 : 0;
          seen = static_cast<std::int32_t>(b);
        }
  EXPECT_LT(static_cast<double>(meetings) / count, 3);
}

}  // namespace
}  // namespace ymir
