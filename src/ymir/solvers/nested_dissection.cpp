#include "ymir/solvers/nested_dissection.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

using Indices = std::vector<std::int32_t>;

constexpr std::int32_t leaf_nodes = 200;      // parts up to this size are ordered by minimum degree
constexpr std::int32_t coarsest_nodes = 200;  // shrinking stops here
constexpr std::int32_t task_nodes = 2000;     // parts worth a task of their own
constexpr double largest_half = 0.55;         // of the weight, in either half
constexpr std::int32_t direction_nodes = 1500;
constexpr std::int32_t coarsest_sweeps = 40, finer_sweeps = 4;
constexpr std::int32_t directions = 24;         // tried on the coarsest graph
constexpr std::int32_t refined_directions = 3;  // the best of them
constexpr std::int32_t refinement_passes = 4;
constexpr std::int8_t separator = 2;  // side of a node; the halves are 0 and 1

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A graph whose nodes and edges stand for several.
struct WeightedGraph {
  Graph graph;
  Indices node_weights, edge_weights;
  std::int32_t weight = 0;
};

struct Sides {
  std::vector<std::int8_t> of;
  std::int32_t weight[3] = {};

  // Small separators first, then even halves.
  std::int64_t cost() const {
    const std::int64_t total = weight[0] + weight[1] + weight[2];
    const std::int64_t heavy = std::max(weight[0], weight[1]);
    const auto limit = static_cast<std::int64_t>(largest_half * static_cast<double>(total));
    return (std::int64_t{weight[2]} + 4 * std::max<std::int64_t>(0, heavy - limit)) * total +
           std::abs(weight[0] - weight[1]);
  }
};

// Pairs each node with the free neighbour it shares the heaviest edge with. coarse[i]: the pair of node i.
std::int32_t match(const WeightedGraph& fine, Indices& coarse) {
  const std::int32_t n = fine.graph.nodes();
  coarse.assign(at(n), -1);
  const std::int32_t heaviest = std::max(2, 3 * fine.weight / (2 * coarsest_nodes));
  std::int32_t count = 0;
  // A stride that visits every node and no two neighbours of a lattice in turn.
  std::int32_t stride = std::max(1, static_cast<std::int32_t>(0.6180339887 * n));
  while (std::gcd(stride, n) != 1) ++stride;
  for (std::int64_t k = 0, i = 0; k < n; ++k, i = (i + stride) % n) {
    const auto node = static_cast<std::int32_t>(i);
    if (coarse[at(node)] >= 0) continue;
    std::int32_t best = node, best_weight = 0;
    for (std::int32_t e = fine.graph.starts[at(node)]; e < fine.graph.starts[at(node) + 1]; ++e) {
      const std::int32_t other = fine.graph.neighbours[at(e)];
      if (coarse[at(other)] >= 0 || fine.edge_weights[at(e)] <= best_weight) continue;
      if (fine.node_weights[at(node)] + fine.node_weights[at(other)] > heaviest) continue;
      best = other;
      best_weight = fine.edge_weights[at(e)];
    }
    coarse[at(node)] = coarse[at(best)] = count++;
  }
  return count;
}

WeightedGraph contract(const WeightedGraph& fine, const Indices& coarse, std::int32_t count) {
  WeightedGraph result;
  result.weight = fine.weight;
  result.node_weights.assign(at(count), 0);
  Indices members(2 * at(count), -1);
  for (std::int32_t i = 0; i < fine.graph.nodes(); ++i) {
    const std::size_t c = at(coarse[at(i)]);
    members[2 * c + (members[2 * c] >= 0 ? 1 : 0)] = i;
    result.node_weights[c] += fine.node_weights[at(i)];
  }
  result.graph.starts.resize(at(count) + 1);
  result.graph.neighbours.reserve(fine.graph.neighbours.size());
  result.edge_weights.reserve(fine.graph.neighbours.size());
  Indices slot(at(count), -1);
  for (std::int32_t c = 0; c < count; ++c) {
    const auto begin = static_cast<std::int32_t>(result.graph.neighbours.size());
    for (int m = 0; m < 2; ++m) {
      const std::int32_t i = members[2 * at(c) + static_cast<std::size_t>(m)];
      if (i < 0) continue;
      for (std::int32_t e = fine.graph.starts[at(i)]; e < fine.graph.starts[at(i) + 1]; ++e) {
        const std::int32_t d = coarse[at(fine.graph.neighbours[at(e)])];
        if (d == c) continue;
        if (slot[at(d)] < begin) {
          slot[at(d)] = static_cast<std::int32_t>(result.graph.neighbours.size());
          result.graph.neighbours.push_back(d);
          result.edge_weights.push_back(0);
        }
        result.edge_weights[at(slot[at(d)])] += fine.edge_weights[at(e)];
      }
    }
    result.graph.starts[at(c) + 1] = static_cast<std::int32_t>(result.graph.neighbours.size());
  }
  return result;
}

