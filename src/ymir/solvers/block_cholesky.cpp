#include "ymir/solvers/block_cholesky.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// Subtrees stop where they cost less than this share of the whole, or than a few ms: enough of them for many threads.
constexpr double subtree_share = 1.0 / 64, subtree_flops = 2e7;
constexpr double parallel_flops = 1e8;    // of a matrix for which threads are called
constexpr double front_flops = 1e8;       // of a front that is shared
constexpr double parallel_entries = 2e6;  // of a factor with which solves are shared
constexpr int sides_at_once = 4;
constexpr std::int32_t tile_nodes = tile_rows / 3;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

Graph graph_of(const BlockMatrix& a) {
  const std::int32_t n = a.nodes();
  Graph graph;
  graph.starts.assign(at(n) + 1, 0);
  for (std::int32_t j = 0; j < n; ++j)
    for (std::int32_t s = a.starts()[at(j)] + 1; s < a.starts()[at(j) + 1]; ++s) {
      ++graph.starts[at(j) + 1];
      ++graph.starts[at(a.rows()[at(s)]) + 1];
    }
  for (std::size_t i = 1; i < graph.starts.size(); ++i) graph.starts[i] += graph.starts[i - 1];
  graph.neighbours.resize(at(graph.starts.back()));
  std::vector<std::int32_t> next(graph.starts.begin(), graph.starts.end() - 1);
  for (std::int32_t j = 0; j < n; ++j)
    for (std::int32_t s = a.starts()[at(j)] + 1; s < a.starts()[at(j) + 1]; ++s) {
      const std::int32_t i = a.rows()[at(s)];
      graph.neighbours[at(next[at(j)]++)] = i;
      graph.neighbours[at(next[at(i)]++)] = j;
    }
  return graph;
}

// Entry (0, 0) of a block in the factor, from the corner on; row and column are nodes of the front.
std::size_t place_in(const Front& shape, std::int32_t row, std::int32_t column) {
  const std::int32_t pivot_nodes = shape.pivots / 3;
  const bool in_corner = row < pivot_nodes;
  const std::int32_t r = in_corner ? row : row - pivot_nodes;
  const std::size_t start = in_corner ? triangle_start(r / tile_nodes)
                                      : triangle_size(shape.pivots) + at(r / tile_nodes) * below_stride(shape.pivots);
  return start + at(3 * column) * tile_rows + at(3 * (r % tile_nodes));
}

// Adds the first `count` blocks of one row of nodes of an update matrix where `columns` says.
void add_row(double* to, const double* from, const std::int32_t* columns, std::int32_t count) {
  for (std::int32_t k = 0; k < count; ++k, from += 3 * tile_rows) {
    double* block = to + at(3 * columns[k]) * tile_rows;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) block[tile_rows * c + r] += from[tile_rows * c + r];
  }
}

}  // namespace

void BlockCholesky::Release::operator()(double* memory) const { std::free(memory); }

BlockCholesky::Memory BlockCholesky::allocate(std::size_t count) {
  constexpr std::size_t small = 64, large = std::size_t{1} << 21;
  const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(double);
  const std::size_t alignment = bytes < 4 * large ? small : large;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  Memory memory(static_cast<double*>(std::aligned_alloc(alignment, whole)));
  if (!memory) throw std::bad_alloc();
  // Fronts are read in strides: large pages save most of the address translation. Where refused, nothing is lost.
  if (alignment == large) madvise(memory.get(), whole, MADV_HUGEPAGE);
  return memory;
}

