#include "ymir/solvers/amg/prolongation.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"

namespace ymir::amg {
namespace {

constexpr int most_entries = 4;
constexpr double damping = 2.0 / 3;

struct BlockRows {
  std::vector<Index> counts, columns;
  std::vector<float> values;
};

// Rows made by blocks, as one.
Entries joined(Index rows, std::vector<BlockRows>& blocks) {
  Entries all;
  std::vector<std::size_t> first_row, first_entry;
  std::size_t row = 0, entry = 0;
  for (const BlockRows& block : blocks) {
    first_row.push_back(row);
    first_entry.push_back(entry);
    row += block.counts.size();
    entry += block.columns.size();
  }
  all.starts.resize(static_cast<std::size_t>(rows) + 1);
  all.columns.resize(entry);
  all.values.resize(entry);
  parallel_for(static_cast<std::ptrdiff_t>(blocks.size()), [&](std::ptrdiff_t n) {
    const auto b = static_cast<std::size_t>(n);
    auto at = static_cast<Index>(first_entry[b]);
    for (std::size_t i = 0; i < blocks[b].counts.size(); ++i) {
      all.starts[first_row[b] + i] = at;
      at += blocks[b].counts[i];
    }
    std::copy(blocks[b].columns.begin(), blocks[b].columns.end(), all.columns.begin() + first_entry[b]);
    std::copy(blocks[b].values.begin(), blocks[b].values.end(), all.values.begin() + first_entry[b]);
    blocks[b] = {};
  });
  all.starts.back() = static_cast<Index>(entry);
  return all;
}

// D of a row, and its strong entries summed.
double smoothing_diagonal(const Graph& g, Index i) {
  double strong = 0, weak = 0;
  for (Index k = g.starts[i]; k < g.starts[i + 1]; ++k) {
    const auto value = static_cast<double>(g.values[k]);
    if (g.strong(i, k))
      strong += std::abs(value);
    else
      weak += value;
  }
  return std::max(static_cast<double>(g.diagonal[i]) + weak, strong);
}

// A row of P for constants.
struct ConstantsRow {
  std::vector<std::pair<Index, double>> entries;

  void make(const Graph& g, const Aggregates& a, Index i) {
    entries.clear();
    const Index home = a.of[static_cast<std::size_t>(i)];
    if (home < 0) return;
    const double scale = damping / smoothing_diagonal(g, i);
    entries.emplace_back(home, 1.0);
    for (Index k = g.starts[i]; k < g.starts[i + 1]; ++k) {
      const Index to = a.of[static_cast<std::size_t>(g.columns[k])];
      if (to == home || !g.strong(i, k)) continue;
      const double share = -scale * static_cast<double>(g.values[k]);
      const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == to; });
      if (found == entries.end())
        entries.emplace_back(to, share);
      else
        found->second += share;
      entries.front().second -= share;
    }
    if (entries.size() <= most_entries) return;
    std::stable_sort(entries.begin() + 1, entries.end(),
                     [](const auto& p, const auto& q) { return std::abs(p.second) > std::abs(q.second); });
    for (std::size_t e = most_entries; e < entries.size(); ++e) entries.front().second += entries[e].second;
    entries.resize(most_entries);
  }
};

}  // namespace

Entries smoothed_constants(const Graph& graph, const Aggregates& aggregates) {
  const Index block = block_rows(graph.rows);
  std::vector<BlockRows> blocks(static_cast<std::size_t>((graph.rows + block - 1) / block));
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    BlockRows& to = blocks[static_cast<std::size_t>(begin / block)];
    to.counts.reserve(static_cast<std::size_t>(end - begin));
    to.columns.reserve(2 * static_cast<std::size_t>(end - begin));
    to.values.reserve(2 * static_cast<std::size_t>(end - begin));
    ConstantsRow row;
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      row.make(graph, aggregates, i);
      to.counts.push_back(static_cast<Index>(row.entries.size()));
      for (const auto& [column, value] : row.entries) {
        to.columns.push_back(column);
        to.values.push_back(static_cast<float>(value));
      }
    }
  });
  return joined(graph.rows, blocks);
}

