// Elements in an order that threads and vector lanes can share: blobs of neighbours, which a thread goes through by
// itself, in colours, in which no two blobs have a node in common. Sums at a node are then made in an order that does
// not depend on the number of threads, and the rows of a blob stay in the cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/parallel/threads.h"

namespace ymir {

struct ElementOrder {
  static constexpr int lanes = 4;
  // Elements of all packs, `lanes` each; -1 where a pack is not full. Those of a pack may have nodes in common.
  std::vector<std::int32_t> elements;
  std::vector<std::int32_t> blobs{0};    // packs [blobs[b], blobs[b + 1]) are those of blob b
  std::vector<std::int32_t> colours{0};  // blobs [colours[c], colours[c + 1]) have colour c

  std::size_t packs() const { return elements.size() / lanes; }

  // f(number of the pack), so that no node is met by two threads at once.
  template <class F>
  void for_each_pack(F&& f) const {
    for (std::size_t c = 0; c + 1 < colours.size(); ++c)
      parallel_for(colours[c + 1] - colours[c], [&](std::ptrdiff_t k) {
        const auto b = static_cast<std::size_t>(colours[c] + k);
        for (std::int32_t p = blobs[b]; p < blobs[b + 1]; ++p) f(static_cast<std::size_t>(p));
      });
  }
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
