#include "ymir/solids/element_order.h"

#include <cstddef>

namespace ymir {

// Greedy, with as many colours as it takes: a node that 64 colours already use sends its element to the next round.
ElementOrder order_elements(std::span<const std::int32_t> nodes, int nodes_each, std::int32_t node_count) {
  const auto each = static_cast<std::size_t>(nodes_each);
  const std::size_t count = nodes.size() / each;
  std::vector<std::vector<std::int32_t>> by_colour;
  std::vector<std::int32_t> left(count);
  for (std::size_t e = 0; e < count; ++e) left[e] = static_cast<std::int32_t>(e);
  while (!left.empty()) {
    const std::size_t base = by_colour.size();
    std::vector<std::uint64_t> used(static_cast<std::size_t>(node_count), 0);
    std::vector<std::int32_t> later;
    for (const std::int32_t e : left) {
      std::uint64_t taken = 0;
      for (const std::int32_t node : nodes.subspan(static_cast<std::size_t>(e) * each, each))
        taken |= used[static_cast<std::size_t>(node)];
      if (taken == ~std::uint64_t{0}) {
        later.push_back(e);
        continue;
      }
      std::size_t colour = 0;
      while ((taken >> colour & 1) != 0) ++colour;
      for (const std::int32_t node : nodes.subspan(static_cast<std::size_t>(e) * each, each))
        used[static_cast<std::size_t>(node)] |= std::uint64_t{1} << colour;
      if (by_colour.size() <= base + colour) by_colour.resize(base + colour + 1);
      by_colour[base + colour].push_back(e);
    }
    left = std::move(later);
  }
  ElementOrder order;
  for (std::vector<std::int32_t>& colour : by_colour) {
    while (colour.size() % ElementOrder::lanes != 0) colour.push_back(-1);
    order.elements.insert(order.elements.end(), colour.begin(), colour.end());
    order.colours.push_back(static_cast<std::int32_t>(order.packs()));
  }
  return order;
}

}  // namespace ymir
