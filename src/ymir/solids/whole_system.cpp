#include "ymir/solids/whole_system.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

// R over a row's own compliance: large enough that a round leaves little, small enough to leave round-off half the
// digits.
constexpr double penalty = 1e7;
// The same of rows that are on a large part alone: conjugate gradients feel them, and more rounds are cheaper.
constexpr double penalty_on_large = 1e3;
// What a row that yields gives, over its own compliance.
constexpr double softness = 1e-12;
constexpr int most_rounds = 30;
constexpr double round_off = 1e-13;  // of what a round starts from
constexpr double enough = 1e-6;      // the same where conjugate gradients solve
// Parts of up to so many nodes, as rigid bodies and particles are, leave no work for anything but their joints.
constexpr std::int32_t few_nodes = 2;

double largest(std::span<const double> values) {
  double most = 0;
  for (const double v : values) most = worse(most, std::fabs(v));
  return most;
}

// Where each node's slots begin in an element, and the end.
void runs_of_nodes(std::span<const std::int32_t> slots, std::vector<std::size_t>& first) {
  first.clear();
  for (std::size_t p = 0; p < slots.size(); ++p)
    if (p == 0 || slots[p] / 3 != slots[p - 1] / 3) first.push_back(p);
  first.push_back(slots.size());
}

}  // namespace

// The large part has only the nodes here that elements are on.
void WholeSystem::number_touched(std::span<const Part> parts, std::span<const Coupled> coupled) {
  large_ = iterate_ && !parts.empty() ? parts.back().matrix->large() : nullptr;
  const auto all = parts.empty() ? 0 : parts.back().first_node + parts.back().matrix->nodes();
  small_nodes_ = large_ != nullptr ? parts.back().first_node : all;
  touched_.clear();
  for (const Coupled& c : coupled)
    for (const std::int32_t s : c.slots)
      if (s / 3 >= small_nodes_) touched_.push_back(s / 3 - small_nodes_);
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  nodes_ = small_nodes_ + static_cast<std::int32_t>(touched_.size());
  element_slots_.resize(coupled.size());
  for (std::size_t e = 0; e < coupled.size(); ++e) {
    element_slots_[e] = coupled[e].slots;
    for (std::int32_t& s : element_slots_[e]) {
      if (s / 3 < small_nodes_) continue;
      const auto found = std::lower_bound(touched_.begin(), touched_.end(), s / 3 - small_nodes_);
      s = 3 * (small_nodes_ + static_cast<std::int32_t>(found - touched_.begin())) + s % 3;
    }
  }
}

// Every part's blocks and every element's nodes; where they are as in the last Newton step, nothing is analysed anew.
void WholeSystem::find_pattern(std::span<const Part> parts, std::span<const Coupled> coupled) {
  number_touched(parts, coupled);
  next_pattern_.assign(1, small_nodes_);
  indefinite_ = false;
  all_small_ = std::any_of(coupled.begin(), coupled.end(), [](const Coupled& c) { return c.hard > 0; });
  for (const Part& part : parts) {
    all_small_ = all_small_ && part.matrix->nodes() <= few_nodes;
    indefinite_ = indefinite_ || part.matrix->indefinite();
    if (part.first_node >= small_nodes_) break;
    part.matrix->visit_blocks([&](std::int32_t i, std::int32_t j, const double*) {
      next_pattern_.push_back(part.first_node + i);
      next_pattern_.push_back(part.first_node + j);
    });
  }
  const std::size_t pairs = next_pattern_.size();
  std::vector<BlockMatrix::Elements> lists(1);
  std::vector<std::size_t> ends;
  for (const auto& slots : element_slots_) {
    const std::size_t first = next_pattern_.size();
    for (const std::int32_t s : slots) next_pattern_.push_back(s / 3);
    std::sort(next_pattern_.begin() + static_cast<std::ptrdiff_t>(first), next_pattern_.end());
    next_pattern_.erase(std::unique(next_pattern_.begin() + static_cast<std::ptrdiff_t>(first), next_pattern_.end()),
                        next_pattern_.end());
    ends.push_back(next_pattern_.size());
  }
  // How they are arranged in the elements.
  for (const auto& slots : element_slots_) {
    runs_of_nodes(slots, runs_);
    for (std::size_t a = 0; a + 1 < runs_.size(); ++a) next_pattern_.push_back(slots[runs_[a]] / 3);
  }
  if (analysed_ && next_pattern_ == pattern_ && matrix_.nodes() == nodes_) return;
  pattern_.swap(next_pattern_);
  const std::span<const std::int32_t> all(pattern_);
  lists[0] = {all.subspan(1, pairs - 1), 2};
  std::size_t first = pairs;
  for (const std::size_t end : ends) {
    if (end > first) lists.push_back({all.subspan(first, end - first), static_cast<int>(end - first)});
    first = end;
  }
  matrix_ = BlockMatrix(nodes_, lists);
  augmented_ = matrix_;
  slots_.clear();
  for (std::size_t k = 1; k < pairs; k += 2)
    slots_.push_back(matrix_.slot(std::max(pattern_[k], pattern_[k + 1]), std::min(pattern_[k], pattern_[k + 1])));
  used_.assign(3 * static_cast<std::size_t>(nodes_), 0);
  std::fill(used_.begin() + 3 * small_nodes_, used_.end(), std::uint8_t{1});
  for (const Part& part : parts)
    for (std::size_t row = 0; part.first_node < small_nodes_ && row < part.matrix->size(); ++row)
      used_[static_cast<std::size_t>(3 * part.first_node + part.matrix->slot(row))] = 1;
  if (large_ != nullptr)
    around_.analyze(matrix_, small_nodes_, indefinite_);
  else if (!exact())
    cholesky_.analyze(matrix_);
  find_element_blocks();
  analysed_ = true;
}

