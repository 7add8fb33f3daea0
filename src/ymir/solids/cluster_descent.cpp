// How far to go along Newton's step.
//
// A soft body that is pressed into what it meets by more than a cell, or stands on a corner, has steps that would turn
// cells inside out, and matrices that had to be made definite, whose steps are too short. The energy is known by its
// derivative along the step alone, r.d: that is followed to where it is small.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/solids/cluster.h"

namespace ymir {
namespace {

constexpr double beyond = 0.5;  // of the slope at the beginning, against the step: it was too long
constexpr double barely = 0.7;  // the same along the step: it was too short
constexpr double small = 0.3;   // steps that may be made longer [edges]
constexpr double longer = 4;    // how much
constexpr double shortest = 0.1;
constexpr int most_trials = 8;

}  // namespace

// Of the energy, against the step: positive where it leads down.
double Cluster::slope() {
  right_side(rhs_.data());
  double sum = 0;
  for (std::size_t i = 0; i < rhs_.size(); ++i) sum += rhs_[i] * solution_[i];
  return sum;
}

void Cluster::descend(const std::function<void()>& forces) {
  const double reach = alone() ? members_[0].seen->reach() : 1;
  const double whole = alone() && block(0).keep() ? slope() : 0;
  if (!(whole > 0)) {
    move(choose_share());
    return forces();
  }
  relaxation_ = 1;
  Member& m = members_[0];
  m.last_step = m.seen->step_size();
  const double least = std::min(reach, shortest);
  // What contacts give is held while the step is followed, and would be another beyond.
  const int most_longer = noise_ > 0 ? 1 : most_trials;
  double share = 1, low = 0, at_low = whole, high = std::numeric_limits<double>::infinity();
  for (int trial = 1;; ++trial) {
    m.local->move(share);
    forces();
    const double now = slope();
    if (trial == most_trials) break;
    double next = longer * share;
    if (!(now >= -beyond * whole)) {
      if (share <= least) break;
      high = share;
      next = low + (high - low) * std::clamp(at_low / (at_low - now), 0.1, 0.7);
      if (std::isnan(now)) next = low + (high - low) * shortest;
    } else if (trial <= most_longer && now > barely * whole && share * m.last_step < small && high > share * longer) {
      low = share;
      at_low = now;
    } else {
      break;
    }
    block(0).go_back();
    share = next;
  }
  ++outcome_.iterations;
}

}  // namespace ymir
