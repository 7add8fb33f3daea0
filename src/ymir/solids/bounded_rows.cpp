#include "ymir/solids/bounded_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ymir {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Sets tried before the path is taken, and after it; without fewer wrong rows, tries that are forgiven.
constexpr int first_sets = 12, last_sets = 12, forgiven = 2;
// Of the largest multiplier and motion of bounded rows: what rounding may leave.
constexpr double rounding = 1e-11;
// Interior points: what of the way to a bound a step takes, and when the set can be told.
constexpr double inside = 0.99, close = 1e-12;
constexpr int most_points = 40;

}  // namespace

void BoundedRows::begin(std::span<const CoupledRows> coupled, std::span<const double> own,
                        std::span<const double> yield) {
  bounded_.clear();
  give.assign(own.size(), 0);
  target.assign(own.size(), 0);
  change.assign(own.size(), 0);
  moved.assign(own.size(), 0);
  for_each_hard_row(coupled, [&](std::size_t k, const CoupledRows& c, int r) {
    const auto row = static_cast<std::size_t>(r);
    give[k] = yield[k];
    target[k] = yield[k] > 0 ? yield[k] * c.force[row] - c.gap[row] : -c.gap[row];
    if (r < c.hard - c.bounded) return;
    const auto bound = static_cast<std::size_t>(r - (c.hard - c.bounded));
    Row& b = bounded_.emplace_back();
    b = {k, c.low[bound], c.high[bound], c.force[row], c.gap[row], yield[k], State::held};
    // What the multiplier would be if the row closed its gap by itself.
    const double trial = own[k] > 0 ? b.force + b.gap / own[k] : b.force;
    if (trial <= b.low)
      b.state = State::low;
    else if (trial >= b.high)
      b.state = State::high;
  });
}

void BoundedRows::pose(Row& row) {
  const std::size_t k = row.number;
  if (row.state == State::held) {
    give[k] = row.yield;
    target[k] = row.yield * row.force - row.gap;
    return;
  }
  give[k] = infinity;
  target[k] = 0;
  change[k] = (row.state == State::low ? row.low : row.high) - row.force;
}

// Rows that are not as their state says change it; returns their number.
int BoundedRows::switch_states() {
  double most_force = 0, most_motion = 0;
  for (const Row& row : bounded_) {
    most_force = std::max(most_force, std::fabs(row.force + change[row.number]));
    if (row.state != State::held) most_motion = std::max(most_motion, std::fabs(row.gap + moved[row.number]));
  }
  least_force_ = std::min(least_force_, most_force);
  least_motion_ = std::min(least_motion_, most_motion);
  int wrong = 0;
  for (Row& row : bounded_) {
    const State before = row.state;
    const double force = row.force + change[row.number], y = row.gap + moved[row.number];
    if (before == State::held) {
      if (force > row.high + rounding * most_force) row.state = State::high;
      if (force < row.low - rounding * most_force) row.state = State::low;
    } else if ((before == State::low ? y : -y) > rounding * most_motion) {
      row.state = State::held;
    }
    wrong += row.state != before ? 1 : 0;
  }
  return wrong;
}

Solved BoundedRows::try_sets(const Solve& solve, int most, bool& settled) {
  int least = std::numeric_limits<int>::max(), stalled = 0;
  settled = false;
  for (int k = 0; k < most && stalled <= forgiven; ++k) {
    for (Row& row : bounded_) pose(row);
    ++solves_;
    if (const Solved solved = solve(); solved != Solved::yes) return solved;
    const int wrong = switch_states();
    settled = wrong == 0;
    if (settled) break;
    stalled = wrong < least ? 0 : stalled + 1;
    least = std::min(least, wrong);
  }
  return Solved::yes;
}

Solved BoundedRows::settle(const Solve& solve) {
  solves_ = 0;
  least_force_ = least_motion_ = infinity;
  bool settled = false;
  if (const Solved solved = try_sets(solve, first_sets, settled); solved != Solved::yes || settled) return solved;
  if (const Solved solved = approach(solve); solved != Solved::yes) return solved;
  return try_sets(solve, last_sets, settled);
}

