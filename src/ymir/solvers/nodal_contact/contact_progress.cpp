#include "ymir/solvers/nodal_contact/contact_progress.h"

#include <cmath>

namespace ymir {

bool ContactProgress::note(int iteration, double error, double largest, double impulse) {
  constexpr double largest_impulse = 1e6;  // impulses beyond that fit an error that is none
  last_ = iteration;
  if (!std::isfinite(error) || !std::isfinite(impulse)) {
    broken_ = true;
    return false;
  }
  const bool bounded = impulse <= largest_impulse;
  solved_ = bounded && error <= tolerance_;
  if (error < mark_ / 2) mark_ = error, since_ = iteration;
  // Without a solution impulses grow in proportion to the iterations while the error stays where it is: compare with
  // the check at half as many.
  constexpr int earliest = 400;
  constexpr double grown = 1.6, stays = 0.8, wrong = 0.1;
  for (const Check& c : checks_)
    if (largest > wrong && iteration >= earliest && 2 * c.iteration == iteration)
      diverging_ = diverging_ || (impulse > grown * c.impulse && error > stays * c.error);
  checks_.push_back({iteration, error, impulse});
  if (!bounded || !(error < best_)) return false;
  best_ = error;
  return true;
}

void ContactProgress::changed(int iteration) {
  since_ = iteration;
  mark_ = std::numeric_limits<double>::infinity();
}

ContactStatus ContactProgress::status() const {
  if (diverging_) return ContactStatus::diverging;
  if (best_ <= tolerance_) return ContactStatus::solved;
  return best_ <= 100 * tolerance_ ? ContactStatus::inaccurate : ContactStatus::failed;
}

}  // namespace ymir
