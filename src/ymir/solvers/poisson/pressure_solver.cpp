#include "ymir/solvers/poisson/pressure_solver.h"

#include <algorithm>

#include "ymir/base/hash.h"

namespace ymir {
namespace {

constexpr int matrices_until_retry = 8;    // of other topology, before multigrid on tiles is tried again
constexpr int most_split_iterations = 60;  // then smoothed aggregation

AlgebraicMethod algebraic_method(PressureMethod method) {
  return method == PressureMethod::split ? AlgebraicMethod::split
         : method == PressureMethod::amg ? AlgebraicMethod::smoothed
                                         : AlgebraicMethod::direct;
}

AmgOptions amg_options(PressureMethod method) {
  if (method == PressureMethod::split) return {.sweeps = 2, .w_cycle = true};
  return {};
}

const char* name_of(PressureMethod method) {
  return method == PressureMethod::split ? "split W(2,2)" : method == PressureMethod::amg ? "SA-AMG" : "direct";
}

}  // namespace

PressureSolver::PressureSolver(DiscreteVolume& volume, PressureMethod method)
    : volume_(&volume), tiles_(volume), algebraic_(volume.domain().communicator()), method_(method) {}

void PressureSolver::set_matrix(ChannelId<float> coefficient, ChannelId<std::uint8_t> cell) {
  tiles_.set_matrix(coefficient, cell);
  stale_ = true;
  if (settled_ == PressureMethod::multigrid || method_ != PressureMethod::automatic) return;
  if (tiles_.topology() == topology_ || ++kept_ < matrices_until_retry) return;
  settled_ = PressureMethod::multigrid;
  kept_ = 0;
  algebraic_.clear();
}

// Changes when tiles move between ranks.
std::uint64_t PressureSolver::shares() const {
  Communicator& communicator = volume_->domain().communicator();
  std::uint64_t hash = mix64(static_cast<std::uint64_t>(communicator.rank()));
  for (const BucketKey key : volume_->buckets().local_keys()) hash = hash_combine(hash, key);
  return communicator.wrapping_sum(hash);
}

void PressureSolver::bring_system_up_to_date() {
  if (!stale_ && !algebraic_.empty()) return;
  const std::uint64_t topology = tiles_.topology(), now = shares();
  const bool same = !algebraic_.empty() && topology == topology_ && now == shares_;
  algebraic_.set_system(tiles_.assemble(), same);
  topology_ = topology;
  shares_ = now;
  stale_ = false;
}

PoissonReport PressureSolver::solve_by_rows(PressureMethod method, ChannelId<double> b, ChannelId<double> x,
                                            const PoissonOptions& options) {
  // Without iterations: checks b, clears the guess outside the unknowns, and measures it.
  PoissonReport report = tiles_.solve(b, x, {options.tolerance, 0});
  if (report.converged || !report.finite) return report;
  bring_system_up_to_date();
  algebraic_.choose(algebraic_method(method), amg_options(method));
  tiles_.take_rows(b, rows_b_);
  tiles_.take_rows(x, rows_x_);
  constexpr double margin = 0.999;  // the residual is measured again on tiles, where sums round differently
  const CgReport cg = algebraic_.solve(
      rows_b_, rows_x_, {.relative = margin * options.tolerance, .max_iterations = options.max_iterations});
  tiles_.put_rows(rows_x_, x);
  report = tiles_.solve(b, x, {options.tolerance, 0});
  report.iterations = cg.iterations;
  report.solver = name_of(method);
  return report;
}

PoissonReport PressureSolver::solve(ChannelId<double> b, ChannelId<double> x, const PoissonOptions& options) {
  if (method_ == PressureMethod::multigrid) return tiles_.solve(b, x, options);
  if (method_ != PressureMethod::automatic) return solve_by_rows(method_, b, x, options);
  PoissonReport report;
  int spent = 0;
  const auto done = [&](PoissonReport now) {
    report = std::move(now);
    report.iterations += spent;
    spent = report.iterations;
    return report.converged || !report.finite;
  };
  if (settled_ == PressureMethod::multigrid) {
    PoissonOptions first = options;
    first.stop_when_slow = true;
    if (done(tiles_.solve(b, x, first)) || !report.wants_algebraic) return report;
    settled_ = PressureMethod::split;
    kept_ = 0;
  }
  if (settled_ == PressureMethod::split) {
    PoissonOptions limited = options;
    limited.max_iterations = std::min(options.max_iterations, most_split_iterations);
    if (done(solve_by_rows(PressureMethod::split, b, x, limited))) return report;
    settled_ = PressureMethod::amg;
  }
  if (done(solve_by_rows(PressureMethod::amg, b, x, options))) return report;
  const PoissonReport iterated = report;
  return done(solve_by_rows(PressureMethod::direct, b, x, options)) ? report : iterated;
}

}  // namespace ymir