void BlockCholesky::analyze(const BlockMatrix& a) {
  factored_ = false;
  bad_node_ = -1;
  block_count_ = a.block_count();
  {
    const Graph graph = graph_of(a);
    tree_ = find_supernodes(graph, nested_dissection(graph));
  }
  const std::int32_t count = tree_.count();
  supernodes_.assign(at(count), {});
  factor_entries_ = 0;
  flops_ = 0;
  std::size_t entries = 0, pivot_tiles = 0, other_tiles = 0;
  for (std::int32_t s = 0; s < count; ++s) {
    Supernode& node = supernodes_[at(s)];
    node.pivots = 3 * tree_.columns(s);
    node.others = 3 * static_cast<std::int32_t>(tree_.rows_of(s).size());
    node.corner = entries;
    node.below = node.corner + triangle_size(node.pivots);
    entries = node.below + below_size(node.pivots, node.others);
    node.pivot_tile = pivot_tiles;
    node.other_tile = other_tiles;
    pivot_tiles += at(tiles_of(node.pivots));
    other_tiles += at(tiles_of(node.others));
    for (std::int32_t k = 0; k < node.pivots; ++k) {
      const double column = node.pivots - k + node.others;
      factor_entries_ += static_cast<std::int64_t>(column);
      flops_ += column * column;
    }
  }

  // Children, in ascending order.
  for (std::int32_t s = 0; s < count; ++s)
    if (tree_.parent[at(s)] >= 0) ++supernodes_[at(tree_.parent[at(s)])].end_child;
  std::int32_t total = 0;
  for (Supernode& node : supernodes_) {
    node.first_child = total;
    total += node.end_child;
    node.end_child = node.first_child;
  }
  children_.resize(at(total));
  for (std::int32_t s = 0; s < count; ++s)
    if (tree_.parent[at(s)] >= 0) children_[at(supernodes_[at(tree_.parent[at(s)])].end_child++)] = s;

  relative_.resize(tree_.rows.size());
  for (std::int32_t s = 0; s < count; ++s) {
    const std::int32_t parent = tree_.parent[at(s)];
    if (parent < 0) continue;
    const auto rows = tree_.rows_of(s), above = tree_.rows_of(parent);
    const std::int32_t first = tree_.first[at(parent)], columns = tree_.columns(parent);
    std::int32_t* to = relative_.data() + tree_.row_starts[at(s)];
    std::size_t k = 0;
    for (const std::int32_t row : rows) {
      if (row < first + columns) {
        *to++ = row - first;
        continue;
      }
      while (above[k] != row) ++k;
      *to++ = columns + static_cast<std::int32_t>(k);
    }
  }
  place_blocks(a);
  choose_subtrees();
  place_updates();
  factor_ = allocate(entries);
  pivot_vectors_ = allocate(pivot_tiles * tile_rows * sides_at_once);
  other_vectors_ = allocate(other_tiles * tile_rows * sides_at_once);
}

