#include "ymir/solids/whole_system.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

// R over a row's own compliance: large enough that a round leaves little, small enough to leave round-off half the
// digits.
constexpr double penalty = 1e7;
constexpr int most_rounds = 30;
constexpr double round_off = 1e-13;  // of what a round starts from
// Hard rows of a saddle point may say the same thing twice: this much compliance decides between them.
constexpr double redundancy = 1e-12;

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

// Every part's blocks and every element's nodes; where they are as in the last Newton step, nothing is analysed anew.
void WholeSystem::find_pattern(std::span<const Part> parts, std::span<const Coupled> coupled) {
  next_pattern_.clear();
  nodes_ = 0;
  indefinite_ = false;
  for (const Part& part : parts) {
    nodes_ += part.matrix->nodes();
    indefinite_ = indefinite_ || part.matrix->indefinite();
    part.matrix->visit_blocks([&](std::int32_t i, std::int32_t j, const double*) {
      next_pattern_.push_back(part.first_node + i);
      next_pattern_.push_back(part.first_node + j);
    });
  }
  const std::size_t pairs = next_pattern_.size();
  std::vector<BlockMatrix::Elements> lists(1);
  std::vector<std::size_t> ends;
  for (const Coupled& c : coupled) {
    const std::size_t first = next_pattern_.size();
    for (const std::int32_t s : c.slots) next_pattern_.push_back(s / 3);
    std::sort(next_pattern_.begin() + static_cast<std::ptrdiff_t>(first), next_pattern_.end());
    next_pattern_.erase(std::unique(next_pattern_.begin() + static_cast<std::ptrdiff_t>(first), next_pattern_.end()),
                        next_pattern_.end());
    ends.push_back(next_pattern_.size());
  }
  // How they are arranged in the elements.
  for (const Coupled& c : coupled) {
    runs_of_nodes(c.slots, runs_);
    for (std::size_t a = 0; a + 1 < runs_.size(); ++a) next_pattern_.push_back(c.slots[runs_[a]] / 3);
  }
  if (analysed_ && next_pattern_ == pattern_ && matrix_.nodes() == nodes_) return;
  pattern_.swap(next_pattern_);
  const std::span<const std::int32_t> all(pattern_);
  lists[0] = {all.first(pairs), 2};
  std::size_t first = pairs;
  for (const std::size_t end : ends) {
    if (end > first) lists.push_back({all.subspan(first, end - first), static_cast<int>(end - first)});
    first = end;
  }
  matrix_ = BlockMatrix(nodes_, lists);
  augmented_ = matrix_;
  slots_.clear();
  for (std::size_t k = 0; k < pairs; k += 2)
    slots_.push_back(matrix_.slot(std::max(pattern_[k], pattern_[k + 1]), std::min(pattern_[k], pattern_[k + 1])));
  used_.assign(3 * static_cast<std::size_t>(nodes_), 0);
  for (const Part& part : parts)
    for (std::size_t row = 0; row < part.matrix->size(); ++row)
      used_[static_cast<std::size_t>(3 * part.first_node + part.matrix->slot(row))] = 1;
  if (!indefinite_) cholesky_.analyze(matrix_);
  saddle_.reset();
  find_element_blocks(coupled);
  analysed_ = true;
}

void WholeSystem::find_element_blocks(std::span<const Coupled> coupled) {
  element_blocks_.clear();
  first_block_.clear();
  for (const Coupled& c : coupled) {
    first_block_.push_back(element_blocks_.size());
    runs_of_nodes(c.slots, runs_);
    for (std::size_t a = 0; a + 1 < runs_.size(); ++a)
      for (std::size_t b = 0; b + 1 < runs_.size(); ++b) {
        const std::int32_t i = c.slots[runs_[a]] / 3, j = c.slots[runs_[b]] / 3;
        element_blocks_.push_back(i >= j ? matrix_.slot(i, j) : -1);
      }
  }
}

// dense_ of the element to the lower triangle.
void WholeSystem::add_element(BlockMatrix& to, std::size_t element, const Coupled& c) {
  const std::size_t n = c.slots.size();
  runs_of_nodes(c.slots, runs_);
  const std::int32_t* block = element_blocks_.data() + first_block_[element];
  for (std::size_t a = 0; a + 1 < runs_.size(); ++a)
    for (std::size_t b = 0; b + 1 < runs_.size(); ++b, ++block) {
      if (*block < 0) continue;
      double* values = to.block(*block);
      for (std::size_t p = runs_[a]; p < runs_[a + 1]; ++p)
        for (std::size_t q = runs_[b]; q < runs_[b + 1]; ++q)
          values[3 * (c.slots[p] % 3) + c.slots[q] % 3] += dense_[p * n + q];
    }
}