void WholeSystem::find_element_blocks() {
  element_blocks_.clear();
  first_block_.clear();
  for (const auto& slots : element_slots_) {
    first_block_.push_back(element_blocks_.size());
    runs_of_nodes(slots, runs_);
    for (std::size_t a = 0; a + 1 < runs_.size(); ++a)
      for (std::size_t b = 0; b + 1 < runs_.size(); ++b) {
        const std::int32_t i = slots[runs_[a]] / 3, j = slots[runs_[b]] / 3;
        element_blocks_.push_back(i >= j ? matrix_.slot(i, j) : -1);
      }
  }
}

// dense_ of the element to the lower triangle.
void WholeSystem::add_element(BlockMatrix& to, std::size_t element) {
  const std::vector<std::int32_t>& slots = element_slots_[element];
  const std::size_t n = slots.size();
  runs_of_nodes(slots, runs_);
  const std::int32_t* block = element_blocks_.data() + first_block_[element];
  for (std::size_t a = 0; a + 1 < runs_.size(); ++a)
    for (std::size_t b = 0; b + 1 < runs_.size(); ++b, ++block) {
      if (*block < 0) continue;
      double* values = to.block(*block);
      for (std::size_t p = runs_[a]; p < runs_[a + 1]; ++p)
        for (std::size_t q = runs_[b]; q < runs_[b + 1]; ++q)
          values[3 * (slots[p] % 3) + slots[q] % 3] += dense_[p * n + q];
    }
}

void WholeSystem::gather(std::span<const Part> parts, std::span<const Coupled> coupled) {
  find_pattern(parts, coupled);
  matrix_.clear();
  std::size_t k = 0;
  for (const Part& part : parts.first(parts.size() - (large_ != nullptr ? 1 : 0)))
    part.matrix->visit_blocks([&](std::int32_t, std::int32_t, const double* values) {
      double* to = matrix_.block(slots_[k++]);
      for (int i = 0; i < 9; ++i) to[i] += values[i];
    });
  for (std::int32_t s = 0; s < 3 * nodes_; ++s)
    if (used_[static_cast<std::size_t>(s)] == 0) matrix_.diagonal(s / 3)[4 * (s % 3)] = 1;
  for (std::size_t e = 0; e < coupled.size(); ++e) {
    const Coupled& c = coupled[e];
    if (c.curvature.empty() && c.rows == c.hard) continue;
    dense_.assign(c.slots.size() * c.slots.size(), 0);
    if (!c.curvature.empty()) dense_ = c.curvature;
    for (int r = c.hard; r < c.rows; ++r) add_outer(c, r, c.stiffness[static_cast<std::size_t>(r)]);
    add_element(matrix_, e);
  }
}

// dense_ += weight j j' of a row.
void WholeSystem::add_outer(const Coupled& c, int row, double weight) {
  const std::size_t n = c.slots.size();
  const double* j = c.j.data() + static_cast<std::size_t>(row) * n;
  for (std::size_t p = 0; p < n; ++p) {
    const double scaled = weight * j[p];
    double* out = dense_.data() + p * n;
    for (std::size_t q = 0; q < n; ++q) out[q] += scaled * j[q];
  }
}

// Of a slot as elements number it [N/m].
double WholeSystem::own_stiffness(std::int32_t slot) const {
  const double here = matrix_.diagonal(slot / 3)[4 * (slot % 3)];
  if (slot / 3 < small_nodes_) return std::fabs(here);
  const auto row = static_cast<std::size_t>(3 * touched_[static_cast<std::size_t>(slot / 3 - small_nodes_)] + slot % 3);
  return std::fabs(here + large_->diagonal(row));
}