// Moves nodes out of the separator, the best first, even where that makes it grow for a while; what was best is kept.
class Refinement {
 public:
  Refinement(const WeightedGraph& graph, Sides& sides) : graph_(graph), sides_(sides) {
    gain_.resize(2 * sides.of.size());
    locked_.resize(sides.of.size());
  }

  void run() {
    for (std::int32_t pass = 0; pass < refinement_passes; ++pass)
      if (!improve()) break;
  }

 private:
  using Candidate = std::pair<std::int32_t, std::int32_t>;  // gain, node
  struct Change {
    std::int32_t node;
    std::int8_t before;
  };

  void set(std::int32_t node, std::int8_t side) {
    changes_.push_back({node, sides_.of[at(node)]});
    assign(node, side);
  }
  void assign(std::int32_t node, std::int8_t side) {
    const std::int32_t w = graph_.node_weights[at(node)];
    sides_.weight[sides_.of[at(node)]] -= w;
    sides_.weight[side] += w;
    sides_.of[at(node)] = side;
  }

  // The separator loses the node and takes its neighbours on the other side.
  void find_gains(std::int32_t node) {
    const std::int32_t w = graph_.node_weights[at(node)];
    std::int32_t gain[2] = {w, w};
    for (const std::int32_t other : graph_.graph.of(node))
      if (sides_.of[at(other)] != separator) gain[1 - sides_.of[at(other)]] -= graph_.node_weights[at(other)];
    for (std::size_t side = 0; side < 2; ++side) {
      gain_[2 * at(node) + side] = gain[side];
      queue_[side].push({gain[side], node});
    }
  }
  void change_gain(std::int32_t node, std::size_t side, std::int32_t by) {
    gain_[2 * at(node) + side] += by;
    if (!locked_[at(node)]) queue_[side].push({gain_[2 * at(node) + side], node});
  }

  // Drops what is out of date.
  bool has_candidate(std::size_t side) {
    auto& queue = queue_[side];
    while (!queue.empty()) {
      const auto [gain, node] = queue.top();
      if (sides_.of[at(node)] == separator && !locked_[at(node)] && gain == gain_[2 * at(node) + side]) return true;
      queue.pop();
    }
    return false;
  }

  void move(std::int32_t node, std::int8_t side) {
    const auto other_side = static_cast<std::int8_t>(1 - side);
    locked_[at(node)] = 1;
    set(node, side);
    for (const std::int32_t other : graph_.graph.of(node)) {
      if (sides_.of[at(other)] == separator) {
        change_gain(other, at(other_side), -graph_.node_weights[at(node)]);
      } else if (sides_.of[at(other)] == other_side) {
        set(other, separator);
        const std::int32_t w = graph_.node_weights[at(other)];
        for (const std::int32_t next : graph_.graph.of(other))
          if (sides_.of[at(next)] == separator && next != other) change_gain(next, at(side), w);
        find_gains(other);
      }
    }
  }

  bool improve() {
    std::fill(locked_.begin(), locked_.end(), std::uint8_t{0});
    changes_.clear();
    for (auto& queue : queue_) queue = {};
    std::int32_t separator_nodes = 0;
    for (std::int32_t i = 0; i < graph_.graph.nodes(); ++i)
      if (sides_.of[at(i)] == separator) find_gains(i), ++separator_nodes;
    const std::int64_t start = sides_.cost();
    std::int64_t best = start;
    std::size_t best_changes = 0;
    const std::int32_t patience = std::clamp(separator_nodes / 4, 20, 150);
    const auto limit = static_cast<std::int32_t>(largest_half * graph_.weight);
    for (std::int32_t idle = 0; idle < patience; ++idle) {
      const bool can[2] = {has_candidate(0), has_candidate(1)};
      if (!can[0] && !can[1]) break;
      std::size_t side = sides_.weight[0] <= sides_.weight[1] ? 0 : 1;
      if (!can[side] || (can[1 - side] && queue_[1 - side].top().first > queue_[side].top().first)) side = 1 - side;
      const std::size_t light = sides_.weight[0] <= sides_.weight[1] ? 0 : 1;
      if (side != light && sides_.weight[side] + graph_.node_weights[at(queue_[side].top().second)] > limit) {
        if (!can[light]) break;
        side = light;
      }
      const std::int32_t node = queue_[side].top().second;
      queue_[side].pop();
      move(node, static_cast<std::int8_t>(side));
      if (sides_.cost() < best) {
        best = sides_.cost();
        best_changes = changes_.size();
        idle = 0;
      }
    }
    while (changes_.size() > best_changes) {
      assign(changes_.back().node, changes_.back().before);
      changes_.pop_back();
    }
    return best < start;
  }

