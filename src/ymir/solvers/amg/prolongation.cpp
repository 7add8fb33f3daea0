#include "ymir/solvers/amg/prolongation.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"

namespace ymir::amg {
namespace {

constexpr double damping = 2.0 / 3;

struct BlockRows {
  std::vector<Index> counts, columns;
  std::vector<float> values;
  void append(const std::vector<std::pair<Index, double>>& row) {
    counts.push_back(static_cast<Index>(row.size()));
    for (const auto& [column, value] : row) {
      columns.push_back(column);
      values.push_back(static_cast<float>(value));
    }
  }
};

// Rows made by blocks, as one.
Entries joined(Index rows, std::vector<BlockRows>& blocks) {
  Entries all;
  std::vector<std::size_t> first_row;
  std::vector<std::ptrdiff_t> first_entry;
  std::size_t row = 0, entry = 0;
  for (const BlockRows& block : blocks) {
    first_row.push_back(row);
    first_entry.push_back(static_cast<std::ptrdiff_t>(entry));
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

  void make(const Graph& g, const Aggregates& a, Index i, std::size_t most_entries) {
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

// T for given vectors: those, orthonormal on each aggregate.
class Tentative {
 public:
  Tentative(Index rows, const Aggregates& aggregates, const NearNullSpace& vectors, const std::vector<Index>& nodes)
      : width_(static_cast<std::size_t>(vectors.columns)),
        values_(vectors.values.size(), 0),
        coarse_{vectors.columns, {}} {
    aggregate_of_.assign(static_cast<std::size_t>(rows), -1);
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(aggregates.count));
    for (std::size_t node = 0; node < aggregates.of.size(); ++node) {
      const Index of = aggregates.of[node];
      const auto begin = nodes.empty() ? static_cast<Index>(node) : nodes[node];
      const auto end = nodes.empty() ? begin + 1 : nodes[node + 1];
      for (Index i = begin; i < end && of >= 0; ++i) {
        aggregate_of_[static_cast<std::size_t>(i)] = of;
        members[static_cast<std::size_t>(of)].push_back(i);
      }
    }
    for (const std::vector<Index>& group : members) add(group, vectors);
  }
  // body(coarse column, value) for the entries of a row
  template <class F>
  void for_each(Index row, F&& body) const {
    const Index of = aggregate_of_[static_cast<std::size_t>(row)];
    if (of < 0) return;
    const Index first = nodes_[static_cast<std::size_t>(of)], last = nodes_[static_cast<std::size_t>(of) + 1];
    for (Index c = first; c < last; ++c)
      body(c, values_[static_cast<std::size_t>(row) * width_ + static_cast<std::size_t>(c - first)]);
  }
  NearNullSpace& coarse() { return coarse_; }
  std::vector<Index>& nodes() { return nodes_; }

 private:
  // Gram-Schmidt; columns that vanish are dropped, the coarse vectors are the factors.
  void add(const std::vector<Index>& rows, const NearNullSpace& vectors) {
    std::vector<std::vector<double>> kept, factor;
    for (std::size_t c = 0; c < width_; ++c) {
      std::vector<double> v;
      for (const Index i : rows) v.push_back(vectors.values[static_cast<std::size_t>(i) * width_ + c]);
      const double size = square(v);
      for (auto& row : factor) row.push_back(0);
      for (int pass = 0; pass < 2; ++pass)  // twice is enough
        for (std::size_t q = 0; q < kept.size(); ++q) {
          double along = 0;
          for (std::size_t i = 0; i < v.size(); ++i) along += kept[q][i] * v[i];
          for (std::size_t i = 0; i < v.size(); ++i) v[i] -= along * kept[q][i];
          factor[q].back() += along;
        }
      const double left = square(v), length = std::sqrt(left);
      if (!(left > 1e-12 * size) || size == 0) continue;
      for (double& value : v) value /= length;
      for (std::size_t i = 0; i < rows.size(); ++i)
        values_[static_cast<std::size_t>(rows[i]) * width_ + kept.size()] = v[i];
      kept.push_back(std::move(v));
      factor.emplace_back(c, 0.0);
      factor.back().push_back(length);
    }
    for (const auto& row : factor) coarse_.values.insert(coarse_.values.end(), row.begin(), row.end());
    nodes_.push_back(nodes_.back() + static_cast<Index>(kept.size()));
  }
  static double square(const std::vector<double>& v) {
    double sum = 0;
    for (const double value : v) sum += value * value;
    return sum;
  }

  std::size_t width_;
  std::vector<double> values_;  // width_ per row
  std::vector<Index> aggregate_of_;
  NearNullSpace coarse_;
  std::vector<Index> nodes_{0};  // first columns of aggregates
};

}  // namespace

Entries smoothed_constants(const Graph& graph, const Aggregates& aggregates, int most_entries) {
  const Index block = block_rows(graph.rows);
  std::vector<BlockRows> blocks(static_cast<std::size_t>((graph.rows + block - 1) / block));
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    BlockRows& to = blocks[static_cast<std::size_t>(begin / block)];
    to.counts.reserve(static_cast<std::size_t>(end - begin));
    to.columns.reserve(2 * static_cast<std::size_t>(end - begin));
    to.values.reserve(2 * static_cast<std::size_t>(end - begin));
    ConstantsRow row;
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      row.make(graph, aggregates, i, static_cast<std::size_t>(most_entries));
      to.append(row.entries);
    }
  });
  return joined(graph.rows, blocks);
}