void BlockCholesky::place_blocks(const BlockMatrix& a) {
  const std::int32_t count = tree_.count(), n = a.nodes();
  std::vector<std::int32_t> rank(at(n)), supernode_of(at(n));
  for (std::int32_t k = 0; k < n; ++k) rank[at(tree_.order[at(k)])] = k;
  for (std::int32_t s = 0; s < count; ++s)
    std::fill(supernode_of.begin() + tree_.first[at(s)], supernode_of.begin() + tree_.first[at(s) + 1], s);

  // By supernode, then by column of the front: all blocks of a node of A by its place in the order.
  std::vector<std::size_t> starts(at(n) + 1, 0);
  for (std::int32_t j = 0; j < n; ++j)
    for (std::int32_t k = a.starts()[at(j)]; k < a.starts()[at(j) + 1]; ++k)
      ++starts[at(std::min(rank[at(j)], rank[at(a.rows()[at(k)])])) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  for (std::int32_t s = 0; s < count; ++s) {
    supernodes_[at(s)].first_block = starts[at(tree_.first[at(s)])];
    supernodes_[at(s)].end_block = starts[at(tree_.first[at(s) + 1])];
  }
  blocks_.resize(a.block_count());
  struct Entry {
    std::int32_t row;
    std::int32_t column;
  };
  std::vector<Entry> entries(a.block_count());
  for (std::int32_t j = 0; j < n; ++j)
    for (std::int32_t k = a.starts()[at(j)]; k < a.starts()[at(j) + 1]; ++k) {
      const std::int32_t i = rank[at(a.rows()[at(k)])], column = std::min(i, rank[at(j)]);
      const std::size_t slot = starts[at(column)]++;
      blocks_[slot] = {k, i < rank[at(j)], 0};
      entries[slot] = {std::max(i, rank[at(j)]), column};
    }
  parallel_for(count, [&](std::ptrdiff_t index) {
    const auto s = static_cast<std::int32_t>(index);
    const Supernode& node = supernodes_[at(s)];
    const auto rows = tree_.rows_of(s);
    const std::int32_t first = tree_.first[at(s)], columns = tree_.columns(s);
    const Front shape{node.pivots, node.others, nullptr, nullptr, nullptr};
    for (std::size_t b = node.first_block; b < node.end_block; ++b) {
      const auto [row, column] = entries[b];
      const std::int32_t place =
          row < first + columns
              ? row - first
              : columns + static_cast<std::int32_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
      blocks_[b].place = node.corner + place_in(shape, place, column - first);
    }
  });
}

void BlockCholesky::choose_subtrees() {
  const std::int32_t count = tree_.count();
  std::vector<double> work(at(count), 0);
  std::vector<std::int32_t> first(at(count));
  for (std::int32_t s = 0; s < count; ++s) first[at(s)] = s;
  for (std::int32_t s = 0; s < count; ++s) {
    const Supernode& node = supernodes_[at(s)];
    const double p = node.pivots, q = node.others;
    work[at(s)] += p * p * p / 3 + p * p * q + p * q * q;
    const std::int32_t parent = tree_.parent[at(s)];
    if (parent < 0) continue;
    work[at(parent)] += work[at(s)];
    first[at(parent)] = std::min(first[at(parent)], first[at(s)]);
  }
  const double limit = std::max(subtree_flops, subtree_share * flops_);
  subtrees_.clear();
  subtree_of_.assign(at(count), -1);
  top_.clear();
  for (std::int32_t s = 0; s < count; ++s) {
    const std::int32_t parent = tree_.parent[at(s)];
    if (work[at(s)] > limit)
      top_.push_back(s);
    else if (parent < 0 || work[at(parent)] > limit) {
      subtree_of_[at(s)] = static_cast<std::int32_t>(subtrees_.size());
      subtrees_.push_back({first[at(s)], s + 1});
    }
  }
  bad_.assign(at(count), -1);
}

// Update matrices of a subtree go on two stacks, those of even depth in the tree on one, of odd depth on the other:
// when a supernode is done, its children are on top of one and its own goes onto the other. Above the subtrees, where
// the order of work is open, each has its own place.
void BlockCholesky::place_updates() {
  const std::int32_t count = tree_.count();
  std::vector<std::uint8_t> odd(at(count), 0);
  for (std::int32_t s = count; s-- > 0;)
    if (tree_.parent[at(s)] >= 0) odd[at(s)] = !odd[at(tree_.parent[at(s)])];
  const auto size_of = [&](std::int32_t s) { return triangle_size(supernodes_[at(s)].others); };
  std::size_t base = 0;
  for (const Subtree& subtree : subtrees_) {
    std::size_t height[2] = {}, peak[2] = {};
    for (std::int32_t s = subtree.first; s < subtree.end; ++s) {
      Supernode& node = supernodes_[at(s)];
      std::size_t& mine = height[odd[at(s)]];
      node.update = base + mine;
      mine += size_of(s);
      peak[odd[at(s)]] = std::max(peak[odd[at(s)]], mine);
      for (std::int32_t c = node.first_child; c < node.end_child; ++c)
        height[1 - odd[at(s)]] -= size_of(children_[at(c)]);
    }
    // The stack of odd depth begins where the other ends at its highest.
    for (std::int32_t s = subtree.first; s < subtree.end; ++s)
      if (odd[at(s)]) supernodes_[at(s)].update += peak[0];
    base += peak[0] + peak[1];
  }
  for (const std::int32_t s : top_) {
    supernodes_[at(s)].update = base;
    base += size_of(s);
  }
  updates_ = allocate(base);
}

Front BlockCholesky::front(std::int32_t s) const {
  const Supernode& node = supernodes_[at(s)];
  return {node.pivots, node.others, factor_.get() + node.corner, factor_.get() + node.below,
          updates_.get() + node.update};
}

template <class F>
void BlockCholesky::from_leaves(F&& body) const {
#pragma omp parallel for schedule(dynamic, 1) if (static_cast <double>(factor_entries_) > parallel_entries)
  for (std::size_t t = 0; t < subtrees_.size(); ++t)
    for (std::int32_t s = subtrees_[t].first; s < subtrees_[t].end; ++s) body(s);
  for (const std::int32_t s : top_) body(s);
}

template <class F>
void BlockCholesky::from_roots(F&& body) const {
  for (std::size_t k = top_.size(); k-- > 0;) body(top_[k]);
#pragma omp parallel for schedule(dynamic, 1) if (static_cast <double>(factor_entries_) > parallel_entries)
  for (std::size_t t = 0; t < subtrees_.size(); ++t)
    for (std::int32_t s = subtrees_[t].end; s-- > subtrees_[t].first;) body(s);
}

bool BlockCholesky::factor(const BlockMatrix& a) {
  YMIR_CHECK(at(a.nodes()) == tree_.order.size() && a.block_count() == block_count_);
#pragma omp parallel if (flops_ > parallel_flops)
#pragma omp single
  {
    for (std::int32_t s = 0; s < tree_.count(); ++s)
      if (tree_.parent[at(s)] < 0) {
#pragma omp task default(shared) firstprivate(s)
        factor_task(s, a);
      }
#pragma omp taskwait
  }
  std::int64_t bad = -1;
  for (std::int32_t s = 0; s < tree_.count() && bad < 0; ++s)
    if (tree_.parent[at(s)] < 0) bad = bad_[at(s)];
  factored_ = bad < 0;
  bad_node_ = factored_ ? -1 : tree_.order[static_cast<std::size_t>(bad / 3)];
  return factored_;
}

void BlockCholesky::factor_task(std::int32_t s, const BlockMatrix& a) {
  std::int64_t& bad = bad_[at(s)];
  bad = -1;
  if (subtree_of_[at(s)] >= 0) {
    const Subtree& subtree = subtrees_[at(subtree_of_[at(s)])];
    for (std::int32_t k = subtree.first; k < subtree.end && bad < 0; ++k) bad = factor_supernode(k, a, false);
    return;
  }
  const Supernode& node = supernodes_[at(s)];
  for (std::int32_t c = node.first_child; c < node.end_child; ++c) {
#pragma omp task default(shared) firstprivate(c)
    factor_task(children_[at(c)], a);
  }
#pragma omp taskwait
  for (std::int32_t c = node.first_child; c < node.end_child && bad < 0; ++c) bad = bad_[at(children_[at(c)])];
  const double p = node.pivots, q = node.others;
  if (bad < 0) bad = factor_supernode(s, a, p * (p + q) * (p + q) > front_flops);
}

std::int64_t BlockCholesky::factor_supernode(std::int32_t s, const BlockMatrix& a, bool parallel) {
  const Supernode& node = supernodes_[at(s)];
  const Front f = front(s);
  const std::size_t columns_size = triangle_size(node.pivots) + below_size(node.pivots, node.others);
  const std::size_t update_size = triangle_size(node.others);
  const auto clear = [&](double* from, std::size_t size) {
    constexpr std::size_t piece = std::size_t{1} << 18;
    if (!parallel) {
      std::fill_n(from, size, 0.0);
      return;
    }
#pragma omp taskloop grainsize(1) default(shared)
    for (std::size_t begin = 0; begin < size; begin += piece)
      std::fill(from + begin, from + std::min(begin + piece, size), 0.0);
  };
  clear(f.corner, columns_size);
  clear(f.update, update_size);
  for (std::size_t b = node.first_block; b < node.end_block; ++b) {
    const double* from = a.block(blocks_[b].slot);
    double* to = factor_.get() + blocks_[b].place;
    const int across = blocks_[b].transposed ? 3 : 1, down = blocks_[b].transposed ? 1 : 3;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) to[tile_rows * c + r] = from[down * r + across * c];
  }
  for (std::int32_t c = node.first_child; c < node.end_child; ++c) add_update(children_[at(c)], s, parallel);
  const std::int32_t bad = factor_front(f, parallel);
  return bad < 0 ? -1 : 3 * std::int64_t{tree_.first[at(s)]} + bad;
}

