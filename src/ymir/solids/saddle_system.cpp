#include "ymir/solids/saddle_system.h"

#include <algorithm>
#include <cmath>

#include "ymir/solids/solid_block.h"

namespace ymir {
namespace {

// R over a row's own compliance.
constexpr double augmentation = 1e3;
// Hard rows may say the same thing twice: this much compliance decides between them.
constexpr double redundancy = 1e-14;
constexpr int most_rounds = 8;
constexpr double round_off = 1e-15;  // of what is added up

double largest(std::span<const double> values) {
  double most = 0;
  for (const double v : values) most = worse(most, std::fabs(v));
  return most;
}

// Largest of what is summed along a row, whatever cancels; and of what its multiplier adds.
double most_of(const CoupledRows& c, int row, std::span<const double> x) {
  double most = 0;
  for (std::size_t p = 0; p < c.slots.size(); ++p)
    most = worse(most, std::fabs(c.j[static_cast<std::size_t>(row) * c.slots.size() + p] *
                                 x[static_cast<std::size_t>(c.slots[p])]));
  return most;
}
double most_of(const CoupledRows& c, int row, double multiplier) {
  double most = 0;
  for (std::size_t p = 0; p < c.slots.size(); ++p)
    most = worse(most, std::fabs(c.j[static_cast<std::size_t>(row) * c.slots.size() + p] * multiplier));
  return most;
}

}  // namespace

void SaddleSystem::enter(const BlockMatrix& a, std::span<const CoupledRows> coupled, std::span<const double> own,
                         const BoundedRows& rows, bool multipliers) {
  entries_ = scalar_entries(a);
  weight_.assign(own.size(), 0);
  in_.assign(own.size(), 0);
  const std::int32_t first = 3 * a.nodes();
  std::size_t k = 0;
  for (const CoupledRows& c : coupled) {
    const std::size_t n = c.slots.size();
    dense_.assign(n * n, 0);
    for (int r = 0; r < c.hard; ++r, ++k) {
      const std::int32_t row = first + static_cast<std::int32_t>(k);
      // A row over nothing that can move holds or is violated, whatever is done.
      const bool in = std::isfinite(rows.give[k]) && own[k] > 0;
      in_[k] = in ? 1 : 0;
      const double* j = c.j.data() + static_cast<std::size_t>(r) * n;
      for (std::size_t p = 0; p < n; ++p) entries_.push_back({row, c.slots[p], in ? j[p] : 0});
      entries_.push_back({row, row, in ? -(redundancy * own[k] + rows.give[k]) : -1});
      if (multipliers || !in || rows.give[k] > 0) continue;
      weight_[k] = augmentation / own[k];
      for (std::size_t p = 0; p < n; ++p)
        for (std::size_t q = 0; q <= p; ++q) dense_[p * n + q] += weight_[k] * j[p] * j[q];
    }
    if (multipliers || c.hard == 0) continue;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = 0; q <= p; ++q) entries_.push_back({c.slots[p], c.slots[q], dense_[p * n + q]});
  }
}

Solved SaddleSystem::factor(const BlockMatrix& a, std::span<const CoupledRows> coupled, std::span<const double> own,
                            const BoundedRows& rows, bool multipliers) {
  enter(a, coupled, own, rows, multipliers);
  const std::int32_t first = 3 * a.nodes(), size = first + static_cast<std::int32_t>(own.size());
  const bool same =
      solver_ != nullptr && matrix_.size() == size &&
      std::equal(entries_.begin(), entries_.end(), before_.begin(), before_.end(),
                 [](const Triplet& s, const Triplet& t) { return s.row == t.row && s.column == t.column; });
  if (same) {
    values_.clear();
    for (const Triplet& entry : entries_) values_.push_back(entry.value);
    matrix_.refill(values_);
  } else {
    matrix_ = SymmetricMatrix(size, entries_);
    SymmetricMatrix signs = matrix_;  // which rows are multipliers
    for (std::int32_t j = 0; j < size; ++j)
      if (j >= first || !multipliers)
        signs.values()[static_cast<std::size_t>(signs.starts()[static_cast<std::size_t>(j)])] = j < first ? 1 : -1;
    solver_ = std::make_unique<DirectSolver>(DirectBackend::automatic, Definiteness::indefinite);
    solver_->analyze(signs);
  }
  before_.swap(entries_);
  if (!solver_->factor(matrix_)) return Solved::indefinite;
  const bool definite = solver_->report().negative_pivots == static_cast<std::int32_t>(own.size());
  return definite || multipliers ? Solved::yes : Solved::indefinite;
}

Solved SaddleSystem::solve(const BlockMatrix& a, std::span<const CoupledRows> coupled, BoundedRows& rows,
                           std::span<const double> b, std::span<double> x) {
  const std::size_t n = b.size(), count = rows.give.size();
  std::fill(x.begin(), x.end(), 0.0);
  left_.resize(n + count);
  step_.resize(n + count);
  product_.resize(n);
  const std::span<double> side(left_.data(), n);
  std::vector<double> open(count);
  for (std::size_t k = 0; k < count; ++k)
    if (std::isfinite(rows.give[k])) rows.change[k] = 0;
  double before[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int round = 0;; ++round) {
    // What is left of both, and what it is left of.
    a.multiply(x.data(), product_.data());
    for (std::size_t i = 0; i < n; ++i) side[i] = b[i] - product_[i];
    double load = worse(largest(b), largest(product_)), wide = 0, gap = 0;
    for_each_hard_row(coupled, [&](std::size_t k, const CoupledRows& c, int r) {
      c.spread(r, -rows.change[k], side);
      open[k] = 0;
      if (in_[k] == 0) return;
      open[k] = rows.target[k] - c.along(r, x) + rows.give[k] * rows.change[k];
      wide = worse(wide, worse(std::fabs(rows.target[k]), most_of(c, r, x)));
      load = worse(load, most_of(c, r, rows.change[k]));
      gap = worse(gap, std::fabs(open[k]));
    });
    const double rest[2] = {load > 0 ? largest(side) / load : 0, wide > 0 ? gap / wide : 0};
    if (std::isnan(rest[0]) || std::isnan(rest[1])) return Solved::no;
    const bool exact = rest[0] <= round_off && rest[1] <= round_off;
    const bool closer = rest[0] < 0.5 * before[0] || rest[1] < 0.5 * before[1];
    if (exact || round == most_rounds || !closer) return Solved::yes;
    before[0] = rest[0];
    before[1] = rest[1];
    for_each_hard_row(coupled, [&](std::size_t k, const CoupledRows& c, int r) {
      left_[n + k] = open[k];
      if (weight_[k] > 0) c.spread(r, weight_[k] * open[k], side);
    });
    solver_->solve(left_, step_);
    for (std::size_t i = 0; i < n; ++i) x[i] += step_[i];
    for (std::size_t k = 0; k < count; ++k)
      if (in_[k] != 0) rows.change[k] += step_[n + k];
  }
}

}  // namespace ymir
