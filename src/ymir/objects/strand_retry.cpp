#include "ymir/objects/strand_retry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ymir {
namespace {

// A strand's step is halved this often: the smallest is 1/64 of the substep, in a storm 1/1024.
constexpr int max_halvings = 6, max_halvings_in_storm = 10;
// A wind that moves a strand by more edges in 1/64 of the substep is a storm ...
constexpr double stormy = 0.5;
// ... and one that moves it by more in 1/1024 is not worth any iteration.
constexpr double hopeless = 10;
// Iterations of damped Newton: a strand is carried to its place by an edge in each.
constexpr int carrying = 400;
// Iterations that all parts of a strand's substep may take together.
constexpr std::int64_t budget = 20000;
// Iterations for the definite matrix, which converges slowly but surely.
constexpr int patience = 100;
// An iterate above the tolerance is taken as it is up to this residual, in mean edges ...
constexpr double acceptable = 0.1;
// ... if no edge is longer than this by its rest length, or shorter than the inverse.
constexpr double longest = 1.5;
// Forces that move a strand by this many edges in the smallest step are no forces.
constexpr double unbounded = 1e6;

}  // namespace

StrandReport StrandRetry::advance(int group, double time, double dt) {
  RootPose pose;
  if (roots_at_) pose = roots_at_(group, time + dt);
  const StrandReport first = newton_->advance(group, time + dt, dt, roots_at_ ? &pose : nullptr, forces_, constraints_,
                                              settings_, all_lanes, StrandNewton::Matrix::newton);
  if (first.converged) return first;
  StrandReport total = first;
  total.failed = {};
  total.converged = true;
  const std::vector<StrandReal> begin = strands_->group(group).saved;
  for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
    if (!first.failed[static_cast<std::size_t>(lane)]) continue;
    ++total.retried;
    total.lane_residual[static_cast<std::size_t>(lane)] = 0;
    retry({group, lane, time, dt}, total);
    // Several parts of a strand may have been taken as they are; it counts once.
    if (total.lane_residual[static_cast<std::size_t>(lane)] >= settings_.tolerance) ++total.unconverged;
    strands_->group(group).saved = begin;
  }
  total.residual = 0;
  for (const double r : total.lane_residual) total.residual = std::max(total.residual, r);
  return total;
}

StrandReport StrandRetry::step(const Part& part, const NewtonSettings& settings, StrandNewton::Matrix matrix) {
  RootPose pose;
  if (roots_at_) pose = roots_at_(part.group, part.time + part.dt);
  LaneSet lanes{};
  lanes[static_cast<std::size_t>(part.lane)] = true;
  return newton_->advance(part.group, part.time + part.dt, part.dt, roots_at_ ? &pose : nullptr, forces_, constraints_,
                          settings, lanes, matrix);
}

void StrandRetry::retry(const Part& part, StrandReport& total) {
  iterations_left_ = budget;
  const auto load = [&](int halvings) {
    strands_->rollback(part.group, part.lane);
    const double dt = std::ldexp(part.dt, -halvings);
    return newton_->drift(part.group, part.time + dt, dt, forces_)[part.lane];
  };
  in_storm_ = newton_->dragged() && !(load(max_halvings) < stormy);
  if (in_storm_ && !(load(max_halvings_in_storm) < hopeless))
    follow(part, total);
  else if (!in_storm_ || !damp(part, total))
    halve(part, 1, total);
}

bool StrandRetry::damp(const Part& part, StrandReport& total) {
  strands_->rollback(part.group, part.lane);
  NewtonSettings patient = settings_;
  patient.max_iterations = std::max(patient.max_iterations, carrying);
  const StrandReport report = step(part, patient, StrandNewton::Matrix::damped);
  count(report, total);
  if (!report.converged || !believable(part)) return false;
  total.note(part.lane, report.lane_residual[static_cast<std::size_t>(part.lane)]);
  return true;
}

void StrandRetry::count(const StrandReport& part, StrandReport& total) {
  total.iterations = std::max(total.iterations, part.iterations);
  total.lane_iterations += part.lane_iterations;
  total.contact_iterations = part.contact_iterations;  // since the substep began
  total.weakened += part.weakened;
  iterations_left_ -= part.lane_iterations;
}

// The part has failed as a whole; the lane's saved state is that of its beginning.
void StrandRetry::halve(const Part& part, int depth, StrandReport& total) {
  strands_->rollback(part.group, part.lane);
  const int deepest = in_storm_ ? max_halvings_in_storm : max_halvings;
  for (int half = 0; half < 2; ++half) {
    const Part now{part.group, part.lane, part.time + half * 0.5 * part.dt, 0.5 * part.dt};
    if (half > 0) strands_->save(part.group);
    const StrandReport report = step(now, settings_, StrandNewton::Matrix::newton);
    count(report, total);
    if (report.converged)
      total.note(part.lane, report.lane_residual[static_cast<std::size_t>(part.lane)]);
    else if ((in_storm_ || depth == deepest) && damp(now, total))
      continue;
    else if (depth < deepest && (!in_storm_ || iterations_left_ > 0))
      halve(now, depth + 1, total);
    else
      take(now, total);
    if (total.failed[static_cast<std::size_t>(part.lane)]) return;
  }
}

void StrandRetry::take(const Part& part, StrandReport& total) {
  const auto lane = static_cast<std::size_t>(part.lane);
  strands_->rollback(part.group, part.lane);
  NewtonSettings patient = settings_;
  patient.max_iterations = std::max(patient.max_iterations, patience);
  const StrandReport report = step(part, patient, StrandNewton::Matrix::definite);
  count(report, total);
  const double left = report.lane_residual[lane];
  if ((report.converged || left < acceptable) && believable(part)) {
    total.note(part.lane, left);
    return;
  }
  follow(part, total);
}

void StrandRetry::follow(const Part& part, StrandReport& total) {
  strands_->rollback(part.group, part.lane);
  const double load = follow_root(part);
  total.note(part.lane, std::isnan(load) ? std::numeric_limits<double>::infinity() : std::max(load, acceptable));
  if (load < unbounded) return;
  total.failed[static_cast<std::size_t>(part.lane)] = true;
  total.converged = false;
}

bool StrandRetry::believable(const Part& part) const {
  const StrandSystem::Group& group = strands_->group(part.group);
  const auto at = [&](int channel, int i) { return strands_->plane(part.group, channel)[i][part.lane]; };
  const auto was = [&](int channel, int i) { return strands_->saved(part.group, channel)[i][part.lane]; };
  const auto length = [&](auto&& x, int i) {
    const int p = channels_->position;
    return norm(Vec3d{x(p, i + 1) - x(p, i), x(p + 1, i + 1) - x(p + 1, i), x(p + 2, i + 1) - x(p + 2, i)});
  };
  for (int i = 1; i + 1 < group.count[static_cast<std::size_t>(part.lane)]; ++i) {
    const double rest = at(channels_->rest_length, i), now = length(at, i), before = length(was, i);
    if (!(now < std::max(longest * rest, before * (1 + 1e-9)))) return false;
    if (!(now > std::min(rest / longest, before * (1 - 1e-9)))) return false;
  }
  return true;
}

double StrandRetry::follow_root(const Part& part) {
  RootPose pose;
  if (roots_at_) pose = roots_at_(part.group, part.time + part.dt);
  LaneSet lanes{};
  lanes[static_cast<std::size_t>(part.lane)] = true;
  return newton_->follow(part.group, part.time + part.dt, part.dt, roots_at_ ? &pose : nullptr, forces_, constraints_,
                         lanes)[part.lane];
}

}  // namespace ymir
