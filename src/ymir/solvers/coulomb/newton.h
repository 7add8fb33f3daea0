// Nonsmooth Newton's method on all contacts at once, for W + shift I and any q: on Alart and Curnier's function or on
// Fischer and Burmeister's, with a nonmonotone line search, the matrix regularised as far as that succeeds.
#pragma once

#include <functional>

#include "ymir/solvers/coulomb/block_lu.h"
#include "ymir/solvers/coulomb/progress.h"
#include "ymir/solvers/coulomb/sweeps.h"

namespace ymir::coulomb {

enum class ContactFunction { alart_curnier, fischer_burmeister };

struct NewtonOptions {
  ContactFunction function = ContactFunction::alart_curnier;
  int most_steps = 100;
  int most_stalled = 25;  // steps without a tenth less of |F|
  int rescue_sweeps = 0;  // where a line search fails; 0: the method ends when no regularisation helps
};

class Newton {
 public:
  Newton(const System& system, BlockLu& lu, Sweeper& sweeper);

  // From r to its last or, when it fails, its best iterate by |F|. done(r, u) ends it: u = (W + shift I) r + q.
  // Steps are counted in `progress`. False where it ended without `done`.
  using Done = std::function<bool(const Vector& r, const Vector& u)>;
  bool run(Vector& r, const Vector& q, double shift, const NewtonOptions& options, Progress& progress,
           const Done& done);
  // |F| at r, velocities u.
  double residual(ContactFunction function, const Vector& r, const Vector& u) const;

 private:
  double evaluate(ContactFunction function, const Vector& r, const Vector& u);
  bool find_step(double shift, Progress& progress, const Vector& r);
  bool search(Vector& r, const Vector& q, double shift, ContactFunction function, double reference, double& taken);

  const System* system_;
  BlockLu* lu_;
  Sweeper* sweeper_;
  std::vector<AlartCurnierScale> scale_;
  std::vector<Block> a_, b_;
  Vector f_, u_, step_, next_, best_;
  Vector full_, between_;  // velocities after the whole step, and after a part of it
  double delta_ = 1e-8;    // of the regularisation, relative to W's mean diagonal
};

}  // namespace ymir::coulomb