// In the middle of their bounds, or as far from the only one as multipliers are large.
void BoundedRows::start_inside() {
  double most_force = least_force_, most_motion = least_motion_;
  for (const Row& row : bounded_) {
    for (const double force : {row.force, row.low, row.high})
      if (std::isfinite(force)) most_force = std::max(most_force, std::fabs(force));
    most_motion = std::max(most_motion, std::fabs(row.gap));
  }
  most_force = std::max(most_force, 1e-300);
  most_motion = std::max(most_motion, 1e-300);
  for (Row& row : bounded_) {
    const bool below = std::isfinite(row.low), above = std::isfinite(row.high);
    row.multiplier = below && above ? (row.low + row.high) / 2
                     : below        ? row.low + most_force
                     : above        ? row.high - most_force
                                    : row.force;
    row.slack_low = below ? most_motion : 0;
    row.slack_high = above ? most_motion : 0;
  }
}

// Mean of slack times distance from the bound; and what is large in either.
double BoundedRows::complementarity() {
  double sum = 0;
  int count = 0;
  most_force_ = most_motion_ = 0;
  const auto add = [&](double slack, double away) {
    if (!std::isfinite(away)) return;
    sum += slack * away;
    ++count;
    most_force_ = std::max(most_force_, away);
    most_motion_ = std::max(most_motion_, slack);
  };
  for (const Row& row : bounded_) {
    add(row.slack_low, row.multiplier - row.low);
    add(row.slack_high, row.high - row.multiplier);
  }
  return count > 0 ? sum / count : 0;
}

// The rows of the next point, aiming at complementarity s.
void BoundedRows::pose_inside(double s) {
  for (const Row& row : bounded_) {
    double compliance = 0, y = 0;
    if (std::isfinite(row.low)) {
      compliance += row.slack_low / (row.multiplier - row.low);
      y -= s / (row.multiplier - row.low);
    }
    if (std::isfinite(row.high)) {
      compliance += row.slack_high / (row.high - row.multiplier);
      y += s / (row.high - row.multiplier);
    }
    give[row.number] = compliance;
    target[row.number] = y - row.gap + compliance * (row.force - row.multiplier);
  }
}

// As far as the bounds let.
void BoundedRows::step_inside(double s) {
  struct Step {
    double multiplier, low, high;
  };
  std::vector<Step> steps;
  double share = 1;
  const auto limit = [&](double value, double step) {
    if (step < 0) share = std::min(share, -inside * value / step);
  };
  for (const Row& row : bounded_) {
    Step step{row.force + change[row.number] - row.multiplier, 0, 0};
    if (std::isfinite(row.low)) {
      const double away = row.multiplier - row.low;
      step.low = s / away - row.slack_low - row.slack_low / away * step.multiplier;
      limit(away, step.multiplier);
      limit(row.slack_low, step.low);
    }
    if (std::isfinite(row.high)) {
      const double away = row.high - row.multiplier;
      step.high = s / away - row.slack_high + row.slack_high / away * step.multiplier;
      limit(away, -step.multiplier);
      limit(row.slack_high, step.high);
    }
    steps.push_back(step);
  }
  for (std::size_t k = 0; k < bounded_.size(); ++k) {
    bounded_[k].multiplier += share * steps[k].multiplier;
    bounded_[k].slack_low += share * steps[k].low;
    bounded_[k].slack_high += share * steps[k].high;
  }
  share_ = share;
}

Solved BoundedRows::approach(const Solve& solve) {
  start_inside();
  share_ = 1;
  for (int k = 0; k < most_points && complementarity() > close * most_force_ * most_motion_; ++k) {
    const double s = (share_ > 0.9 ? 0.03 : 0.3) * complementarity();
    pose_inside(s);
    ++solves_;
    if (const Solved solved = solve(); solved != Solved::yes) return solved;
    step_inside(s);
  }
  // Of slack and distance, which have tended to zero one by one, the larger one says on which side a row is.
  for (Row& row : bounded_) {
    row.state = State::held;
    if (row.slack_low * most_force_ > (row.multiplier - row.low) * most_motion_) row.state = State::low;
    if (row.slack_high * most_force_ > (row.high - row.multiplier) * most_motion_) row.state = State::high;
  }
  return Solved::yes;
}

}  // namespace ymir