Entries smoothed_vectors(const Graph& graph, const Aggregates& aggregates, NearNullSpace& vectors,
                         std::vector<Index>& nodes) {
  const int width = vectors.columns;
  const bool single = nodes.empty();
  // Rows of every aggregate.
  std::vector<Index> starts(static_cast<std::size_t>(aggregates.count) + 1, 0), members;
  for (const Index of : aggregates.of)
    if (of >= 0) ++starts[static_cast<std::size_t>(of) + 1];
  for (std::size_t a = 1; a < starts.size(); ++a) starts[a] += starts[a - 1];
  members.resize(static_cast<std::size_t>(starts.back()));
  std::vector<Index> next(starts.begin(), starts.end() - 1);
  for (std::size_t node = 0; node < aggregates.of.size(); ++node)
    if (const Index of = aggregates.of[node]; of >= 0)
      members[static_cast<std::size_t>(next[static_cast<std::size_t>(of)]++)] = static_cast<Index>(node);

  // T: the vectors made orthonormal on each aggregate; those that vanish there are dropped.
  std::vector<double> tentative(vectors.values.size(), 0);
  NearNullSpace coarse{width, {}};
  std::vector<Index> coarse_nodes{0};
  std::vector<Index> rows;
  std::vector<std::vector<double>> kept;
  for (std::size_t a = 0; a + 1 < starts.size(); ++a) {
    rows.clear();
    for (Index m = starts[a]; m < starts[a + 1]; ++m) {
      const Index node = members[static_cast<std::size_t>(m)];
      const Index begin = single ? node : nodes[static_cast<std::size_t>(node)];
      const Index end = single ? node + 1 : nodes[static_cast<std::size_t>(node) + 1];
      for (Index i = begin; i < end; ++i) rows.push_back(i);
    }
    kept.clear();
    std::vector<std::vector<double>> factor;  // R, one row per kept column
    for (int c = 0; c < width; ++c) {
      std::vector<double> v;
      double size = 0;
      for (const Index i : rows) {
        v.push_back(vectors.values[static_cast<std::size_t>(i) * static_cast<std::size_t>(width) +
                                   static_cast<std::size_t>(c)]);
        size += v.back() * v.back();
      }
      const auto remove = [&](std::size_t q) {
        double along = 0;
        for (std::size_t i = 0; i < v.size(); ++i) along += kept[q][i] * v[i];
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= along * kept[q][i];
        return along;
      };
      for (auto& row : factor) row.push_back(0);
      for (int pass = 0; pass < 2; ++pass)  // twice is enough
        for (std::size_t q = 0; q < kept.size(); ++q) factor[q].back() += remove(q);
      double left = 0;
      for (const double value : v) left += value * value;
      if (!(left > 1e-12 * size) || size == 0) continue;
      const double length = std::sqrt(left);
      for (double& value : v) value /= length;
      kept.push_back(v);
      factor.emplace_back(static_cast<std::size_t>(c), 0.0);
      factor.back().push_back(length);
    }
    for (std::size_t q = 0; q < kept.size(); ++q)
      for (std::size_t i = 0; i < rows.size(); ++i)
        tentative[static_cast<std::size_t>(rows[i]) * static_cast<std::size_t>(width) + q] = kept[q][i];
    for (const auto& row : factor) coarse.values.insert(coarse.values.end(), row.begin(), row.end());
    coarse_nodes.push_back(coarse_nodes.back() + static_cast<Index>(kept.size()));
  }

  std::vector<Index> node_of;
  if (!single) {
    node_of.resize(static_cast<std::size_t>(graph.rows));
    for (std::size_t node = 0; node + 1 < nodes.size(); ++node)
      for (Index i = nodes[node]; i < nodes[node + 1]; ++i) node_of[static_cast<std::size_t>(i)] = static_cast<Index>(node);
  }
  const auto aggregate_of = [&](Index i) {
    return aggregates.of[static_cast<std::size_t>(single ? i : node_of[static_cast<std::size_t>(i)])];
  };
  const Index block = block_rows(graph.rows);
  std::vector<BlockRows> blocks(static_cast<std::size_t>((graph.rows + block - 1) / block));
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    BlockRows& to = blocks[static_cast<std::size_t>(begin / block)];
    std::vector<std::pair<Index, double>> entries;
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      entries.clear();
      const auto add = [&](Index row, double weight) {
        const Index of = aggregate_of(row);
        if (of < 0) return;
        const Index first = coarse_nodes[static_cast<std::size_t>(of)];
        for (Index c = first; c < coarse_nodes[static_cast<std::size_t>(of) + 1]; ++c) {
          const double value = weight * tentative[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                                  static_cast<std::size_t>(c - first)];
          if (value == 0) continue;
          const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == c; });
          if (found == entries.end())
            entries.emplace_back(c, value);
          else
            found->second += value;
        }
      };
      const double d = smoothing_diagonal(graph, i), scale = d > 0 ? damping / d : 0;
      double filtered = static_cast<double>(graph.diagonal[i]);
      for (Index k = graph.starts[i]; k < graph.starts[i + 1]; ++k) {
        if (graph.strong(i, k))
          add(graph.columns[k], -scale * static_cast<double>(graph.values[k]));
        else
          filtered += static_cast<double>(graph.values[k]);
      }
      add(i, 1 - scale * filtered);
      to.counts.push_back(static_cast<Index>(entries.size()));
      for (const auto& [column, value] : entries) {
        to.columns.push_back(column);
        to.values.push_back(static_cast<float>(value));
      }
    }
  });
  vectors = std::move(coarse);
  nodes = std::move(coarse_nodes);
  return joined(graph.rows, blocks);
}

