#include "ymir/solvers/coulomb/proximal.h"

#include <algorithm>

namespace ymir::coulomb {

void proximal(const System& system, Newton& newton, Sweeper& sweeper, Vector r, int most_rounds, Progress& progress) {
  constexpr double least = 1e-7, most = 10;
  constexpr int most_failures = 30, sweeps_after_failure = 20;
  const NewtonOptions options{.most_steps = 40, .rescue_sweeps = 5};
  double al = 1e-2;
  Vector q(r.size()), x = r, u(r.size());
  int failures = 0;
  for (int round = 0; round < most_rounds && failures < most_failures && !progress.over(); ++round) {
    add(system.q, -al, r, q);
    system.velocities(r, system.q, 0, u);
    const double enough = std::max(1e-13, 0.01 * newton.residual(ContactFunction::fischer_burmeister, r, u));
    x = r;
    const bool done = newton.run(x, q, al, options, progress, [&](const Vector& z, const Vector& v) {
      return progress.offer(z) || newton.residual(ContactFunction::fischer_burmeister, z, v) <= enough;
    });
    if (done) {
      al = std::max(least, 0.2 * al);
    } else {
      ++failures;
      al = std::min(most, 10 * al);
      x = r;
      add(system.q, -al, r, q);
      for (int s = 0; s < sweeps_after_failure; ++s, ++progress.sweeps) sweeper.sweep(x, q, al, s % 2 == 1);
    }
    r = x;
    progress.offer(r);
  }
}

}  // namespace ymir::coulomb