void WholeSystem::gather(std::span<const Part> parts, std::span<const Coupled> coupled) {
  find_pattern(parts, coupled);
  matrix_.clear();
  std::size_t k = 0;
  for (const Part& part : parts)
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
    add_element(matrix_, e, c);
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

bool WholeSystem::factor(std::span<const Coupled> coupled) {
  if (indefinite_) return factor_saddle(coupled);
  augmented_ = matrix_;
  penalty_.clear();
  for (std::size_t e = 0; e < coupled.size(); ++e) {
    const Coupled& c = coupled[e];
    const std::size_t n = c.slots.size();
    dense_.assign(n * n, 0);
    for (int r = 0; r < c.hard; ++r) {
      double compliance = 0;
      for (std::size_t p = 0; p < n; ++p) {
        const double j = c.j[static_cast<std::size_t>(r) * n + p];
        compliance += j * j / std::fabs(matrix_.diagonal(c.slots[p] / 3)[4 * (c.slots[p] % 3)]);
      }
      // A row over nothing that can move holds or is violated, whatever is done.
      penalty_.push_back(compliance > 0 ? penalty / compliance : 0);
      add_outer(c, r, penalty_.back());
    }
    if (c.hard > 0) add_element(augmented_, e, c);
  }
  return cholesky_.factor(augmented_);
}

bool WholeSystem::solve(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x) {
  if (indefinite_) return solve_saddle(coupled, b, x);
  const std::size_t n = b.size();
  std::fill(x.begin(), x.end(), 0.0);
  r_.assign(b.begin(), b.end());
  d_.resize(n);
  product_.resize(n);
  std::vector<double> gap;  // what is left of the hard rows, and what the present step closes
  for (Coupled& c : coupled) {
    c.change.assign(static_cast<std::size_t>(c.hard), 0);
    for (int r = 0; r < c.hard; ++r) gap.push_back(-c.gap[static_cast<std::size_t>(r)]);
  }
  const double load = std::max(largest(b), 1e-300), wide = largest(gap);
  const auto along = [&](const Coupled& c, int row, std::span<const double> values) {
    double sum = 0;
    for (std::size_t p = 0; p < c.slots.size(); ++p)
      sum += c.j[static_cast<std::size_t>(row) * c.slots.size() + p] * values[static_cast<std::size_t>(c.slots[p])];
    return sum;
  };
  const auto spread = [&](const Coupled& c, int row, double value, std::span<double> values) {
    for (std::size_t p = 0; p < c.slots.size(); ++p)
      values[static_cast<std::size_t>(c.slots[p])] += value * c.j[static_cast<std::size_t>(row) * c.slots.size() + p];
  };
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    std::copy(r_.begin(), r_.end(), d_.begin());
    std::size_t k = 0;
    for (const Coupled& c : coupled)
      for (int r = 0; r < c.hard; ++r, ++k) spread(c, r, penalty_[k] * gap[k], d_);
    cholesky_.solve(d_.data(), d_.data());
    matrix_.multiply(d_.data(), product_.data());
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += d_[i];
      r_[i] -= product_[i];
    }
    k = 0;
    double left = 0;
    for (Coupled& c : coupled)
      for (int r = 0; r < c.hard; ++r, ++k) {
        const double open = gap[k] - along(c, r, d_), change = -penalty_[k] * open;
        c.change[static_cast<std::size_t>(r)] += change;
        spread(c, r, -change, r_);
        gap[k] = open;
        if (penalty_[k] > 0) left = worse(left, std::fabs(open));
      }
    const double rest = worse(largest(r_) / load, wide > 0 ? left / wide : left > 0 ? 1 : 0);
    if (std::isnan(rest)) return false;
    if (rest <= round_off || gap.empty()) break;
    if (round > 2 && rest > 0.5 * before) break;  // round-off, or rows that contradict each other
    before = rest;
  }
  return true;
}

bool WholeSystem::factor_saddle(std::span<const Coupled> coupled) {
  std::vector<Triplet> entries;
  for (std::int32_t j = 0; j < matrix_.nodes(); ++j)
    for (std::int32_t e = matrix_.starts()[static_cast<std::size_t>(j)];
         e < matrix_.starts()[static_cast<std::size_t>(j) + 1]; ++e) {
      const std::int32_t i = matrix_.rows()[static_cast<std::size_t>(e)];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < (i == j ? r + 1 : 3); ++c)
          entries.push_back({3 * i + r, 3 * j + c, matrix_.block(e)[3 * r + c]});
    }
  std::int32_t row = 3 * nodes_;
  for (const Coupled& c : coupled) {
    const std::size_t n = c.slots.size();
    for (int r = 0; r < c.hard; ++r, ++row) {
      double compliance = 0;
      for (std::size_t p = 0; p < n; ++p) {
        const double j = c.j[static_cast<std::size_t>(r) * n + p];
        entries.push_back({row, c.slots[p], j});
        compliance += j * j / std::fabs(matrix_.diagonal(c.slots[p] / 3)[4 * (c.slots[p] % 3)]);
      }
      entries.push_back({row, row, compliance > 0 ? -redundancy * compliance : -1});
    }
  }
  if (!saddle_) saddle_ = std::make_unique<Saddle>();
  saddle_->matrix = SymmetricMatrix(row, entries);
  saddle_->solver.analyze(saddle_->matrix);
  return saddle_->solver.factor(saddle_->matrix);
}

bool WholeSystem::solve_saddle(std::span<Coupled> coupled, std::span<const double> b, std::span<double> x) {
  std::vector<double> right(b.begin(), b.end());
  for (const Coupled& c : coupled)
    for (int r = 0; r < c.hard; ++r) right.push_back(-c.gap[static_cast<std::size_t>(r)]);
  std::vector<double> solution(right.size());
  saddle_->solver.solve_refined(saddle_->matrix, right, solution);
  if (std::isnan(largest(solution))) return false;
  std::copy_n(solution.begin(), x.size(), x.begin());
  auto from = solution.begin() + static_cast<std::ptrdiff_t>(x.size());
  for (Coupled& c : coupled) {
    c.change.assign(from, from + c.hard);
    from += c.hard;
  }
  return true;
}

}  // namespace ymir
