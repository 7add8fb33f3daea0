#include "ymir/solvers/sparse_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/check.h"

namespace ymir {
namespace {

using Indices = std::vector<std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Positions 0 .. keys.size() - 1, or those of `order`, by ascending key below `bound`; equal keys keep their order.
template <class Key>
Indices sorted_by(const Indices& order, std::int32_t bound, Key&& key) {
  Indices ends(at(bound) + 1, 0), sorted(order.size());
  for (const std::int32_t i : order) ++ends[at(key(i)) + 1];
  for (std::size_t k = 1; k < ends.size(); ++k) ends[k] += ends[k - 1];
  for (const std::int32_t i : order) sorted[at(ends[at(key(i))]++)] = i;
  return sorted;
}

}  // namespace

SymmetricMatrix::SymmetricMatrix(std::int32_t size, std::span<const Triplet> triplets) {
  YMIR_CHECK(size >= 0);
  YMIR_CHECK(triplets.size() + at(size) < at(std::numeric_limits<std::int32_t>::max()));
  for (const Triplet& t : triplets) YMIR_CHECK(t.row >= 0 && t.row < size && t.column >= 0 && t.column < size);

  // The diagonal goes in as `size` further triplets behind the given ones.
  const auto given = static_cast<std::int32_t>(triplets.size());
  const auto row = [&](std::int32_t i) {
    return i < given ? std::max(triplets[at(i)].row, triplets[at(i)].column) : i - given;
  };
  const auto column = [&](std::int32_t i) {
    return i < given ? std::min(triplets[at(i)].row, triplets[at(i)].column) : i - given;
  };
  Indices order(at(given) + at(size));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  order = sorted_by(sorted_by(order, size, row), size, column);

  starts_.assign(at(size) + 1, 0);
  slots_.resize(triplets.size());
  std::int32_t last_row = -1, last_column = -1;
  for (const std::int32_t i : order) {
    if (row(i) != last_row || column(i) != last_column) {
      rows_.push_back(last_row = row(i));
      ++starts_[at(last_column = column(i)) + 1];
    }
    if (i < given) slots_[at(i)] = static_cast<std::int32_t>(rows_.size()) - 1;
  }
  for (std::size_t j = 1; j < starts_.size(); ++j) starts_[j] += starts_[j - 1];

  values_.assign(rows_.size(), 0.0);
  for (std::size_t i = 0; i < triplets.size(); ++i) values_[at(slots_[i])] += triplets[i].value;
}

void SymmetricMatrix::refill(std::span<const double> triplet_values) {
  YMIR_CHECK(triplet_values.size() == slots_.size());
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t i = 0; i < slots_.size(); ++i) values_[at(slots_[i])] += triplet_values[i];
}

void SymmetricMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  YMIR_CHECK(x.size() == at(size()) && y.size() == x.size());
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const std::size_t begin = at(starts_[j]), end = at(starts_[j + 1]);
    double sum = values_[begin] * x[j];
    for (std::size_t k = begin + 1; k < end; ++k) {
      const std::size_t i = at(rows_[k]);
      sum += values_[k] * x[i];
      y[i] += values_[k] * x[j];
    }
    y[j] += sum;
  }
}

double SymmetricMatrix::residual(std::span<const double> b, std::span<const double> x, std::span<double> r) const {
  YMIR_CHECK(b.size() == r.size());
  multiply(x, r);
  double sum = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    r[i] = b[i] - r[i];
    sum += r[i] * r[i];
  }
  return std::sqrt(sum);
}

}  // namespace ymir
