#include "ymir/solvers/nodal_contact/metric_policy.h"

#include <algorithm>
#include <iterator>

namespace ymir {

MetricPolicy::Change MetricPolicy::next(int iteration, double error, const ContactProgress& progress) {
  constexpr int earliest = 50, last = 400, trial = 20, most_enlarged = 3;
  constexpr int adapted[] = {50, 100, 200, 400};
  constexpr double worse = 2, lost = 10;
  // Sweeps that do not come near the solution in the metric may feed the splitting: more of them, no over-relaxation.
  if (!restarted_ && iteration >= earliest && error > lost * progress.best()) {
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
  // larger masses let an iteration hold more of what sweeps have found.
  if (progress.slow()) {
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