  const WeightedGraph& graph_;
  Sides& sides_;
  Indices gain_;  // of a node of the separator, by the side it would go to
  std::vector<std::uint8_t> locked_;
  std::priority_queue<Candidate> queue_[2];
  std::vector<Change> changes_;
};

// Distances in edges from a node, the farthest node last in `visited`; other components come after it.
void distances(const Graph& graph, std::int32_t from, double* distance, Indices& visited) {
  std::fill_n(distance, at(graph.nodes()), -1.0);
  visited.clear();
  std::int32_t start = from, next = 0;
  double base = 0;
  while (true) {
    distance[start] = base;
    std::size_t k = visited.size();
    visited.push_back(start);
    for (; k < visited.size(); ++k)
      for (const std::int32_t other : graph.of(visited[k]))
        if (distance[other] < 0) {
          distance[other] = distance[visited[k]] + 1;
          visited.push_back(other);
        }
    base = distance[visited.back()] + 1;
    while (next < graph.nodes() && distance[next] >= 0) ++next;
    if (next == graph.nodes()) return;
    start = next;
  }
}

// Coordinates of the nodes in which edges are short, one after the other.
struct Embedding {
  std::vector<double> x;
  int dimensions = 0;
};
constexpr int most_dimensions = 3;

// Diffusion on the graph, which leaves its slowest modes [Pothen, Simon, Liou 1990], kept apart from each other.
void diffuse(const WeightedGraph& graph, Embedding& embedding, std::int32_t sweeps) {
  const auto n = at(graph.graph.nodes());
  std::vector<double> degree(n, 0), next(n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::int32_t e = graph.graph.starts[i]; e < graph.graph.starts[i + 1]; ++e)
      degree[i] += graph.edge_weights[at(e)];
    degree[i] = std::max(degree[i], 1.0);
    total += degree[i];
  }
  for (std::int32_t sweep = 0; sweep < sweeps; ++sweep)
    for (int d = 0; d < embedding.dimensions; ++d) {
      double* const mine = embedding.x.data() + at(d) * n;
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int32_t e = graph.graph.starts[i]; e < graph.graph.starts[i + 1]; ++e)
          sum += graph.edge_weights[at(e)] * mine[graph.graph.neighbours[at(e)]];
        next[i] = mine[i] + sum / degree[i];
      }
      double mean = 0;
      for (std::size_t i = 0; i < n; ++i) mean += degree[i] * next[i];
      mean /= total;
      for (std::size_t i = 0; i < n; ++i) mine[i] = next[i] - mean;
      for (int e = 0; e < d; ++e) {
        const double* other = embedding.x.data() + at(e) * n;
        double product = 0;
        for (std::size_t i = 0; i < n; ++i) product += degree[i] * mine[i] * other[i];
        for (std::size_t i = 0; i < n; ++i) mine[i] -= product * other[i];
      }
      double norm = 0;
      for (std::size_t i = 0; i < n; ++i) norm += degree[i] * mine[i] * mine[i];
      const double scale = norm > 0 ? 1 / std::sqrt(norm) : 0;
      for (std::size_t i = 0; i < n; ++i) mine[i] *= scale;
    }
}

