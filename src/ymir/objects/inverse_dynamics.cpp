#include "ymir/objects/inverse_dynamics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ymir {
namespace {

using Real = StrandReal;
constexpr double forever = 1e9;  // a step so long that inertia vanishes [s]
constexpr int passes = 4;
constexpr int max_stiffenings = 14;  // 1.5^14 = 292
constexpr double stiffening = 1.5;

}  // namespace

void InverseDynamics::begin(int group, StrandStep::Curvature curvature) {
  StrandStep& s = newton_->step();
  s.active = Real::all(1);
  newton_->begin(group, 0, forever, nullptr, forces_, constraints_);
  s.curvature = curvature;
  newton_->assemble(forces_, constraints_);
}

std::size_t InverseDynamics::parameter_count() const {
  std::size_t planes = 0;
  for (const auto& c : constraints_) planes += static_cast<std::size_t>(c->parameters());
  return planes * static_cast<std::size_t>(newton_->step().vertices);
}

Compensation InverseDynamics::compensate(int group, std::span<const StrandReal> share) {
  Compensation result;
  // Vertex 0 is the ghost before the root.
  Real most = Real::all(0), least = Real::all(1);
  for (std::size_t i = 1; i < share.size(); ++i) {
    most = max(share[i], most);
    least = min(share[i], least);
  }
  const auto takes_part = most > 0.0;
  const Real whole = select(takes_part, Real::all(1), 0.0),
             part = select(takes_part & (least < 1.0), Real::all(1), 0.0);
  StrandStep& s = newton_->step();
  const auto each_constraint = [&](auto&& f) {
    std::size_t at = 0;
    for (const auto& c : constraints_) {
      f(*c, at);
      at += static_cast<std::size_t>(c->parameters() * s.vertices);
    }
  };
  // Rest values and multipliers that take up what is left of the load.
  const auto take_load = [&] {
    newton_->solve();
    std::vector<Real> strain(parameter_count(), Real::all(0));
    each_constraint([&](StrandConstraint& c, std::size_t at) { c.strain_of(s, s.step, strain.data() + at); });
    each_constraint([&](StrandConstraint& c, std::size_t at) { c.shift_rest(s, strain.data() + at); });
    for (std::size_t c = 0; c < constraints_.size(); ++c)
      if (constraints_[c]->needs_multipliers()) constraints_[c]->advance(s, s.active, s.constraint_work[c]);
  };
  for (int pass = 0; pass < passes; ++pass) {
    begin(group, StrandStep::Curvature::none);
    s.active = whole;
    // Tensions are in balance by themselves from here on; W (C - p) has the rounding of p.
    if (pass > 0) std::fill_n(s.condensed, newton_->rows(), Real::all(0));
    if (!newton_->factor()) {
      s.curvature = StrandStep::Curvature::newton;
      result.residual = std::numeric_limits<double>::infinity();
      return result;
    }
    take_load();
  }
  // Stability: H must have positive pivots.
  for (int attempt = 0; attempt <= max_stiffenings; ++attempt) {
    begin(group, StrandStep::Curvature::exact);
    s.active = whole;
    if (newton_->factor()) break;
    const Real lanes = select((s.beta < 1.0) & takes_part, Real::all(1), 0.0);
    if (!any(lanes > 0.0)) break;
    if (attempt == 0)
      for (int lane = 0; lane < StrandSystem::lanes; ++lane) result.stiffened += lanes[lane] > 0 ? 1 : 0;
    if (attempt == max_stiffenings) {
      for (int lane = 0; lane < StrandSystem::lanes; ++lane) result.unstable += lanes[lane] > 0 ? 1 : 0;
      break;
    }
    for (const auto& c : constraints_) c->stiffen(s, select(lanes > 0.0, Real::all(stiffening), 1.0));
    result.largest_factor = std::pow(stiffening, attempt + 1);
  }
  begin(group, StrandStep::Curvature::none);
  Real worst = Real::all(0), weight = Real::all(0), count = Real::all(0);
  for (int i = 0; i < s.vertices; ++i)
    for (int k = 0; k < 3; ++k) worst = max(abs(s.residual[newton_->row(i, k)]), worst);
  newton_->constant_load(weight, count);
  for (int lane = 0; lane < StrandSystem::lanes; ++lane)
    if (weight[lane] > 0 && whole[lane] > 0)
      result.residual = std::max(result.residual, worst[lane] * count[lane] / weight[lane]);
  // A share of the loads: give back the rest of the strain.
  if (any(part > 0.0)) {
    begin(group, StrandStep::Curvature::none);
    s.active = part;
    std::fill_n(s.residual, newton_->rows(), Real::all(0));
    std::fill_n(s.condensed, newton_->rows(), Real::all(0));
    newton_->add_remaining_load(s.residual, share);
    if (newton_->factor()) take_load();
  }
  s.curvature = StrandStep::Curvature::newton;
  return result;
}

bool InverseDynamics::linearize(int group) {
  begin(group, StrandStep::Curvature::exact);
  const bool definite = newton_->factor();
  newton_->step().curvature = StrandStep::Curvature::newton;
  return definite;
}

void InverseDynamics::displacement(const std::vector<Real>& dp, std::vector<Real>& dx) {
  StrandStep& s = newton_->step();
  dx.assign(static_cast<std::size_t>(newton_->rows() + MultiplierLayout::half_bandwidth), Real::all(0));
  std::size_t at = 0;
  for (const auto& c : constraints_) {
    c->add_rest_force(s, dp.data() + at, dx.data());
    at += static_cast<std::size_t>(c->parameters() * s.vertices);
  }
  newton_->mask(dx.data());
  newton_->solve(dx.data());
}

void InverseDynamics::adjoint(const std::vector<Real>& loss, std::vector<Real>& gradient) {
  StrandStep& s = newton_->step();
  std::vector<Real> z(loss);
  z.resize(static_cast<std::size_t>(newton_->rows() + MultiplierLayout::half_bandwidth), Real::all(0));
  newton_->mask(z.data());
  newton_->solve(z.data());
  gradient.assign(parameter_count(), Real::all(0));
  std::size_t at = 0;
  for (const auto& c : constraints_) {
    c->rest_gradient(s, z.data(), gradient.data() + at);
    at += static_cast<std::size_t>(c->parameters() * s.vertices);
  }
}

}  // namespace ymir