// What hard rows give, and what holds them.
void WholeSystem::begin_rows(std::span<Coupled> coupled) {
  own_.clear();
  penalty_.clear();
  std::vector<double> yield;
  for (std::size_t e = 0; e < coupled.size(); ++e) {
    Coupled& c = coupled[e];
    const std::vector<std::int32_t>& slots = element_slots_[e];
    const std::size_t n = slots.size();
    c.yield.assign(static_cast<std::size_t>(c.hard), 0);
    for (int r = 0; r < c.hard; ++r) {
      double compliance = 0;
      bool small = false;
      for (std::size_t p = 0; p < n; ++p) {
        const double j = c.j[static_cast<std::size_t>(r) * n + p];
        compliance += j * j / own_stiffness(slots[p]);
        small = small || (slots[p] / 3 < small_nodes_ && j != 0);
      }
      const bool yields = c.yields && large_ == nullptr && compliance > 0;
      if (yields) c.yield[static_cast<std::size_t>(r)] = softness * compliance;
      // A row over nothing that can move holds or is violated, whatever is done.
      const double most = yields ? 1 / softness : small ? penalty : penalty_on_large;
      own_.push_back(compliance);
      penalty_.push_back(compliance > 0 ? most / compliance : 0);
      yield.push_back(c.yield[static_cast<std::size_t>(r)]);
    }
  }
  rows_.begin(coupled, own_, yield);
}

Solved WholeSystem::factor_rows(std::span<const Coupled> coupled) {
  if (exact()) return saddle_.factor(matrix_, coupled, own_, rows_, indefinite_);
  augmented_ = matrix_;
  std::size_t k = 0;
  for (std::size_t e = 0; e < coupled.size(); ++e) {
    const Coupled& c = coupled[e];
    dense_.assign(c.slots.size() * c.slots.size(), 0);
    for (int r = 0; r < c.hard; ++r, ++k) add_outer(c, r, stiffness_of(k));
    if (c.hard > 0) add_element(augmented_, e);
  }
  const bool factored =
      large_ != nullptr ? around_.factor(augmented_) && large_->refresh() : cholesky_.factor(augmented_);
  return factored ? Solved::yes : Solved::indefinite;
}

// Of a hard row in the augmented matrix: none where it is left out, less where it gives.
double WholeSystem::stiffness_of(std::size_t row) const {
  const double give = rows_.give[row];
  return give * penalty_[row] > 1 ? 1 / give : penalty_[row];
}

// y = A x over all slots.
void WholeSystem::multiply(std::span<const double> x, std::span<double> y) {
  if (large_ == nullptr) return matrix_.multiply(x.data(), y.data());
  const auto small = 3 * static_cast<std::size_t>(small_nodes_);
  large_->multiply(x.subspan(small), y.subspan(small));
  compact_.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(small));
  for (const std::int32_t t : touched_)
    for (std::size_t k = 0; k < 3; ++k) compact_.push_back(x[small + 3 * static_cast<std::size_t>(t) + k]);
  compact_product_.resize(compact_.size());
  matrix_.multiply(compact_.data(), compact_product_.data());
  std::copy_n(compact_product_.begin(), small, y.begin());
  for (std::size_t t = 0; t < touched_.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      y[small + 3 * static_cast<std::size_t>(touched_[t]) + k] += compact_product_[small + 3 * t + k];
}

Solved WholeSystem::solve_augmented(std::span<const double> b, std::span<double> x) {
  if (large_ == nullptr) {
    cholesky_.solve(b.data(), x.data());
    return Solved::yes;
  }
  const CgReport report = around_.solve(*large_, touched_, augmented_, b, x);
  cg_iterations_ += report.iterations;
  if (report.converged || report.status == CgStatus::stagnated) return Solved::yes;
  const bool breakdown =
      report.status == CgStatus::matrix_breakdown || report.status == CgStatus::preconditioner_breakdown;
  return breakdown ? Solved::indefinite : Solved::no;
}

Solved WholeSystem::solve(std::span<const Part> parts, std::span<Coupled> coupled, std::span<const double> b,
                          std::span<double> x) {
  cg_iterations_ = 0;
  iterate_ = true;
  gather(parts, coupled);
  const Solved solved = solve_gathered(coupled, b, x);
  if (solved != Solved::no || large_ == nullptr || !large_->factorable()) return solved;
  iterate_ = false;
  gather(parts, coupled);
  return solve_gathered(coupled, b, x);
}

