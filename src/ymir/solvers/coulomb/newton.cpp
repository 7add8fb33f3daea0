#include "ymir/solvers/coulomb/newton.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ymir::coulomb {
namespace {

constexpr double least_delta = 1e-10, most_delta = 1e-1;

Vec3d contact_function(ContactFunction function, Vec3d r, Vec3d u, double mu, const AlartCurnierScale& rho,
                       ConeDerivatives* d) {
  return function == ContactFunction::alart_curnier ? alart_curnier(r, u, mu, rho, d) : coulomb_mfb(r, u, mu, 1, d);
}

// The largest of the last few residuals: what a step has to beat.
class History {
 public:
  void add(double f) { last_[count_++ % last_.size()] = f; }
  void forget() { count_ = 0; }
  double reference() const {
    return *std::max_element(last_.begin(),
                             last_.begin() + static_cast<std::ptrdiff_t>(std::min(count_, last_.size())));
  }

 private:
  std::array<double, 5> last_{};
  std::size_t count_ = 0;
};

}  // namespace

Newton::Newton(const System& system, BlockLu& lu, Sweeper& sweeper) : system_(&system), lu_(&lu), sweeper_(&sweeper) {
  const auto n = static_cast<std::size_t>(system.contacts);
  for (std::int32_t i = 0; i < system.contacts; ++i) scale_.push_back(alart_curnier_scale(system.own_block(i)));
  a_.resize(n);
  b_.resize(n);
  for (Vector* v : {&f_, &u_, &full_, &between_, &step_, &next_, &best_}) v->resize(n);
}

double Newton::residual(ContactFunction function, const Vector& r, const Vector& u) const {
  double square = 0;
  for (std::int32_t i = 0; i < system_->contacts; ++i) {
    const Vec3d f = contact_function(function, vec3(r[i]), vec3(u[i]), system_->mu[i], scale_[i], nullptr);
    square += ymir::dot(f, f);
  }
  return std::sqrt(square);
}

// F, dF/dr and dF/du of all contacts.
double Newton::evaluate(ContactFunction function, const Vector& r, const Vector& u) {
  double square = 0;
  for (std::int32_t i = 0; i < system_->contacts; ++i) {
    ConeDerivatives d;
    const Vec3d f = contact_function(function, vec3(r[i]), vec3(u[i]), system_->mu[i], scale_[i], &d);
    square += ymir::dot(f, f);
    f_[i] = lane(-f);
    a_[i] = block(d.x);
    b_[i] = block(d.y);
  }
  return std::sqrt(square);
}

bool Newton::find_step(double shift, Progress& progress, const Vector& r) {
  for (int tried = 0; tried < 4; ++tried, delta_ *= 100) {
    progress.count_factor(lu_->work());
    if (!lu_->factor(b_, a_, shift + delta_)) continue;
    lu_->solve(f_, step_);
    const double size = norm(step_);
    if (size < 1e12 * (1 + norm(r))) return true;  // false where it is not finite, too
  }
  return false;
}

// Armijo's rule against the reference; on success u_ belongs to r. Velocities are linear in the step: one
// multiplication by W serves all halvings.
bool Newton::search(Vector& r, const Vector& q, double shift, ContactFunction function, double reference,
                    double& taken) {
  taken = 1;
  add(r, 1, step_, next_);
  system_->velocities(next_, q, shift, full_);
  if (residual(function, next_, full_) <= (1 - 1e-4) * reference) {
    r.swap(next_);
    u_.swap(full_);
    return true;
  }
  for (int halvings = 1; halvings < 14; ++halvings) {
    taken /= 2;
    add(r, taken, step_, next_);
    for (std::size_t i = 0; i < u_.size(); ++i) between_[i] = mul_add(Lane::all(taken), full_[i] - u_[i], u_[i]);
    if (residual(function, next_, between_) <= (1 - 1e-4 * taken) * reference) {
      r.swap(next_);
      system_->velocities(r, q, shift, u_);  // without the rounding of a long step
      return true;
    }
  }
  return false;
}

bool Newton::run(Vector& r, const Vector& q, double shift, const NewtonOptions& options, Progress& progress,
                 const Done& done) {
  History history;
  double least = std::numeric_limits<double>::infinity();
  int stalled = 0;
  delta_ = 1e-8;
  system_->velocities(r, q, shift, u_);
  for (int k = 0; k < options.most_steps; ++k) {
    const double f = evaluate(options.function, r, u_);
    if (!std::isfinite(f)) break;
    if (f < 0.9 * least) stalled = 0;
    if (f < least) {
      least = f;
      best_ = r;
    }
    if (done(r, u_)) return true;
    if (++stalled > options.most_stalled || progress.work > progress.most_work) break;
    history.add(f);
    ++progress.steps;
    double taken = 1;
    if (find_step(shift, progress, r) && search(r, q, shift, options.function, history.reference(), taken)) {
      if (taken == 1) delta_ = std::max(least_delta, 0.3 * delta_);
      continue;
    }
    delta_ = std::min(most_delta, 30 * delta_);
    history.forget();
    if (options.rescue_sweeps == 0 && delta_ >= most_delta) break;
    for (int s = 0; s < options.rescue_sweeps; ++s, ++progress.sweeps) sweeper_->sweep(r, q, shift, s % 2 == 1);
    system_->velocities(r, q, shift, u_);
  }
  if (least < std::numeric_limits<double>::infinity()) r = best_;
  return false;
}

}  // namespace ymir::coulomb
