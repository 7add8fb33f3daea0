#include "ymir/solvers/supernodes.h"

#include <algorithm>
#include <numeric>

namespace ymir {
namespace {

using Indices = std::vector<std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

Indices inverse_of(std::span<const std::int32_t> order) {
  Indices rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[at(order[k])] = static_cast<std::int32_t>(k);
  return rank;
}

// parent[j]: the first column that column j changes, by places in the order.
Indices elimination_tree(const Graph& graph, std::span<const std::int32_t> order, const Indices& rank) {
  Indices parent(order.size(), -1), ancestor(order.size(), -1);
  for (std::int32_t j = 0; j < graph.nodes(); ++j)
    for (const std::int32_t other : graph.of(order[at(j)]))
      for (std::int32_t i = rank[at(other)]; i >= 0 && i < j;) {
        const std::int32_t next = ancestor[at(i)];
        ancestor[at(i)] = j;
        if (next < 0) parent[at(i)] = j;
        i = next;
      }
  return parent;
}

// Children by parent; those of `parent.size()` are the roots.
struct Children {
  explicit Children(const Indices& parent) : starts(parent.size() + 2, 0), list(parent.size()) {
    const auto slot = [&](std::size_t i) { return parent[i] < 0 ? parent.size() : at(parent[i]); };
    for (std::size_t i = 0; i < parent.size(); ++i) ++starts[slot(i) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    Indices next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < parent.size(); ++i) list[at(next[slot(i)]++)] = static_cast<std::int32_t>(i);
  }
  std::span<std::int32_t> of(std::size_t i) { return {list.data() + starts[i], list.data() + starts[i + 1]}; }
  std::span<std::int32_t> roots() { return of(starts.size() - 2); }
  Indices starts, list;
};

Indices postorder(Children& children) {
  Indices result, stack(children.roots().begin(), children.roots().end());
  result.reserve(children.list.size());
  // Parents before children, the last child first: a postorder backwards.
  while (!stack.empty()) {
    const std::int32_t node = stack.back();
    stack.pop_back();
    result.push_back(node);
    for (const std::int32_t child : children.of(at(node))) stack.push_back(child);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// Columns and their tree, in a postorder.
struct Columns {
  Indices order, rank, parent, counts;
};

Columns ordered_columns(const Graph& graph, std::span<const std::int32_t> given) {
  const std::size_t n = given.size();
  Columns c;
  const Indices tree = elimination_tree(graph, given, inverse_of(given));
  Children children(tree);
  const Indices post = postorder(children), place = inverse_of(post);
  c.order.resize(n);
  c.parent.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::int32_t old = post[k];
    c.order[k] = given[at(old)];
    c.parent[k] = tree[at(old)] < 0 ? -1 : place[at(tree[at(old)])];
  }
  c.rank = inverse_of(c.order);

  // The count of a column is the number of row subtrees it is in: +1 at each leaf of one, -1 where two leaves meet.
  Indices first(n, -1), last_leaf(n, -1), ancestor(n), largest_first(n, -1);
  std::iota(ancestor.begin(), ancestor.end(), 0);
  c.counts.assign(n, 0);
  for (std::int32_t k = 0; at(k) < n; ++k) {
    if (first[at(k)] < 0) c.counts[at(k)] = 1;  // a leaf of the tree
    for (std::int32_t j = k; j >= 0 && first[at(j)] < 0; j = c.parent[at(j)]) first[at(j)] = k;
  }
  for (std::int32_t j = 0; at(j) < n; ++j) {
    if (c.parent[at(j)] >= 0) --c.counts[at(c.parent[at(j)])];
    for (const std::int32_t other : graph.of(c.order[at(j)])) {
      const std::int32_t i = c.rank[at(other)];
      if (i <= j || first[at(j)] <= largest_first[at(i)]) continue;
      largest_first[at(i)] = first[at(j)];
      const std::int32_t previous = last_leaf[at(i)];
      last_leaf[at(i)] = j;
      ++c.counts[at(j)];
      if (previous < 0) continue;
      std::int32_t meeting = previous;
      while (ancestor[at(meeting)] != meeting) meeting = ancestor[at(meeting)];
      for (std::int32_t s = previous; s != meeting;) {
        const std::int32_t next = ancestor[at(s)];
        ancestor[at(s)] = meeting;
        s = next;
      }
      --c.counts[at(meeting)];
    }
    if (c.parent[at(j)] >= 0) ancestor[at(j)] = c.parent[at(j)];
  }
  for (std::size_t j = 0; j < n; ++j)
    if (c.parent[j] >= 0) c.counts[at(c.parent[j])] += c.counts[j];
  return c;
}

// Supernodes while they are being joined.
struct Group {
  std::int32_t columns, rows;  // rows below the columns
  std::int32_t parent;
  std::int64_t zeros;
};

std::int64_t entries_of(std::int64_t columns, std::int64_t rows) {
  return columns * (columns + 1) / 2 + columns * rows;
}

// Worth the zeros: an update matrix less to pass on, and longer products.
bool may_join(std::int64_t columns, std::int64_t rows, std::int64_t zeros) {
  const double share = static_cast<double>(zeros) / static_cast<double>(entries_of(columns, rows));
  if (columns <= 4) return share < 0.6;
  if (columns <= 16) return share < 0.25;
  if (columns <= 48) return share < 0.08;
  return share < 0.01;
}

}  // namespace

Indices column_counts(const Graph& graph, std::span<const std::int32_t> order) {
  return ordered_columns(graph, order).counts;
}

Supernodes find_supernodes(const Graph& graph, std::span<const std::int32_t> given) {
  const std::size_t n = given.size();
  const Columns c = ordered_columns(graph, given);

  // Columns of the same pattern.
  Indices group_of(n);
  std::vector<Group> groups;
  for (std::int32_t j = 0; at(j) < n; ++j) {
    const bool joins = j > 0 && c.parent[at(j) - 1] == j && c.counts[at(j) - 1] == c.counts[at(j)] + 1;
    if (!joins) groups.push_back({0, 0, -1, 0});
    ++groups.back().columns;
    groups.back().rows = c.counts[at(j)] - 1;
    group_of[at(j)] = static_cast<std::int32_t>(groups.size()) - 1;
  }
  for (std::int32_t j = 0; at(j) < n; ++j)
    if (c.parent[at(j)] >= 0 && group_of[at(c.parent[at(j)])] != group_of[at(j)])
      groups[at(group_of[at(j)])].parent = group_of[at(c.parent[at(j)])];

  // Join children to parents from the leaves up, those first that add fewest zeros.
  Indices joined(groups.size());  // the group a group ended up in
  std::iota(joined.begin(), joined.end(), 0);
  {
    Indices parent(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) parent[g] = groups[g].parent;
    Children children(parent);
    for (std::size_t p = 0; p < groups.size(); ++p) {
      Group& group = groups[p];
      const auto candidates = children.of(p);
      const auto added = [&](std::int32_t child) {
        const Group& g = groups[at(child)];
        return std::int64_t{g.columns} * (group.columns + group.rows - g.rows);
      };
      std::sort(candidates.begin(), candidates.end(), [&](std::int32_t a, std::int32_t b) {
        const std::int64_t x = added(a), y = added(b);
        return x < y || (x == y && a < b);
      });
      for (const std::int32_t child : candidates) {
        const Group& g = groups[at(child)];
        const std::int64_t zeros = group.zeros + g.zeros + added(child);
        if (!may_join(group.columns + g.columns, group.rows, zeros)) continue;
        group.columns += g.columns;
        group.zeros = zeros;
        joined[at(child)] = static_cast<std::int32_t>(p);
      }
    }
  }
  for (std::size_t g = groups.size(); g-- > 0;) joined[g] = joined[at(joined[g])];

  // The tree of what is left, children sorted for a small stack, then numbered.
  Indices name(groups.size(), -1), kept;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (joined[g] == static_cast<std::int32_t>(g)) {
      name[g] = static_cast<std::int32_t>(kept.size());
      kept.push_back(static_cast<std::int32_t>(g));
    }
  Indices tree(kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::int32_t p = groups[at(kept[k])].parent;
    tree[k] = p < 0 ? -1 : name[at(joined[at(p)])];
  }
  Children children(tree);
  std::vector<std::int64_t> peak(kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const auto update = [&](std::size_t i) {
      const std::int64_t rows = groups[at(kept[i])].rows;
      return rows * (rows + 1) / 2;
    };
    const auto mine = children.of(k);
    std::sort(mine.begin(), mine.end(), [&](std::int32_t a, std::int32_t b) {
      const std::int64_t x = peak[at(a)] - update(at(a)), y = peak[at(b)] - update(at(b));
      return x > y || (x == y && a < b);
    });
    std::int64_t below = 0;
    for (const std::int32_t child : mine) {
      peak[k] = std::max(peak[k], below + peak[at(child)]);
      below += update(at(child));
    }
    peak[k] = std::max(peak[k], below + update(k));
  }
  const Indices post = postorder(children), place = inverse_of(post);

  Supernodes result;
  const std::size_t count = kept.size();
  result.parent.resize(count);
  result.first.assign(count + 1, 0);
  for (std::size_t s = 0; s < count; ++s) {
    const std::int32_t p = tree[at(post[s])];
    result.parent[s] = p < 0 ? -1 : place[at(p)];
    result.first[s + 1] = result.first[s] + groups[at(kept[at(post[s])])].columns;
  }
  result.order.resize(n);
  Indices next(result.first.begin(), result.first.end() - 1);
  for (std::size_t j = 0; j < n; ++j) {
    const std::int32_t s = place[at(name[at(joined[at(group_of[j])])])];
    result.order[at(next[at(s)]++)] = c.order[j];
  }

  // Rows: of the matrix, and of the children.
  const Indices rank = inverse_of(result.order);
  Indices seen(n, -1);
  Children by_parent(result.parent);
  result.row_starts.assign(1, 0);
  for (std::size_t s = 0; s < count; ++s) {
    const auto begin = static_cast<std::ptrdiff_t>(result.rows.size());
    const std::int32_t end_column = result.first[s + 1];
    const auto add = [&](std::int32_t row) {
      if (row < end_column || seen[at(row)] == static_cast<std::int32_t>(s)) return;
      seen[at(row)] = static_cast<std::int32_t>(s);
      result.rows.push_back(row);
    };
    for (std::int32_t k = result.first[s]; k < end_column; ++k)
      for (const std::int32_t other : graph.of(result.order[at(k)])) add(rank[at(other)]);
    for (const std::int32_t child : by_parent.of(s))
      for (std::int64_t r = result.row_starts[at(child)]; r < result.row_starts[at(child) + 1]; ++r)
        add(result.rows[static_cast<std::size_t>(r)]);
    std::sort(result.rows.begin() + begin, result.rows.end());
    result.row_starts.push_back(static_cast<std::int64_t>(result.rows.size()));
  }
  return result;
}

}  // namespace ymir
