#include "ymir/solvers/nested_dissection.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "ymir/parallel/threads.h"
#include "ymir/solvers/minimum_separator.h"

namespace ymir {
namespace {

using Indices = std::vector<std::int32_t>;

constexpr std::int32_t leaf_nodes = 100;        // parts up to this size are ordered by minimum degree
constexpr std::int32_t coarsest_nodes = 50;     // shrinking stops here
constexpr std::int32_t task_nodes = 2000;       // parts worth a task of their own
constexpr double largest_half = 0.55;           // of the weight, in either half
constexpr std::int32_t direction_nodes = 3000;  // up to here directions all around are tried
constexpr std::int32_t coarsest_sweeps = 100, finer_sweeps = 4;
constexpr std::int32_t directions = 16;       // tried on the coarsest graph
constexpr std::int32_t direction_rounds = 2;  // of smaller turns, on each graph
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

constexpr int dimensions = 3;
using Direction = std::array<double, dimensions>;

// Coordinates of the nodes in which edges are short, one after the other, and the direction to cut across.
struct Embedding {
  std::vector<double> x;
  Direction direction{};
  double reach = 0;  // angle by which it may be off
};

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
    for (int d = 0; d < dimensions; ++d) {
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
  Embedding embedding{std::vector<double>(dimensions * n)};
  std::vector<double>& x = embedding.x;
  Indices visited;
  distances(graph.graph, 0, x.data(), visited);
  for (int d = 0; d < dimensions; ++d) {
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

// Cuts a graph across directions of its embedding.
class Cutter {
 public:
  Cutter(const WeightedGraph& graph, const std::vector<double>& x) : graph_(graph), x_(x) {
    along_.resize(size());
    half_.resize(size());
  }

  // Halves of equal weight.
  const std::vector<std::int8_t>& halves(const Direction& direction) {
    const std::size_t n = size();
    double low = 1e300, high = -1e300;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t d = 0; d < dimensions; ++d) sum += direction[d] * x_[d * n + i];
      along_[i] = sum;
      low = std::min(low, sum);
      high = std::max(high, sum);
    }
    // The median by bins, then by order within its bin.
    const double scale = high > low ? (bin_count - 1) / (high - low) : 0;
    const auto bin = [&](std::size_t i) { return static_cast<std::int32_t>((along_[i] - low) * scale); };
    bins_.assign(bin_count, 0);
    for (std::size_t i = 0; i < n; ++i) bins_[at(bin(i))] += graph_.node_weights[i];
    std::int32_t weight = 0, middle = 0;
    while (2 * (weight + bins_[at(middle)]) < graph_.weight) weight += bins_[at(middle++)];
    inside_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t b = bin(i);
      half_[i] = b < middle ? 0 : 1;
      if (b == middle) inside_.push_back(static_cast<std::int32_t>(i));
    }
    std::sort(inside_.begin(), inside_.end(), [&](std::int32_t i, std::int32_t j) {
      return along_[at(i)] < along_[at(j)] || (along_[at(i)] == along_[at(j)] && i < j);
    });
    for (const std::int32_t i : inside_) {
      if (2 * weight >= graph_.weight) break;
      half_[at(i)] = 0;
      weight += graph_.node_weights[at(i)];
    }
    return half_;
  }

  // Weight of the edges between the halves.
  std::int64_t cut(const Direction& direction) {
    halves(direction);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size(); ++i)
      if (half_[i] == 0)
        for (std::int32_t e = graph_.graph.starts[i]; e < graph_.graph.starts[i + 1]; ++e)
          sum += half_[at(graph_.graph.neighbours[at(e)])] * graph_.edge_weights[at(e)];
    return sum;
  }

 private:
  static constexpr std::int32_t bin_count = 512;
  std::size_t size() const { return graph_.node_weights.size(); }

  const WeightedGraph& graph_;
  const std::vector<double>& x_;
  std::vector<double> along_;
  std::vector<std::int8_t> half_;
  Indices bins_, inside_;
};

Direction turned(const Direction& from, const Direction& towards, double angle) {
  Direction result;
  double norm = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    result[d] = from[d] + std::tan(angle) * towards[d];
    norm += result[d] * result[d];
  }
  for (double& component : result) component /= std::sqrt(norm);
  return result;
}

