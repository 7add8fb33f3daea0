#include "ymir/solvers/block_matrix.h"

#include <algorithm>

#include "ymir/base/check.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

BlockMatrix::BlockMatrix(std::int32_t nodes, std::span<const Elements> lists) {
  // Elements by node, as (list, element), then the neighbours of each node that come after it.
  std::vector<std::int32_t> first(at(nodes) + 1, 0);
  for (const Elements& list : lists)
    for (const std::int32_t node : list.nodes) {
      YMIR_CHECK(node >= 0 && node < nodes);
      ++first[at(node) + 1];
    }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  struct Use {
    std::int32_t list, element;
  };
  std::vector<Use> uses(at(first.back()));
  std::vector<std::int32_t> next(first.begin(), first.end() - 1);
  for (std::size_t l = 0; l < lists.size(); ++l)
    for (std::size_t k = 0; k < lists[l].nodes.size(); ++k)
      uses[at(next[at(lists[l].nodes[k])]++)] = {static_cast<std::int32_t>(l),
                                                 static_cast<std::int32_t>(k / at(lists[l].nodes_each))};
  starts_.assign(at(nodes) + 1, 0);
  std::vector<std::int32_t> column;
  for (std::int32_t j = 0; j < nodes; ++j) {
    column.assign(1, j);
    for (std::int32_t u = first[at(j)]; u < first[at(j) + 1]; ++u) {
      const Elements& list = lists[at(uses[at(u)].list)];
      const auto corners = list.nodes.subspan(at(uses[at(u)].element) * at(list.nodes_each), at(list.nodes_each));
      for (const std::int32_t i : corners)
        if (i > j) column.push_back(i);
    }
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    rows_.insert(rows_.end(), column.begin(), column.end());
    starts_[at(j) + 1] = static_cast<std::int32_t>(rows_.size());
  }
  values_.assign(9 * rows_.size(), 0);
}

std::int32_t BlockMatrix::slot(std::int32_t i, std::int32_t j) const {
  const auto begin = rows_.begin() + starts_[at(j)], end = rows_.begin() + starts_[at(j) + 1];
  const auto found = std::lower_bound(begin, end, i);
  YMIR_CHECK(found != end && *found == i);
  return static_cast<std::int32_t>(found - rows_.begin());
}

void BlockMatrix::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

void BlockMatrix::hold(std::span<const std::uint8_t> held) {
  for (std::int32_t j = 0; j < nodes(); ++j)
    for (std::int32_t s = starts_[at(j)]; s < starts_[at(j) + 1]; ++s) {
      if (!held[at(j)] && !held[at(rows_[at(s)])]) continue;
      double* b = block(s);
      std::fill_n(b, 9, 0.0);
      if (rows_[at(s)] == j) b[0] = b[4] = b[8] = 1;
    }
}

void BlockMatrix::multiply(const double* x, double* y) const {
  std::fill_n(y, 3 * at(nodes()), 0.0);
  for (std::int32_t j = 0; j < nodes(); ++j) {
    const double* xj = x + 3 * at(j);
    double sum[3] = {};
    for (std::int32_t s = starts_[at(j)]; s < starts_[at(j) + 1]; ++s) {
      const double *b = block(s), *xi = x + 3 * at(rows_[at(s)]);
      double* yi = y + 3 * at(rows_[at(s)]);
      for (int r = 0; r < 3; ++r) yi[r] += b[3 * r] * xj[0] + b[3 * r + 1] * xj[1] + b[3 * r + 2] * xj[2];
      if (rows_[at(s)] == j) continue;
      for (int c = 0; c < 3; ++c) sum[c] += b[c] * xi[0] + b[3 + c] * xi[1] + b[6 + c] * xi[2];
    }
    for (int c = 0; c < 3; ++c) y[3 * at(j) + static_cast<std::size_t>(c)] += sum[c];
  }
}

std::vector<Triplet> scalar_entries(const BlockMatrix& a) {
  std::vector<Triplet> entries;
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (std::int32_t e = a.starts()[static_cast<std::size_t>(j)]; e < a.starts()[static_cast<std::size_t>(j) + 1];
         ++e) {
      const std::int32_t i = a.rows()[static_cast<std::size_t>(e)];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < (i == j ? r + 1 : 3); ++c) entries.push_back({3 * i + r, 3 * j + c, a.block(e)[3 * r + c]});
    }
  return entries;
}

}  // namespace ymir
