#include "ymir/solids/contact/whole_couplings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ymir {
namespace {

// R over a row's own compliance: a round leaves little, and round-off stays below what contacts ask for.
constexpr double penalty = 1e5;
// What a row that yields gives, over its own compliance (whole_system.cpp).
constexpr double softness = 1e-12;

}  // namespace

void WholeCouplings::add(std::span<CoupledRows> coupled) {
  for (CoupledRows& c : coupled) elements_.push_back(&c);
}

void WholeCouplings::nodes(std::vector<std::vector<std::int32_t>>& lists) const {
  for (const CoupledRows* c : elements_) {
    std::vector<std::int32_t>& own = lists.emplace_back();
    for (const std::int32_t s : c->slots) own.push_back(s / 3);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
}

void WholeCouplings::find_places(const BlockMatrix& matrix) {
  places_.resize(elements_.size());
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const std::vector<std::int32_t>& slots = elements_[e]->slots;
    places_[e].clear();
    std::int32_t i = -1, j = -1, block = -1;
    for (const std::int32_t p : slots)
      for (const std::int32_t q : slots) {
        if (p / 3 != i || q / 3 != j) {
          i = p / 3, j = q / 3;
          block = i >= j ? matrix.slot(i, j) : -1;
        }
        places_[e].push_back(block < 0 ? -1 : 9 * block + 3 * (p % 3) + q % 3);
      }
  }
}

void WholeCouplings::scatter(std::size_t element, BlockMatrix& to) {
  double* values = to.block(0);
  for (std::size_t k = 0; k < dense_.size(); ++k)
    if (const std::int32_t place = places_[element][k]; place >= 0) values[place] += dense_[k];
}

void WholeCouplings::add_outer(const CoupledRows& c, int row, double weight) {
  const std::size_t n = c.slots.size();
  const double* j = c.j.data() + static_cast<std::size_t>(row) * n;
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < n; ++q) dense_[p * n + q] += weight * j[p] * j[q];
}

void WholeCouplings::add_soft(BlockMatrix& matrix) {
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const CoupledRows& c = *elements_[e];
    if (c.curvature.empty() && c.rows == c.hard) continue;
    dense_.assign(c.slots.size() * c.slots.size(), 0);
    if (!c.curvature.empty()) dense_ = c.curvature;
    for (int r = c.hard; r < c.rows; ++r) add_outer(c, r, c.stiffness[static_cast<std::size_t>(r)]);
    scatter(e, matrix);
  }
}

void WholeCouplings::start(const BlockMatrix& matrix) {
  rows_.clear();
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const CoupledRows& c = *elements_[e];
    for (int r = 0; r < c.hard; ++r) {
      double compliance = 0;
      for (std::size_t p = 0; p < c.slots.size(); ++p) {
        const double j = c.j[static_cast<std::size_t>(r) * c.slots.size() + p];
        compliance += j * j / std::fabs(matrix.diagonal(c.slots[p] / 3)[4 * (c.slots[p] % 3)]);
      }
      Row& row = rows_.emplace_back();
      const auto k = static_cast<std::size_t>(r);
      const bool bounded = r >= c.hard - c.bounded;
      const std::size_t bound = bounded ? k - static_cast<std::size_t>(c.hard - c.bounded) : 0;
      constexpr double infinity = std::numeric_limits<double>::infinity();
      row = {e,
             r,
             c.gap[k],
             c.force[k],
             bounded ? c.low[bound] : -infinity,
             bounded ? c.high[bound] : infinity,
             c.yields ? softness * compliance : 0,
             compliance > 0 ? penalty / compliance : 0};
      row.gap -= row.yield * row.force;  // J x - yield (l - l0) = yield l0 - C
    }
  }
}

double WholeCouplings::response(const Row& row, double moved) {
  const double l = row.force + (row.change + row.penalty * (row.gap + moved)) / (1 + row.penalty * row.yield);
  return std::clamp(l, row.low, row.high) - row.force;
}

bool WholeCouplings::hold(std::span<const double> x) {
  bool changed = false;
  for (Row& row : rows_) {
    if (std::isinf(row.low) && std::isinf(row.high)) continue;
    const double l = row.force + response(row, elements_[row.element]->along(row.row, x));
    const bool held = l > row.low && l < row.high;
    changed = changed || held != row.held;
    row.held = held;
  }
  return changed;
}

void WholeCouplings::add_hard(BlockMatrix& augmented) {
  std::size_t k = 0;
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const CoupledRows& c = *elements_[e];
    if (c.hard == 0) continue;
    dense_.assign(c.slots.size() * c.slots.size(), 0);
    for (int r = 0; r < c.hard; ++r, ++k)
      if (const Row& row = rows_[k]; row.held) add_outer(c, r, row.penalty / (1 + row.penalty * row.yield));
    scatter(e, augmented);
  }
}

void WholeCouplings::resist(std::span<const double> x, std::span<double> side) const {
  for (const Row& row : rows_) {
    const CoupledRows& c = *elements_[row.element];
    c.spread(row.row, -response(row, c.along(row.row, x)), side);
  }
}

void WholeCouplings::set_line(std::span<const double> x, std::span<const double> step) {
  for (Row& row : rows_) {
    row.at = elements_[row.element]->along(row.row, x);
    row.way = elements_[row.element]->along(row.row, step);
  }
}

double WholeCouplings::slope(double share) const {
  double sum = 0;
  for (const Row& row : rows_) sum += response(row, row.at + share * row.way) * row.way;
  return sum;
}

void WholeCouplings::advance(std::span<const double> x) {
  for (Row& row : rows_) {
    const double before = row.change;
    row.change = response(row, elements_[row.element]->along(row.row, x));
    // What the row is off by: of one at its bound nothing.
    row.open = row.penalty > 0 ? (row.change - before) / row.penalty : 0;
  }
}

void WholeCouplings::keep() {
  for (Row& row : rows_) row.kept = row.change;
}

void WholeCouplings::give() const {
  for (CoupledRows* c : elements_)
    for (auto* values : {&c->change, &c->open, &c->yield}) values->assign(static_cast<std::size_t>(c->hard), 0);
  for (const Row& row : rows_) {
    CoupledRows& c = *elements_[row.element];
    const auto r = static_cast<std::size_t>(row.row);
    c.change[r] = row.kept;
    c.open[r] = std::fabs(row.open);
    c.yield[r] = row.yield;
  }
}

}  // namespace ymir