// From distances to ends of the graph that are far from each other.
Embedding embed_coarsest(const WeightedGraph& graph) {
  const auto n = at(graph.graph.nodes());
  Embedding embedding{std::vector<double>(most_dimensions * n), most_dimensions};
  std::vector<double>& x = embedding.x;
  Indices visited;
  distances(graph.graph, 0, x.data(), visited);
  for (int d = 0; d < most_dimensions; ++d) {
    std::int32_t seed = visited.back();
    if (d > 0) {
      double farthest = -1;
      for (std::size_t i = 0; i < n; ++i) {
        double nearest = x[i];
        for (int e = 1; e < d; ++e) nearest = std::min(nearest, x[at(e) * n + i]);
        if (nearest > farthest) farthest = nearest, seed = static_cast<std::int32_t>(i);
      }
    }
    distances(graph.graph, seed, x.data() + at(d) * n, visited);
  }
  diffuse(graph, embedding, coarsest_sweeps);
  return embedding;
}

// Halves of equal weight by the first coordinate.
std::vector<std::int8_t> halves_of(const WeightedGraph& graph, const std::vector<double>& along) {
  const auto n = at(graph.graph.nodes());
  std::vector<std::pair<double, std::int32_t>> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = {along[i], static_cast<std::int32_t>(i)};
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int8_t> half(n, 1);
  std::int32_t weight = 0;
  for (const auto& [value, node] : sorted) {
    if (2 * weight >= graph.weight) break;
    half[at(node)] = 0;
    weight += graph.node_weights[at(node)];
  }
  return half;
}

// The directions across which halves have the least weight of edges between them, the best first.
std::vector<std::vector<double>> best_directions(const WeightedGraph& graph, const Embedding& embedding) {
  const auto n = at(graph.graph.nodes());
  struct Trial {
    std::int64_t cut;
    std::vector<double> along;
  };
  std::vector<Trial> trials(at(directions));
  for (std::int32_t k = 0; k < directions; ++k) {
    // Evenly over half of the sphere.
    const double z = (k + 0.5) / directions, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * k;
    const double direction[most_dimensions] = {r * std::cos(angle), r * std::sin(angle), z};
    auto& [cut, along] = trials[at(k)];
    along.assign(n, 0);
    for (int d = 0; d < most_dimensions; ++d)
      for (std::size_t i = 0; i < n; ++i) along[i] += direction[d] * embedding.x[at(d) * n + i];
    const std::vector<std::int8_t> half = halves_of(graph, along);
    cut = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (half[i] == 0)
        for (std::int32_t e = graph.graph.starts[i]; e < graph.graph.starts[i + 1]; ++e)
          cut += half[at(graph.graph.neighbours[at(e)])] * graph.edge_weights[at(e)];
  }
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.cut < b.cut; });
  std::vector<std::vector<double>> best;
  for (std::int32_t k = 0; k < refined_directions; ++k) best.push_back(std::move(trials[at(k)].along));
  return best;
}

// On large graphs one coordinate is left, in the direction that was best on a smaller one.
Embedding embed(const WeightedGraph& graph) {
  const std::int32_t n = graph.graph.nodes();
  if (n <= coarsest_nodes) return embed_coarsest(graph);
  Indices coarse;
  const std::int32_t count = match(graph, coarse);
  if (count > n - n / 20) return embed_coarsest(graph);  // stars and the like do not shrink
  const WeightedGraph smaller = contract(graph, coarse, count);
  Embedding image = embed(smaller);
  if (image.dimensions > 1 && n > direction_nodes) image = {best_directions(smaller, image).front(), 1};
  Embedding embedding{std::vector<double>(at(image.dimensions) * at(n)), image.dimensions};
  for (int d = 0; d < image.dimensions; ++d)
    for (std::int32_t i = 0; i < n; ++i)
      embedding.x[at(d) * at(n) + at(i)] = image.x[at(d) * at(count) + at(coarse[at(i)])];
  diffuse(graph, embedding, finer_sweeps);
  return embedding;
}

// The border of one half becomes the separator.
Sides border_of(const WeightedGraph& graph, const std::vector<std::int8_t>& half, std::int8_t side) {
  Sides sides;
  sides.of = half;
  for (std::int32_t i = 0; i < graph.graph.nodes(); ++i) {
    if (half[at(i)] == side)
      for (const std::int32_t other : graph.graph.of(i))
        if (half[at(other)] != side) sides.of[at(i)] = separator;
    sides.weight[sides.of[at(i)]] += graph.node_weights[at(i)];
  }
  return sides;
}

