#include "ymir/solvers/coulomb/sweeps.h"

#include <algorithm>

#include "ymir/parallel/threads.h"

namespace ymir::coulomb {
namespace {

Vec3d solve_local(LocalSolver solver, const HybridBlock& own, Vec3d b, double mu, Vec3d before, double tolerance) {
  const LocalContact c{own.w, b, mu};
  switch (solver) {
    case LocalSolver::hybrid: return hybrid_contact(own, b, mu, before, tolerance).r;
    case LocalSolver::newton: return mfb_newton(c, before, tolerance).r;
    case LocalSolver::enumerative: return enumerative_contact(c, tolerance).r;
    case LocalSolver::alart_curnier: return alart_curnier_newton(c, before, tolerance, false).r;
    case LocalSolver::alart_curnier_damped: return alart_curnier_newton(c, before, tolerance, true).r;
    case LocalSolver::pyramid: return pyramid_sweeps(c, before, tolerance).r;
  }
  return {};
}

}  // namespace

Sweeper::Sweeper(const System& system, const SweepOptions& options)
    : system_(&system),
      options_(options),
      asleep_(static_cast<std::size_t>(system.contacts), 0),
      squares_(static_cast<std::size_t>(system.contacts), 0) {
  if (system.contacts >= threaded_from) colours_ = colour_contacts(system);
}

void Sweeper::prepare(double shift) {
  if (shift == shift_) return;
  shift_ = shift;
  own_.resize(static_cast<std::size_t>(system_->contacts));
  for (std::int32_t i = 0; i < system_->contacts; ++i)
    own_[i] = hybrid_block(plus_diagonal(system_->own_block(i), shift));
}

void Sweeper::wake() { std::fill(asleep_.begin(), asleep_.end(), 0); }

bool Sweeper::visit(std::int32_t i, Vector& r, const Vector& q) {
  if (asleep_[i] > 0) {
    --asleep_[i];
    return false;
  }
  const System& s = *system_;
  const HybridBlock& own = own_[i];
  Lane sum = q[i];
  const std::int64_t self = s.diagonal[i], end = s.starts[i + 1];
  for (std::int64_t k = s.starts[i]; k < self; ++k) sum = multiply_add(s.blocks[k], r[s.columns[k]], sum);
  for (std::int64_t k = self + 1; k < end; ++k) sum = multiply_add(s.blocks[k], r[s.columns[k]], sum);
  const Vec3d b = vec3(sum), before = vec3(r[i]);
  const Vec3d e = natural_map(before, own.w * before + b, s.mu[i], own.weight);
  squares_[i] = ymir::dot(e, e);
  Vec3d now = solve_local(options_.local, own, b, s.mu[i], before, options_.tolerance);
  if (!is_finite(now)) now = {};
  if (options_.sleep > 0 && own.weight * ymir::norm(now - before) < options_.rest) asleep_[i] = options_.sleep;
  r[i] = lane(now);
  return true;
}

double Sweeper::sweep(Vector& r, const Vector& q, double shift, bool backward) {
  prepare(shift);
  const std::int32_t n = system_->contacts;
  if (colours_.order.empty()) {
    for (std::int32_t k = 0; k < n; ++k) solves_ += visit(backward ? n - 1 - k : k, r, q) ? 1 : 0;
  } else {
    const auto count = static_cast<std::int32_t>(colours_.starts.size()) - 1;
    for (std::int32_t k = 0; k < count; ++k) {
      const std::int32_t c = backward ? count - 1 - k : k, begin = colours_.starts[c];
      parallel_blocks(colours_.starts[c + 1] - begin, rows_per_task / 4, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
        for (std::ptrdiff_t j = from; j < to; ++j) visit(colours_.order[begin + j], r, q);
      });
    }
    solves_ += n - std::count_if(asleep_.begin(), asleep_.end(), [](std::int32_t left) { return left > 0; });
  }
  double total = 0;
  for (const double e : squares_) total += e;
  return std::sqrt(total) / system_->size;
}

}  // namespace ymir::coulomb
