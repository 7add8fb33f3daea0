#include "ymir/solvers/amg/aggregation.h"

#include <algorithm>
#include <cmath>

#include "ymir/parallel/threads.h"

namespace ymir::amg {
namespace {

constexpr Index unlinked = -1, unassigned = -2;

// Aggregates of one block, numbered from 0.
class BlockAggregation {
 public:
  BlockAggregation(const Graph& graph, Index begin, Index end, Index* of)
      : g_(graph), begin_(begin), end_(end), of_(of) {}

  Index run(bool wide) {
    for (Index i = begin_; i < end_; ++i) of_[i] = g_.starts[i] < g_.starts[i + 1] ? unassigned : unlinked;
    for (Index i = begin_; i < end_; ++i)
      if (free(i) && alone(i)) take(i, wide);
    join_leftovers();
    for (Index i = begin_; i < end_; ++i)
      if (free(i)) take(i, false);
    return count_;
  }

 private:
  bool inside(Index i) const { return i >= begin_ && i < end_; }
  bool free(Index i) const { return of_[i] == unassigned; }
  bool alone(Index i) const {
    bool any = false;
    for (Index k = g_.starts[i]; k < g_.starts[i + 1]; ++k) {
      if (!inside(g_.columns[k]) || !g_.strong(i, k)) continue;
      if (!free(g_.columns[k])) return false;
      any = true;
    }
    return any;
  }
  void take_neighbours(Index i) {
    for (Index k = g_.starts[i]; k < g_.starts[i + 1]; ++k) {
      const Index j = g_.columns[k];
      if (!inside(j) || !free(j) || !g_.strong(i, k)) continue;
      of_[j] = count_;
      members_.push_back(j);
    }
  }
  void take(Index root, bool wide) {
    members_.clear();
    of_[root] = count_;
    take_neighbours(root);
    if (wide)
      for (std::size_t m = 0, near = members_.size(); m < near; ++m) take_neighbours(members_[m]);
    ++count_;
  }
  void join_leftovers() {
    std::vector<std::pair<Index, Index>> joins;
    for (Index i = begin_; i < end_; ++i) {
      if (!free(i)) continue;
      float most = 0;
      Index to = -1;
      for (Index k = g_.starts[i]; k < g_.starts[i + 1]; ++k) {
        const Index j = g_.columns[k];
        if (!inside(j) || of_[j] < 0 || !(std::abs(g_.values[k]) > most)) continue;
        most = std::abs(g_.values[k]);
        to = of_[j];
      }
      if (to >= 0) joins.emplace_back(i, to);
    }
    for (const auto& [i, to] : joins) of_[i] = to;
  }

  const Graph& g_;
  Index begin_, end_;
  Index* of_;
  Index count_ = 0;
  std::vector<Index> members_;
};

void set_first(Aggregates& a, const std::vector<Index>& counts) {
  a.count = 0;
  for (const Index count : counts) {
    a.first.push_back(a.count);
    a.count += count;
  }
  a.first.push_back(a.count);
}

// Numbers the aggregates of blocks one after another.
void number_blocks(Aggregates& a, Index block, const std::vector<Index>& counts) {
  set_first(a, counts);
  parallel_blocks(static_cast<std::ptrdiff_t>(a.of.size()), block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i)
      if (Index& of = a.of[static_cast<std::size_t>(i)]; of >= 0)
        of += a.first[static_cast<std::size_t>(begin / block)];
  });
}

Vec3i halved(Vec3i v) { return {v.x >> 1, v.y >> 1, v.z >> 1}; }

}  // namespace

Aggregates smoothed_aggregates(const Graph& graph, bool wide) {
  Aggregates a;
  a.of.resize(static_cast<std::size_t>(graph.rows));
  const Index block = block_rows(graph.rows);
  std::vector<Index> counts(static_cast<std::size_t>((graph.rows + block - 1) / block));
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    counts[static_cast<std::size_t>(begin / block)] =
        BlockAggregation(graph, static_cast<Index>(begin), static_cast<Index>(end), a.of.data()).run(wide);
  });
  number_blocks(a, block, counts);
  return a;
}

Aggregates split_aggregates(const Graph& graph, std::vector<Vec3i>& cells, Index& divided) {
  Aggregates a;
  a.of.assign(static_cast<std::size_t>(graph.rows), unlinked);
  std::vector<Index>& root = a.of;  // until they are numbered: the first row of the aggregate
  const Index block = block_rows(graph.rows);
  std::vector<Index> counts(static_cast<std::size_t>((graph.rows + block - 1) / block), 0);
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<Index> part;
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      if (graph.starts[i] == graph.starts[i + 1]) continue;
      const Vec3i home = halved(cells[static_cast<std::size_t>(i)]);
      // Only the first row of a part writes.
      part.assign(1, i);
      bool first = true;
      for (std::size_t m = 0; m < part.size() && first; ++m)
        for (Index k = graph.starts[part[m]]; k < graph.starts[part[m] + 1] && first; ++k) {
          const Index j = graph.columns[k];
          if (j >= graph.rows || !(halved(cells[static_cast<std::size_t>(j)]) == home)) continue;
          first = j >= i;
          if (std::find(part.begin(), part.end(), j) == part.end()) part.push_back(j);
        }
      if (!first) continue;
      for (const Index j : part) root[static_cast<std::size_t>(j)] = i;
      ++counts[static_cast<std::size_t>(begin / block)];
    }
  });
  set_first(a, counts);
  std::vector<Vec3i> coarse(static_cast<std::size_t>(a.count));
  std::vector<Index> number(static_cast<std::size_t>(graph.rows));
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    Index next = a.first[static_cast<std::size_t>(begin / block)];
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (root[i] == static_cast<Index>(i)) {
        coarse[static_cast<std::size_t>(next)] = halved(cells[i]);
        number[i] = next++;
      }
  });
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (root[i] >= 0) root[i] = number[static_cast<std::size_t>(root[i])];
  });
  cells = std::move(coarse);
  std::vector<Vec3i> blocks = cells;
  const auto before = [](Vec3i p, Vec3i q) { return p.z != q.z ? p.z < q.z : p.y != q.y ? p.y < q.y : p.x < q.x; };
  std::sort(blocks.begin(), blocks.end(), before);
  for (std::size_t i = 1; i < blocks.size(); ++i)
    if (blocks[i] == blocks[i - 1] && (i == 1 || !(blocks[i] == blocks[i - 2]))) ++divided;
  return a;
}

}  // namespace ymir::amg
