// Block Gauss-Seidel: every contact is solved with the others held, one after the other [Daviet2011, algorithm 1].
//
// Large problems are swept colour by colour, contacts of one colour by all threads: they are not coupled, so the result
// depends neither on their order nor on the number of threads.
#pragma once

#include "ymir/physics/contact/enumerative_contact.h"
#include "ymir/solvers/coulomb/system.h"

namespace ymir {

// How one contact is solved.
enum class LocalSolver { hybrid, newton, enumerative, alart_curnier, alart_curnier_damped, pyramid };

namespace coulomb {

struct SweepOptions {
  LocalSolver local = LocalSolver::hybrid;
  double tolerance = 1e-12;  // of one contact, relative to its |b|
  // Contacts that rest are left alone for so many sweeps; 0: none.
  int sleep = 0;
  double rest = 1e-9;  // w |dr| below this, in units of the root mean square of q
};

class Sweeper {
 public:
  explicit Sweeper(const System& system, const SweepOptions& options = {});

  // One sweep of W + shift I, q. Returns the error E_s that contacts had when their turn came: that of no single
  // iterate, but the same at rest.
  double sweep(Vector& r, const Vector& q, double shift, bool backward = false);
  void wake();
  std::int64_t local_solves() const { return solves_; }

 private:
  void prepare(double shift);
  bool visit(std::int32_t i, Vector& r, const Vector& q);  // whether it was solved, not asleep

  const System* system_;
  SweepOptions options_;
  Colours colours_;  // of problems that are swept by threads
  std::vector<HybridBlock> own_;
  double shift_ = -1;
  std::vector<std::int32_t> asleep_;  // sweeps left
  std::vector<double> squares_;       // of errors, by contact
  std::int64_t solves_ = 0;
};

}  // namespace coulomb
}  // namespace ymir
