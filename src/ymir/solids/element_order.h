// Elements in an order that threads and vector lanes can share: colours, in which no two elements have a node in
// common, cut into packs of lanes. Sums at a node are then made colour by colour, the same for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/parallel/threads.h"

namespace ymir {

struct ElementOrder {
  static constexpr int lanes = 4;
  // Elements of all packs, `lanes` each; -1 where a pack is not full.
  std::vector<std::int32_t> elements;
  std::vector<std::int32_t> colours{0};  // packs [colours[c], colours[c + 1]) have colour c

  std::size_t packs() const { return elements.size() / lanes; }
};

// body(p) for packs 0 to count, on threads where there are enough of them: waking others for a few takes longer.
template <class F>
void parallel_packs(std::ptrdiff_t count, F&& body) {
  constexpr std::ptrdiff_t together = 16;
  parallel_blocks(count, together, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t p = begin; p < end; ++p) body(p);
  });
}

// `nodes` holds `nodes_each` nodes per element, end to end.
ElementOrder order_elements(std::span<const std::int32_t> nodes, int nodes_each, std::int32_t node_count);

}  // namespace ymir