void BlockCholesky::add_update(std::int32_t child, std::int32_t parent, bool parallel) {
  const Front from = front(child), to = front(parent);
  const std::int32_t* relative = relative_.data() + tree_.row_starts[at(child)];
  const std::int32_t nodes = from.others / 3, pivot_nodes = to.pivots / 3;
  // Of the columns of the child the first ones go to pivots of the parent.
  const auto split = static_cast<std::int32_t>(std::lower_bound(relative, relative + nodes, pivot_nodes) - relative);
  const std::size_t below_start = static_cast<std::size_t>(to.below - to.corner);
  const auto add = [&](std::int32_t row) {
    const double* source = from.update + triangle_start(row / tile_nodes) + 3 * (row % tile_nodes);
    const std::int32_t place = relative[row];
    if (place < pivot_nodes) return add_row(to.corner + place_in(to, place, 0), source, relative, row + 1);
    const std::int32_t r = place - pivot_nodes, tile = r / tile_nodes, offset = 3 * (r % tile_nodes);
    add_row(to.corner + below_start + at(tile) * below_stride(to.pivots) + offset, source, relative, split);
    // Columns of the update matrix are counted from its own first.
    double* update = to.update + triangle_start(tile) + offset;
    const double* rest = source + at(3 * split) * tile_rows;
    for (std::int32_t k = split; k <= row; ++k, rest += 3 * tile_rows) {
      double* block = update + at(3 * (relative[k] - pivot_nodes)) * tile_rows;
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i) block[tile_rows * c + i] += rest[tile_rows * c + i];
    }
  };
  if (!parallel) {
    for (std::int32_t row = 0; row < nodes; ++row) add(row);
    return;
  }
