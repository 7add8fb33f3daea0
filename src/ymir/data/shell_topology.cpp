#include "ymir/data/shell_topology.h"

#include <algorithm>
#include <tuple>

namespace ymir {
namespace {

struct Use {  // of an edge by a triangle
  std::int32_t low, high, triangle, side;
  bool forward;  // from low to high
};

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Numbers of vertices in the order in which a front that spreads over the triangles meets them.
std::vector<std::int32_t> spread(std::span<const std::int32_t> triangles, std::size_t vertices) {
  std::vector<std::int32_t> first(vertices + 1, 0);
  for (const std::int32_t v : triangles) ++first[at(v) + 1];
  for (std::size_t v = 0; v < vertices; ++v) first[v + 1] += first[v];
  std::vector<std::int32_t> uses(triangles.size()), next(first.begin(), first.end() - 1);
  for (std::size_t k = 0; k < triangles.size(); ++k)
    uses[at(next[at(triangles[k])]++)] = static_cast<std::int32_t>(k / 3);
  std::vector<std::int32_t> rank(vertices, -1), queue;
  for (std::size_t seed = 0; seed < vertices; ++seed) {
    if (rank[seed] >= 0) continue;
    std::size_t head = queue.size();
    rank[seed] = static_cast<std::int32_t>(queue.size());
    queue.push_back(static_cast<std::int32_t>(seed));
    for (; head < queue.size(); ++head)
      for (std::int32_t u = first[at(queue[head])]; u < first[at(queue[head]) + 1]; ++u)
        for (const std::int32_t v : triangles.subspan(3 * at(uses[at(u)]), 3))
          if (rank[at(v)] < 0) {
            rank[at(v)] = static_cast<std::int32_t>(queue.size());
            queue.push_back(v);
          }
  }
  return rank;
}

// Edges in threes about a vertex where there are so many, what is left by neighbourhood. Returns their new numbers.
std::vector<std::int32_t> pack(const std::vector<std::array<std::int32_t, 2>>& edges,
                               const std::vector<std::int32_t>& rank) {
  std::vector<std::int32_t> order(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) order[e] = static_cast<std::int32_t>(e);
  const auto ends = [&](std::int32_t e) { return std::minmax(rank[at(edges[at(e)][0])], rank[at(edges[at(e)][1])]); };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return ends(a) < ends(b); });
  std::vector<std::vector<std::int32_t>> of_vertex(rank.size());
  for (const std::int32_t e : order) {
    const auto [a, b] = ends(e);
    (of_vertex[at(a)].size() <= of_vertex[at(b)].size() ? of_vertex[at(a)] : of_vertex[at(b)]).push_back(e);
  }
  std::vector<std::int32_t> packed, left;
  for (const auto& own : of_vertex) {
    const std::size_t whole = own.size() - own.size() % 3;
    packed.insert(packed.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(whole));
    left.insert(left.end(), own.begin() + static_cast<std::ptrdiff_t>(whole), own.end());
  }
  packed.insert(packed.end(), left.begin(), left.end());
  std::vector<std::int32_t> number(edges.size());
  for (std::size_t k = 0; k < packed.size(); ++k) number[at(packed[k])] = static_cast<std::int32_t>(k);
  return number;
}

}  // namespace

ShellTopology shell_topology(std::span<const std::int32_t> triangles, std::size_t vertices) {
  std::vector<Use> uses;
  for (std::size_t k = 0; k < triangles.size(); ++k) {
    const std::int32_t t = static_cast<std::int32_t>(k / 3), a = triangles[k];
    const std::int32_t b = triangles[3 * at(t) + (k + 1) % 3];
    uses.push_back({std::min(a, b), std::max(a, b), t, static_cast<std::int32_t>(k % 3), a < b});
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  const auto opposite = [&](const Use& u) { return triangles[3 * at(u.triangle) + (at(u.side) + 2) % 3]; };
  const auto hinge = [&](const Use& u, const Use& w) {
    const std::int32_t v0 = u.forward ? u.low : u.high, v1 = u.forward ? u.high : u.low;
    return ShellTopology::Hinge{{v0, v1, opposite(u), opposite(w)}, {u.triangle, w.triangle}};
  };
  ShellTopology topology;
  topology.sides.resize(triangles.size());
  std::vector<std::array<std::int32_t, 2>> edges;
  std::vector<std::array<std::size_t, 2>> pairs;  // of uses, by edge
  for (std::size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    while (end < uses.size() && uses[end].low == uses[begin].low && uses[end].high == uses[begin].high) ++end;
    if (end - begin == 2) {
      edges.push_back({uses[begin].low, uses[begin].high});
      pairs.push_back({begin, begin + 1});
    }
    if (end - begin > 2) ++topology.junction_edges;
    for (std::size_t i = begin; end - begin > 2 && i < end; ++i)
      for (std::size_t j = i + 1; j < end; ++j) topology.junctions.push_back(hinge(uses[i], uses[j]));
  }
  const std::vector<std::int32_t> number = pack(edges, spread(triangles, vertices));
  topology.hinges.resize(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Use &u = uses[pairs[e][0]], &w = uses[pairs[e][1]];
    topology.hinges[at(number[e])] = hinge(u, w);
    topology.sides[3 * at(u.triangle) + at(u.side)] = {opposite(w), number[e], 1};
    topology.sides[3 * at(w.triangle) + at(w.side)] = {opposite(u), number[e], u.forward == w.forward ? 1.0 : -1.0};
  }
  return topology;
}

}  // namespace ymir
