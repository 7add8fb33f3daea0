// What the levels of a solve share: the best iterate of all, and what has been done.
#pragma once

#include <algorithm>

#include "ymir/solvers/coulomb/system.h"

namespace ymir::coulomb {

class Progress {
 public:
  Progress(const System& system, double tolerance)
      : system_(&system), tolerance_(tolerance), u_(static_cast<std::size_t>(system.contacts)) {}

  // Judges r, whose velocities are u (W r + q, nothing added). True once there is no more to do.
  bool offer(const Vector& r, const Vector& u) {
    const Judgement j = judge(*system_, r, u);
    if (!(j.error < infinite)) return finished();
    runaway_ = std::max(runaway_, j.impulse);
    if (j.impulse <= most_impulse && (best_.empty() || j.error < error_)) {
      error_ = j.error;
      impulse_ = j.impulse;
      best_ = r;
    }
    return finished();
  }
  bool offer(const Vector& r) {
    system_->velocities(r, system_->q, 0, u_);
    return offer(r, u_);
  }
  // A factorisation of so many products of blocks, and what goes with it per contact.
  void count_factor(double products) {
    ++factors;
    work += products + 50.0 * system_->contacts;
  }
  bool solved() const { return !best_.empty() && error_ <= tolerance_; }
  // Solved, or all that is left is the rounding of W r, which is larger than q by far.
  bool finished() const { return !best_.empty() && error_ <= std::max(tolerance_, rounding * impulse_); }
  // Finished, or as much has been spent on factorisations as the solve may.
  bool over() const { return finished() || work > most_work; }
  double error() const { return error_; }
  double tolerance() const { return tolerance_; }
  double runaway() const { return runaway_; }  // largest w_i |r_i| / max |q_i| of all iterates
  const Vector& best() const { return best_; }

  static constexpr double infinite = 1e300, rounding = 1e-14;
  // Impulses beyond this do not answer q. Heavy bodies on light ones, of 1e6 times less mass, want 1e8.
  static constexpr double most_impulse = 1e9;
  // Beyond this, without a solution, there is none.
  static constexpr double runs_away = 1e6;

  int sweeps = 0, steps = 0, factors = 0;  // done; steps: of Newton or interior point
  double work = 0, most_work = infinite;   // products of blocks in factorisations and around them

 private:
  const System* system_;
  double tolerance_;
  Vector u_, best_;
  double error_ = infinite, impulse_ = 0, runaway_ = 0;
};

}  // namespace ymir::coulomb