#pragma omp taskloop grainsize(32) default(shared)
  for (std::int32_t row = 0; row < nodes; ++row) add(row);
}

void BlockCholesky::solve(const double* b, double* x, int count) const {
  YMIR_CHECK(factored_);
  const std::size_t size = 3 * tree_.order.size();
  for (int done = 0; done < count; done += sides_at_once) {
    const std::size_t from = size * static_cast<std::size_t>(done);
    solve_few(b + from, x + from, std::min(sides_at_once, count - done));
  }
}

void BlockCholesky::solve_few(const double* b, double* x, int count) const {
  from_leaves([&](std::int32_t s) { forward(s, b, count); });
  from_roots([&](std::int32_t s) { backward(s, x, count); });
}

namespace {

// Value of node `place` of a front's vectors, side 0; side r is 12 r further.
double* node_of(double* pivots, double* others, std::int32_t pivot_nodes, std::int32_t place, int count) {
  double* vectors = place < pivot_nodes ? pivots : others;
  const std::int32_t k = place < pivot_nodes ? place : place - pivot_nodes;
  return vectors + at(k / tile_nodes) * at(tile_rows * count) + 3 * (k % tile_nodes);
}

}  // namespace

void BlockCholesky::forward(std::int32_t s, const double* b, int count) const {
  const Supernode& node = supernodes_[at(s)];
  const std::size_t size = 3 * tree_.order.size(), step = at(tile_rows * count);
  double* pivots = pivot_vectors_.get() + node.pivot_tile * step;
  double* others = other_vectors_.get() + node.other_tile * step;
  std::fill_n(pivots, at(tiles_of(node.pivots)) * step, 0.0);
  std::fill_n(others, at(tiles_of(node.others)) * step, 0.0);
  const std::int32_t pivot_nodes = node.pivots / 3;
  for (std::int32_t k = 0; k < pivot_nodes; ++k) {
    double* to = node_of(pivots, others, pivot_nodes, k, count);
    const double* from = b + 3 * at(tree_.order[at(tree_.first[at(s)] + k)]);
    for (int r = 0; r < count; ++r) std::copy_n(from + at(r) * size, 3, to + tile_rows * r);
  }
  for (std::int32_t c = node.first_child; c < node.end_child; ++c) {
    const std::int32_t child = children_[at(c)];
    const std::int32_t* relative = relative_.data() + tree_.row_starts[at(child)];
    double* theirs = other_vectors_.get() + supernodes_[at(child)].other_tile * step;
    for (std::int32_t k = 0; k < supernodes_[at(child)].others / 3; ++k) {
      const double* from = node_of(nullptr, theirs, 0, k, count);
      double* to = node_of(pivots, others, pivot_nodes, relative[k], count);
      for (int r = 0; r < count; ++r)
        for (int i = 0; i < 3; ++i) to[tile_rows * r + i] += from[tile_rows * r + i];
    }
  }
  solve_front_forward(front(s), pivots, others, count);
}

void BlockCholesky::backward(std::int32_t s, double* x, int count) const {
  const Supernode& node = supernodes_[at(s)];
  const std::size_t size = 3 * tree_.order.size(), step = at(tile_rows * count);
  double* pivots = pivot_vectors_.get() + node.pivot_tile * step;
  double* others = other_vectors_.get() + node.other_tile * step;
  const std::int32_t parent = tree_.parent[at(s)];
  if (parent >= 0) {
    const Supernode& above = supernodes_[at(parent)];
    double* their_pivots = pivot_vectors_.get() + above.pivot_tile * step;
    double* their_others = other_vectors_.get() + above.other_tile * step;
    const std::int32_t* relative = relative_.data() + tree_.row_starts[at(s)];
    for (std::int32_t k = 0; k < node.others / 3; ++k) {
      double* to = node_of(nullptr, others, 0, k, count);
      const double* from = node_of(their_pivots, their_others, above.pivots / 3, relative[k], count);
      for (int r = 0; r < count; ++r) std::copy_n(from + tile_rows * r, 3, to + tile_rows * r);
    }
  }
  solve_front_backward(front(s), pivots, others, count);
  const std::int32_t pivot_nodes = node.pivots / 3;
  for (std::int32_t k = 0; k < pivot_nodes; ++k) {
    const double* from = node_of(pivots, others, pivot_nodes, k, count);
    double* to = x + 3 * at(tree_.order[at(tree_.first[at(s)] + k)]);
    for (int r = 0; r < count; ++r) std::copy_n(from + tile_rows * r, 3, to + at(r) * size);
  }
}

}  // namespace ymir