Solved WholeSystem::solve_gathered(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x) {
  begin_rows(coupled);
  const Solved solved = rows_.settle([&] { return solve_rows(coupled, b, x); });
  give_rows(coupled, x);
  return solved;
}

// Steps of multipliers, and what is left of their rows.
void WholeSystem::give_rows(std::span<Coupled> coupled, std::span<const double> x) const {
  for_each_hard_row(coupled, [&](std::size_t k, Coupled& c, int r) {
    if (r == 0) {
      c.change.resize(static_cast<std::size_t>(c.hard));
      c.open.resize(static_cast<std::size_t>(c.hard));
    }
    c.change[static_cast<std::size_t>(r)] = rows_.change[k];
    c.open[static_cast<std::size_t>(r)] =
        std::isfinite(rows_.give[k]) ? std::fabs(rows_.target[k] - c.along(r, x) + rows_.give[k] * rows_.change[k]) : 0;
  });
}

Solved WholeSystem::factor(std::span<const Part> parts, std::span<Coupled> coupled, std::span<const double> b) {
  iterate_ = false;
  gather(parts, coupled);
  begin_rows(coupled);
  if (!rows_.any()) return factor_rows(coupled);
  std::vector<double> x(b.size());
  return rows_.settle([&] { return solve_rows(coupled, b, x); });
}

Solved WholeSystem::factor(std::span<const Part> parts, std::span<Coupled> coupled, const WholeSystem& as) {
  iterate_ = false;
  gather(parts, coupled);
  begin_rows(coupled);
  rows_ = as.rows_;
  return factor_rows(coupled);
}

Solved WholeSystem::solve_factored(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x) {
  const Solved solved = solve_held(coupled, b, x);
  give_rows(coupled, x);
  return solved;
}

Solved WholeSystem::solve_held(std::span<const Coupled> coupled, std::span<const double> b, std::span<double> x) {
  return exact() ? saddle_.solve(matrix_, coupled, rows_, b, x) : refine(coupled, b, x);
}

// With the rows that are held.
Solved WholeSystem::solve_rows(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x) {
  if (const Solved factored = factor_rows(coupled); factored != Solved::yes) return factored;
  const Solved solved = solve_held(coupled, b, x);
  if (!rows_.any()) return solved;
  for_each_hard_row(coupled, [&](std::size_t k, const Coupled& c, int r) {
    if (r >= c.hard - c.bounded) rows_.moved[k] = c.along(r, x);
  });
  return solved;
}

Solved WholeSystem::refine(std::span<const Coupled> coupled, std::span<const double> b, std::span<double> x) {
  const std::size_t n = b.size();
  std::fill(x.begin(), x.end(), 0.0);
  r_.assign(b.begin(), b.end());
  d_.resize(n);
  product_.resize(n);
  std::vector<double> gap(rows_.target);  // what is left of the hard rows
  for_each_hard_row(coupled, [&](std::size_t k, const Coupled& c, int r) {
    if (std::isfinite(rows_.give[k]))
      rows_.change[k] = 0;
    else
      c.spread(r, -rows_.change[k], r_);
  });
  if (gap.empty()) return solve_augmented(b, x);
  const double load = std::max(largest(r_), 1e-300), wide = largest(gap);
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    side_.assign(r_.begin(), r_.end());
    for_each_hard_row(coupled, [&](std::size_t k, const Coupled& c, int r) {
      if (const double weight = stiffness_of(k); weight > 0) c.spread(r, weight * gap[k], side_);
    });
    if (const Solved solved = solve_augmented(side_, d_); solved != Solved::yes) return solved;
    multiply(d_, product_);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += d_[i];
      r_[i] -= product_[i];
    }
    double left = 0;
    for_each_hard_row(coupled, [&](std::size_t k, const Coupled& c, int r) {
      const double weight = stiffness_of(k);
      if (!std::isfinite(rows_.give[k])) return;
      const double open = gap[k] - c.along(r, d_), change = -weight * open;
      rows_.change[k] += change;
      c.spread(r, -change, r_);
      gap[k] = open + rows_.give[k] * change;
      if (weight > 0) left = worse(left, std::fabs(gap[k]));
    });
    const double rest = worse(largest(r_) / load, wide > 0 ? left / wide : left > 0 ? 1 : 0);
    if (std::isnan(rest)) return Solved::no;
    if (rest <= (large_ != nullptr ? enough : round_off)) break;
    if (round > 2 && rest > 0.5 * before) break;  // round-off, or rows that contradict each other
    before = rest;
  }
  return Solved::yes;
}

}  // namespace ymir