Graph NodeGraph::view(float threshold) const {
  return {static_cast<Index>(starts.size()) - 1, starts.data(), columns.data(), values.data(), diagonal.data(),
          threshold};
}

NodeGraph condensed(const Graph& graph, const std::vector<Index>& nodes) {
  const std::size_t count = nodes.size() - 1;
  std::vector<Index> node_of(static_cast<std::size_t>(graph.rows));
  for (std::size_t n = 0; n < count; ++n)
    for (Index i = nodes[n]; i < nodes[n + 1]; ++i) node_of[static_cast<std::size_t>(i)] = static_cast<Index>(n);
  NodeGraph result;
  result.starts.push_back(0);
  result.diagonal.resize(count);
  std::vector<Index> place(count, -1);
  for (std::size_t n = 0; n < count; ++n) {
    const auto first = static_cast<Index>(result.columns.size());
    double here = 0;
    for (Index i = nodes[n]; i < nodes[n + 1]; ++i) {
      here += static_cast<double>(graph.diagonal[i]) * static_cast<double>(graph.diagonal[i]);
      for (Index k = graph.starts[i]; k < graph.starts[i + 1]; ++k) {
        const float square = graph.values[k] * graph.values[k];
        const auto m = static_cast<std::size_t>(node_of[static_cast<std::size_t>(graph.columns[k])]);
        if (m == n) {
          here += static_cast<double>(square);
          continue;
        }
        if (place[m] < first) {
          place[m] = static_cast<Index>(result.columns.size());
          result.columns.push_back(static_cast<Index>(m));
          result.values.push_back(0);
        }
        result.values[static_cast<std::size_t>(place[m])] += square;
      }
    }
    for (auto k = static_cast<std::size_t>(first); k < result.values.size(); ++k)
      result.values[k] = std::sqrt(result.values[k]);
    result.diagonal[n] = static_cast<float>(std::sqrt(here));
    result.starts.push_back(static_cast<Index>(result.columns.size()));
  }
  return result;
}

