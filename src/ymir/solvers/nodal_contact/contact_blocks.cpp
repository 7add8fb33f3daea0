#include "ymir/solvers/nodal_contact/contact_blocks.h"

#include <algorithm>
#include <utility>

namespace ymir {
namespace {

constexpr std::int32_t block_nodes = 2048;  // 64 kB of velocities

// What blocks are made of: a piece, or a part of a large one.
std::vector<std::int32_t> unit_starts(std::span<const std::int32_t> pieces) {
  std::vector<std::int32_t> starts;
  for (std::size_t p = 0; p + 1 < pieces.size(); ++p)
    for (std::int32_t node = pieces[p]; node < pieces[p + 1]; node += block_nodes) starts.push_back(node);
  starts.push_back(pieces.back());
  return starts;
}

// Both ways, ascending, each once.
std::vector<std::pair<std::int32_t, std::int32_t>> neighbours(const ContactList& list,
                                                              std::span<const std::int32_t> first_node,
                                                              std::span<const std::int32_t> unit_of) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  const auto unit = [&](const ContactNode& n) {
    return unit_of[static_cast<std::size_t>(first_node[static_cast<std::size_t>(n.body)] + n.node)];
  };
  for (const NodeContact& c : list.contacts) {
    const std::span<const ContactNode> nodes = list.nodes_of(c);
    for (std::size_t k = 1; k < nodes.size(); ++k)
      if (const std::int32_t a = unit(nodes[0]), b = unit(nodes[k]); a != b) {
        edges.emplace_back(a, b);
        edges.emplace_back(b, a);
      }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

std::vector<std::int32_t> contact_blocks(const ContactList& list, std::span<const std::int32_t> first_node,
                                         std::span<const std::int32_t> pieces) {
  const std::vector<std::int32_t> starts = unit_starts(pieces);
  const std::size_t units = starts.size() - 1;
  std::vector<std::int32_t> unit_of(static_cast<std::size_t>(pieces.back()));
  for (std::size_t u = 0; u < units; ++u)
    std::fill(unit_of.begin() + starts[u], unit_of.begin() + starts[u + 1], static_cast<std::int32_t>(u));
  const auto edges = neighbours(list, first_node, unit_of);

  std::vector<std::int32_t> block(units, -1), waits_for(units, -1), queue;
  std::int32_t current = 0, filled = 0;
  std::size_t head = 0, seed = 0;
  for (;;) {
    if (head == queue.size()) {
      while (seed < units && block[seed] >= 0) ++seed;
      if (seed == units) break;
      queue.push_back(static_cast<std::int32_t>(seed));
    }
    const auto u = static_cast<std::size_t>(queue[head++]);
    if (block[u] >= 0) continue;
    const std::int32_t size = starts[u + 1] - starts[u];
    if (filled > 0 && filled + size > block_nodes) {  // the next block grows from here
      ++current, filled = 0;
      queue.clear(), head = 0;
    }
    block[u] = current, filled += size;
    const auto from = std::lower_bound(edges.begin(), edges.end(), std::pair(static_cast<std::int32_t>(u), -1));
    for (auto e = from; e != edges.end() && e->first == static_cast<std::int32_t>(u); ++e) {
      const auto next = static_cast<std::size_t>(e->second);
      if (block[next] >= 0 || waits_for[next] == current) continue;
      waits_for[next] = current;
      queue.push_back(e->second);
    }
  }
  for (std::int32_t& u : unit_of) u = block[static_cast<std::size_t>(u)];
  return unit_of;
}

}  // namespace ymir
