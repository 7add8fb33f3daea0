#include "ymir/solvers/nodal_contact/metric_policy.h"

#include <algorithm>
#include <iterator>

namespace ymir {

MetricPolicy::Change MetricPolicy::next(int iteration, double error, const ContactProgress& progress) {
  constexpr int earliest = 50, last = 400, trial = 20, most_enlarged = 3, patience = 5;
  constexpr int adapted[] = {50, 100, 200, 400};
  constexpr double worse = 2, lost = 10;
  // Sweeps that do not come near the solution in the metric may feed the splitting: more of them, no over-relaxation.
  // While masses of rigid bodies find their size the error may be large for a while, so it has to last.
  lost_ = error > lost * progress.best() ? lost_ + 1 : 0;
  if (!restarted_ && deformable_ && iteration >= earliest && lost_ >= patience) {
    restarted_ = true, adapt_ = false;
    relaxation_ = 1, sweeps_ *= 3;
    return Change::restart;
  }
  if (tried_ >= 0 && iteration >= tried_ + trial) {
    tried_ = -1;
    if (error > worse * error_before_) {
      trusted_ = false;
      return Change::take_back;
    }
  }
  // Where the error falls slowly, impulses are travelling from contact to contact through many bodies, as in a jam:
  // more sweeps carry them farther, and larger masses let an iteration hold more of what sweeps have found. Stacks of
  // rigid bodies want other masses for each body instead, which adaptation finds.
  if (progress.slow() && deformable_) {
    if (adapt_ && !thorough_) {
      thorough_ = true;
      sweeps_ *= 2;
      return Change::more_sweeps;
    }
    if (adapt_ && enlarged_ < most_enlarged) {
      ++enlarged_;
      return Change::enlarge;
    }
    relaxation_ = 1;
  }
  if (!adapt_ || enlarged_ > 0 || iteration > last) return Change::none;
  if (trusted_ && std::find(std::begin(adapted), std::end(adapted), iteration) != std::end(adapted)) {
    tried_ = iteration, error_before_ = error;
    return Change::adapt_all;
  }
  return Change::adapt_often;
}

}  // namespace ymir