Prolongation::Prolongation(Entries entries, Index rows, std::vector<Index> first)
    : p_(std::move(entries)), rows_(rows), block_(block_rows(rows)), first_(std::move(first)) {
  const auto blocks = static_cast<std::size_t>((rows + block_ - 1) / block_);
  YMIR_CHECK(first_.size() == blocks + 1);
  std::vector<std::vector<Guest>> leaving(blocks);
  parallel_blocks(rows, block_, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    const auto b = static_cast<std::size_t>(begin / block_);
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i)
      for_each(i, [&](Index column, float value) {
        if (column < first_[b] || column >= first_[b + 1]) leaving[b].push_back({column, i, value});
      });
  });
  passed_.push_back(0);
  for (const auto& list : leaving) {
    guests_.insert(guests_.end(), list.begin(), list.end());
    passed_.push_back(static_cast<Index>(guests_.size()));
  }
  std::vector<Index> order(guests_.size());
  for (std::size_t g = 0; g < order.size(); ++g) order[g] = static_cast<Index>(g);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return guests_[static_cast<std::size_t>(a)].column < guests_[static_cast<std::size_t>(b)].column;
  });
  places_.resize(order.size());
  values_.resize(order.size());
  std::vector<Guest> sorted(order.size());
  for (std::size_t g = 0; g < order.size(); ++g) {
    sorted[g] = guests_[static_cast<std::size_t>(order[g])];
    places_[static_cast<std::size_t>(order[g])] = static_cast<Index>(g);
  }
  guests_ = std::move(sorted);
  for (const Index column : first_)
    first_guest_.push_back(static_cast<Index>(
        std::lower_bound(guests_.begin(), guests_.end(), column, [](const Guest& g, Index c) { return g.column < c; }) -
        guests_.begin()));
}

void Prolongation::add(std::span<const float> coarse, std::span<float> fine) const {
  const float* from = coarse.data();
  float* to = fine.data();
  parallel_blocks(rows_, block_, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    const Index* columns = p_.columns.data();
    if (p_.starts.empty()) {
      for (std::ptrdiff_t i = begin; i < end; ++i)
        if (columns[i] >= 0) to[i] += from[columns[i]];
      return;
    }
    const Index* starts = p_.starts.data();
    const float* values = p_.values.data();
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      float sum = to[i];
      for (Index k = starts[i]; k < starts[i + 1]; ++k) sum = std::fma(values[k], from[columns[k]], sum);
      to[i] = sum;
    }
  });
}

void Prolongation::transpose(std::span<const float> fine, std::span<float> coarse) {
  float* to = coarse.data();
  parallel_blocks(rows_, block_, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    const auto b = static_cast<std::size_t>(begin / block_);
    const Index low = first_[b], high = first_[b + 1];
    std::fill(to + low, to + high, 0.0f);
    const Index *place = places_.data() + passed_[b], *starts = p_.starts.data(), *columns = p_.columns.data();
    const float *weights = p_.values.data(), *from = fine.data();
    float *__restrict mine = to, *__restrict passed = values_.data();
    if (p_.starts.empty()) {
      for (std::ptrdiff_t i = begin; i < end; ++i)
        if (const Index column = columns[i]; column >= low && column < high)
          mine[column] += from[i];
        else if (column >= 0)
          passed[*place++] = from[i];
      return;
    }
    for (std::ptrdiff_t i = begin; i < end; ++i)
      for (Index k = starts[i]; k < starts[i + 1]; ++k)
        if (const Index column = columns[k]; column >= low && column < high)
          mine[column] = std::fma(weights[k], from[i], mine[column]);
        else
          passed[*place++] = weights[k] * from[i];
  });
  if (guests_.empty()) return;
  parallel_for(static_cast<std::ptrdiff_t>(first_.size()) - 1, [&](std::ptrdiff_t b) {
    for (Index g = first_guest_[static_cast<std::size_t>(b)]; g < first_guest_[static_cast<std::size_t>(b) + 1]; ++g)
      to[guests_[static_cast<std::size_t>(g)].column] += values_[static_cast<std::size_t>(g)];
  });
}

std::size_t Prolongation::bytes() const {
  return p_.bytes() + sizeof(Guest) * guests_.size() +
         4 * (first_.size() + first_guest_.size() + places_.size() + passed_.size() + values_.size());
}

}  // namespace ymir::amg
