#include "ymir/solvers/graph_partition.h"

#include <algorithm>
#include <cstdio>  // scotch.h needs FILE
#include <numeric>

#include "ymir/base/check.h"

#ifdef YMIR_HAS_SCOTCH
#include <scotch.h>
#endif

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::int64_t weight_of(const NodeGraph& graph, std::int32_t node) {
  return std::max(graph.starts[at(node) + 1] - graph.starts[at(node)], 1);
}

// Nodes `inside` become parts first .. first + parts.
void cut(const NodeGraph& graph, std::span<const Vec3d> positions, std::span<std::int32_t> inside, int first, int parts,
         std::vector<int>& part) {
  if (parts == 1 || inside.empty()) {
    for (const std::int32_t i : inside) part[at(i)] = first;
    return;
  }
  Vec3d low = positions[at(inside[0])], high = low;
  std::int64_t whole = 0;
  for (const std::int32_t i : inside) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], positions[at(i)][k]);
      high[k] = std::max(high[k], positions[at(i)][k]);
    }
    whole += weight_of(graph, i);
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  std::sort(inside.begin(), inside.end(), [&](std::int32_t a, std::int32_t b) {
    const double x = positions[at(a)][axis], y = positions[at(b)][axis];
    return x != y ? x < y : a < b;
  });
  const int lower = parts / 2;
  std::size_t middle = 0;
  for (std::int64_t sum = 0; middle < inside.size() && sum * parts < whole * lower; ++middle)
    sum += weight_of(graph, inside[middle]);
  cut(graph, positions, inside.first(middle), first, lower, part);
  cut(graph, positions, inside.subspan(middle), first + lower, parts - lower, part);
}

}  // namespace

NodeGraph node_graph(std::int32_t nodes, std::span<const std::int32_t> elements, int nodes_each) {
  const std::size_t each = at(nodes_each), count = elements.size() / each;
  std::vector<std::int32_t> first(at(nodes) + 1, 0), around(elements.size());  // elements of each node
  for (const std::int32_t i : elements) ++first[at(i) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::int32_t> next(first.begin(), first.end() - 1);
  for (std::size_t e = 0; e < count; ++e)
    for (const std::int32_t i : elements.subspan(e * each, each))
      around[at(next[at(i)]++)] = static_cast<std::int32_t>(e);
  NodeGraph graph;
  std::vector<std::int32_t> seen(at(nodes), -1);
  for (std::int32_t i = 0; i < nodes; ++i) {
    seen[at(i)] = i;
    for (std::int32_t k = first[at(i)]; k < first[at(i) + 1]; ++k)
      for (const std::int32_t j : elements.subspan(at(around[at(k)]) * each, each))
        if (seen[at(j)] != i) {
          seen[at(j)] = i;
          graph.neighbours.push_back(j);
        }
    graph.starts.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
  }
  return graph;
}

std::vector<int> bisect(const NodeGraph& graph, std::span<const Vec3d> positions, int parts) {
  std::vector<std::int32_t> nodes(at(graph.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<int> part(nodes.size(), 0);
  cut(graph, positions, nodes, 0, parts, part);
  return part;
}

std::vector<int> partition(const NodeGraph& graph, std::span<const Vec3d> positions, int parts) {
#ifdef YMIR_HAS_SCOTCH
  static_cast<void>(positions);
  std::vector<SCOTCH_Num> starts(graph.starts.begin(), graph.starts.end()),
      neighbours(graph.neighbours.begin(), graph.neighbours.end()), weights, part(at(graph.nodes()), 0);
  for (std::int32_t i = 0; i < graph.nodes(); ++i) weights.push_back(static_cast<SCOTCH_Num>(weight_of(graph, i)));
  // One thread, and the seed of the beginning: the same parts every time.
  SCOTCH_Context context;
  SCOTCH_contextInit(&context);
  SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
  SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1);
  SCOTCH_contextThreadSpawn(&context, 1, nullptr);
  SCOTCH_contextRandomReset(&context);
  SCOTCH_Graph scotch, bound;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&scotch);
  SCOTCH_graphInit(&bound);
  SCOTCH_stratInit(&strategy);
  const bool good = SCOTCH_graphBuild(&scotch, 0, graph.nodes(), starts.data(), nullptr, weights.data(), nullptr,
                                      static_cast<SCOTCH_Num>(neighbours.size()), neighbours.data(), nullptr) == 0 &&
                    SCOTCH_contextBindGraph(&context, &scotch, &bound) == 0 &&
                    SCOTCH_graphPart(&bound, parts, &strategy, part.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&bound);
  SCOTCH_graphExit(&scotch);
  SCOTCH_contextExit(&context);
  YMIR_CHECK(good);
  return {part.begin(), part.end()};
#else
  return bisect(graph, positions, parts);
#endif
}

}  // namespace ymir