Sides separate(const WeightedGraph& graph) {
  Embedding embedding = embed(graph);
  std::vector<std::vector<double>> trials;
  if (embedding.dimensions > 1)
    trials = best_directions(graph, embedding);
  else
    trials.push_back(std::move(embedding.x));
  Sides best;
  for (const std::vector<double>& along : trials) {
    const std::vector<std::int8_t> half = halves_of(graph, along);
    for (std::int8_t side = 0; side < 2; ++side) {
      Sides sides = border_of(graph, half, side);
      Refinement(graph, sides).run();
      if (best.of.empty() || sides.cost() < best.cost()) best = std::move(sides);
    }
  }
  return best;
}

// The part of a graph on one side, and the nodes it is made of.
Graph part_of(const Graph& graph, const Sides& sides, std::int8_t side, Indices& members) {
  Indices place(at(graph.nodes()));
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    if (sides.of[at(i)] == side) {
      place[at(i)] = static_cast<std::int32_t>(members.size());
      members.push_back(i);
    }
  Graph part;
  part.starts.reserve(members.size() + 1);
  for (const std::int32_t i : members) {
    for (const std::int32_t other : graph.of(i))
      if (sides.of[at(other)] == side) part.neighbours.push_back(place[at(other)]);
    part.starts.push_back(static_cast<std::int32_t>(part.neighbours.size()));
  }
  return part;
}

// Writes names[i] of every node i in the order found.
void dissect(Graph graph, Indices names, std::int32_t* order, ParallelFailure& failure) {
  const std::int32_t n = graph.nodes();
  const auto by_degree = [&] {
    const Indices local = minimum_degree(graph);
    for (std::size_t k = 0; k < local.size(); ++k) order[k] = names[at(local[k])];
  };
  if (n <= leaf_nodes) return by_degree();
  Sides sides;
  {
    WeightedGraph weighted;
    weighted.graph = std::move(graph);
    weighted.node_weights.assign(at(n), 1);
    weighted.edge_weights.assign(weighted.graph.neighbours.size(), 1);
    weighted.weight = n;
    sides = separate(weighted);
    graph = std::move(weighted.graph);
  }
  // A graph that does not come apart is better left to minimum degree.
  if (sides.weight[0] == 0 || sides.weight[1] == 0 || 2 * sides.weight[2] > n) return by_degree();
  Graph halves[2];
  Indices half_names[2];
  for (int side = 0; side < 2; ++side) {
    halves[side] = part_of(graph, sides, static_cast<std::int8_t>(side), half_names[side]);
    for (std::int32_t& name : half_names[side]) name = names[at(name)];
  }
  std::int32_t* last = order + sides.weight[0] + sides.weight[1];
  for (std::int32_t i = 0; i < n; ++i)
    if (sides.of[at(i)] == separator) *last++ = names[at(i)];
  graph = {};
  std::int32_t* second = order + sides.weight[0];
#pragma omp task if (n > task_nodes) default(shared)
  failure.guard([&] { dissect(std::move(halves[0]), std::move(half_names[0]), order, failure); });
  failure.guard([&] { dissect(std::move(halves[1]), std::move(half_names[1]), second, failure); });
#pragma omp taskwait
}

}  // namespace

Indices nested_dissection(const Graph& graph) {
  Indices order(at(graph.nodes())), names(at(graph.nodes()));
  std::iota(names.begin(), names.end(), 0);
  ParallelFailure failure;
#pragma omp parallel if (graph.nodes() > task_nodes)
#pragma omp single
  failure.guard([&] { dissect(graph, std::move(names), order.data(), failure); });
  failure.rethrow();
  return order;
}

Indices minimum_degree(const Graph& graph) {
  const std::int32_t n = graph.nodes();
  Indices starts{0}, rows;
  starts.reserve(at(n) + 1);
  rows.reserve(at(n) + graph.neighbours.size() / 2);
  for (std::int32_t j = 0; j < n; ++j) {
    rows.push_back(j);
    for (const std::int32_t i : graph.of(j))
      if (i > j) rows.push_back(i);
    starts.push_back(static_cast<std::int32_t>(rows.size()));
  }
  const std::vector<double> ones(rows.size(), 1.0);
  using Pattern = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;
  const Eigen::Map<const Pattern> lower(n, n, static_cast<Eigen::Index>(rows.size()), starts.data(), rows.data(),
                                        ones.data());
  const Pattern pattern = lower;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, std::int32_t> order;
  Eigen::AMDOrdering<std::int32_t>()(pattern.selfadjointView<Eigen::Lower>(), order);
  return {order.indices().data(), order.indices().data() + order.size()};
}

}  // namespace ymir
