#include "ymir/solids/element_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ymir {
namespace {

// Elements that a thread goes through at once: few enough that their rows fit its cache, and that there are blobs for
// all threads.
constexpr std::size_t fewest = 64, most = 512, blobs_wanted = 256;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Blobs {
 public:
  Blobs(std::span<const std::int32_t> nodes, std::size_t each, std::int32_t node_count)
      : nodes_(nodes), each_(each), first_(at(node_count) + 1, 0), around_(nodes.size()) {
    for (const std::int32_t i : nodes) ++first_[at(i) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      around_[at(next[at(nodes[k])]++)] = static_cast<std::int32_t>(k / each);
  }
  std::span<const std::int32_t> nodes_of(std::int32_t element) const {
    return nodes_.subspan(at(element) * each_, each_);
  }

  // From a first element on its neighbours, then theirs; the next blob begins beside the last.
  std::vector<std::vector<std::int32_t>> grow(std::size_t size) const {
    const std::size_t count = nodes_.size() / each_;
    std::vector<std::vector<std::int32_t>> blobs;
    std::vector<char> taken(count, 0);
    std::vector<std::int32_t> reached_by(count, -1), queue;
    std::size_t lowest = 0;
    while (true) {
      while (lowest < count && taken[lowest] != 0) ++lowest;
      if (lowest == count) return blobs;
      auto seed = static_cast<std::int32_t>(lowest);
      for (const std::int32_t e : queue)
        if (taken[at(e)] == 0) {
          seed = e;
          break;
        }
      const auto number = static_cast<std::int32_t>(blobs.size());
      std::vector<std::int32_t>& blob = blobs.emplace_back();
      queue.assign(1, seed);
      reached_by[at(seed)] = number;
      std::size_t head = 0;
      for (; head < queue.size() && blob.size() < size; ++head) {
        blob.push_back(queue[head]);
        taken[at(queue[head])] = 1;
        for (const std::int32_t node : nodes_of(queue[head]))
          for (std::int32_t k = first_[at(node)]; k < first_[at(node) + 1]; ++k) {
            const std::int32_t e = around_[at(k)];
            if (taken[at(e)] != 0 || reached_by[at(e)] == number) continue;
            reached_by[at(e)] = number;
            queue.push_back(e);
          }
      }
      queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(head));
      std::sort(blob.begin(), blob.end());  // as memory has them
    }
  }

 private:
  std::span<const std::int32_t> nodes_;
  std::size_t each_;
  std::vector<std::int32_t> first_, around_;  // elements of each node
};

}  // namespace

// Colours are greedy, as many as it takes: a blob with a node that 64 colours already use waits for the next round.
ElementOrder order_elements(std::span<const std::int32_t> nodes, int nodes_each, std::int32_t node_count) {
  const auto each = static_cast<std::size_t>(nodes_each);
  const Blobs grouped(nodes, each, node_count);
  constexpr auto lanes = static_cast<std::size_t>(ElementOrder::lanes);
  const std::size_t size = std::clamp(nodes.size() / each / blobs_wanted / lanes * lanes, fewest, most);
  std::vector<std::vector<std::int32_t>> left = grouped.grow(size);
  std::vector<std::vector<std::vector<std::int32_t>>> by_colour;
  while (!left.empty()) {
    const std::size_t base = by_colour.size();
    std::vector<std::uint64_t> used(at(node_count), 0);
    std::vector<std::vector<std::int32_t>> later;
    for (std::vector<std::int32_t>& blob : left) {
      std::uint64_t taken = 0;
      for (const std::int32_t e : blob)
        for (const std::int32_t node : grouped.nodes_of(e)) taken |= used[at(node)];
      if (taken == ~std::uint64_t{0}) {
        later.push_back(std::move(blob));
        continue;
      }
      std::size_t colour = 0;
      while ((taken >> colour & 1) != 0) ++colour;
      for (const std::int32_t e : blob)
        for (const std::int32_t node : grouped.nodes_of(e)) used[at(node)] |= std::uint64_t{1} << colour;
      if (by_colour.size() <= base + colour) by_colour.resize(base + colour + 1);
      by_colour[base + colour].push_back(std::move(blob));
    }
    left = std::move(later);
  }
  ElementOrder order;
  for (const auto& colour : by_colour) {
    for (const std::vector<std::int32_t>& blob : colour) {
      order.elements.insert(order.elements.end(), blob.begin(), blob.end());
      while (order.elements.size() % lanes != 0) order.elements.push_back(-1);
      order.blobs.push_back(static_cast<std::int32_t>(order.packs()));
    }
    order.colours.push_back(static_cast<std::int32_t>(order.blobs.size()) - 1);
  }
  return order;
}

}  // namespace ymir