// Turns the direction to where the halves have less weight of edges between them.
void improve_direction(const WeightedGraph& graph, Embedding& embedding) {
  Cutter cutter(graph, embedding.x);
  std::int64_t best = cutter.cut(embedding.direction);
  for (std::int32_t round = 0; round < direction_rounds; ++round) {
    const Direction from = embedding.direction;
    // Two directions across: from the axis it is farthest from.
    std::size_t axis = 0;
    for (std::size_t d = 1; d < dimensions; ++d)
      if (std::abs(from[d]) < std::abs(from[axis])) axis = d;
    Direction u{}, v{};
    u[axis] = 1;
    for (std::size_t d = 0; d < dimensions; ++d) u[d] -= from[axis] * from[d];
    const double norm = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (double& component : u) component /= norm;
    v = {from[1] * u[2] - from[2] * u[1], from[2] * u[0] - from[0] * u[2], from[0] * u[1] - from[1] * u[0]};
    bool better = false;
    for (const Direction& across : {u, v})
      for (const double sign : {-1.0, 1.0}) {
        const Direction trial = turned(from, across, sign * embedding.reach);
        const std::int64_t cut = cutter.cut(trial);
        if (cut >= best) continue;
        best = cut;
        embedding.direction = trial;
        better = true;
      }
    if (!better) embedding.reach /= 2;
  }
}

// The best of directions all around, then better ones near it.
void find_direction(const WeightedGraph& graph, Embedding& embedding) {
  Cutter cutter(graph, embedding.x);
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t k = 0; k < directions; ++k) {
    // Evenly over half of the sphere.
    const double z = (k + 0.5) / directions, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * k;
    const Direction trial{r * std::cos(angle), r * std::sin(angle), z};
    const std::int64_t cut = cutter.cut(trial);
    if (cut >= best) continue;
    best = cut;
    embedding.direction = trial;
  }
  embedding.reach = 0.25;
}

Embedding embed(const WeightedGraph& graph) {
  const std::int32_t n = graph.graph.nodes();
  Indices coarse;
  std::int32_t count = n;
  if (n > coarsest_nodes) count = match(graph, coarse);
  Embedding embedding;
  if (count > n - n / 20) {  // small enough, or a star or the like, which does not shrink
    embedding = embed_coarsest(graph);
  } else {
    const WeightedGraph smaller = contract(graph, coarse, count);
    const Embedding image = embed(smaller);
    embedding = {std::vector<double>(dimensions * at(n)), image.direction, image.reach};
    for (std::size_t d = 0; d < dimensions; ++d)
      for (std::size_t i = 0; i < at(n); ++i) embedding.x[d * at(n) + i] = image.x[d * at(count) + at(coarse[i])];
    diffuse(graph, embedding, finer_sweeps);
  }
  if (embedding.reach == 0 || n <= direction_nodes) find_direction(graph, embedding);
  improve_direction(graph, embedding);
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

// The smallest separator among the nodes near the given one, if better. `width`: share of as many nodes as may change
// sides without making a half too large.
void replace_by_smallest(const WeightedGraph& graph, Sides& sides, double width) {
  const auto limit = static_cast<std::int32_t>(largest_half * graph.weight);
  std::vector<std::int8_t> band = sides.of;
  Indices queue;
  for (std::int8_t side = 0; side < 2; ++side) {
    auto room = static_cast<std::int32_t>(width * (limit - sides.weight[1 - side]));
    queue.clear();
    for (std::int32_t i = 0; i < graph.graph.nodes(); ++i)
      if (sides.of[at(i)] == separator) queue.push_back(i);
    for (std::size_t k = 0; k < queue.size() && room > 0; ++k)
      for (const std::int32_t other : graph.graph.of(queue[k]))
        if (band[at(other)] == side && room > 0) {
          band[at(other)] = separator;
          queue.push_back(other);
          --room;
        }
  }
  for (std::vector<std::int8_t>& near : minimum_separators(graph.graph, band).near) {
    Sides trial;
    trial.of = std::move(near);
    for (const std::int8_t side : trial.of) ++trial.weight[side];
    if (trial.cost() < sides.cost()) sides = std::move(trial);
  }
}

Sides separate(const WeightedGraph& graph) {
  const Embedding embedding = embed(graph);
  const std::vector<std::int8_t> half = Cutter(graph, embedding.x).halves(embedding.direction);
  Sides best;
  for (std::int8_t side = 0; side < 2; ++side) {
    Sides sides = border_of(graph, half, side);
    Refinement(graph, sides).run();
    if (best.of.empty() || sides.cost() < best.cost()) best = std::move(sides);
  }
  // From narrow bands to wide ones: what is found near the middle keeps the halves even.
  for (const double width : {0.25, 0.5, 1.0}) replace_by_smallest(graph, best, width);
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