Entries smoothed_vectors(const Graph& graph, const Aggregates& aggregates, NearNullSpace& vectors,
                         std::vector<Index>& nodes) {
  Tentative tentative(graph.rows, aggregates, vectors, nodes);
  const Index block = block_rows(graph.rows);
  std::vector<BlockRows> blocks(static_cast<std::size_t>((graph.rows + block - 1) / block));
  parallel_blocks(graph.rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    BlockRows& to = blocks[static_cast<std::size_t>(begin / block)];
    std::vector<std::pair<Index, double>> entries;
    const auto add = [&](Index row, double weight) {
      tentative.for_each(row, [&](Index c, double share) {
        const double value = weight * share;
        if (value == 0) return;
        const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == c; });
        if (found == entries.end())
          entries.emplace_back(c, value);
        else
          found->second += value;
      });
    };
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      entries.clear();
      const double d = smoothing_diagonal(graph, i), scale = d > 0 ? damping / d : 0;
      double filtered = static_cast<double>(graph.diagonal[i]);
      for (Index k = graph.starts[i]; k < graph.starts[i + 1]; ++k) {
        if (graph.strong(i, k))
          add(graph.columns[k], -scale * static_cast<double>(graph.values[k]));
        else
          filtered += static_cast<double>(graph.values[k]);
      }
      add(i, 1 - scale * filtered);
      to.append(entries);
    }
  });
  vectors = std::move(tentative.coarse());
  nodes = std::move(tentative.nodes());
  return joined(graph.rows, blocks);
}

Graph NodeGraph::view(double limit) const {
  return {static_cast<Index>(starts.size()) - 1, starts.data(), columns.data(), values.data(), diagonal.data(), limit};
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
    float* __restrict mine = to, * __restrict passed = values_.data();
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
  std::fill(coarse.begin() + coarse_rows(), coarse.end(), 0.0f);
  if (guests_.empty()) return;
  parallel_for(static_cast<std::ptrdiff_t>(first_.size()) - 1, [&](std::ptrdiff_t b) {
    for (Index g = first_guest_[static_cast<std::size_t>(b)]; g < first_guest_[static_cast<std::size_t>(b) + 1]; ++g)
      to[guests_[static_cast<std::size_t>(g)].column] += values_[static_cast<std::size_t>(g)];
  });
  for (auto g = static_cast<std::size_t>(first_guest_.back()); g < guests_.size(); ++g)
    to[guests_[g].column] += values_[g];
}

std::size_t Prolongation::bytes() const {
  return p_.bytes() + sizeof(Guest) * guests_.size() +
         4 * (first_.size() + first_guest_.size() + places_.size() + passed_.size() + values_.size());
}

}  // namespace ymir::amg
