#include "ymir/objects/strand_block.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/curves_object.h"

namespace ymir {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes;
// Of strands in contact, in a substep: what has not converged by then buckles, and wants a definite matrix.
constexpr int exact_assemblies = 6;

}  // namespace

StrandBlock::StrandBlock(CurvesObject& object, int group)
    : object_(&object), group_(group), newton_(object.strands(), object.rod_channels()) {}

const NewtonSettings& StrandBlock::settings() const { return object_->description().newton; }

int StrandBlock::pieces() const {
  const auto& id = object_->strands().group(group_).id;
  return static_cast<int>(std::count_if(id.begin(), id.end(), [](std::int64_t i) { return i >= 0; }));
}

void StrandBlock::begin(const Step& step) {
  if (step.iteration > 0) object_->strands().rollback(group_);  // solved again, under other forces
  if (object_->moving_roots()) pose_ = object_->root_pose(group_, step.time + step.dt);
  assemblies_ = 0;
  newton_.step().active = Real::all(1);
  newton_.begin(group_, step.time + step.dt, step.dt, nullptr, object_->forces(), object_->constraints());
}

void StrandBlock::place() {
  if (object_->moving_roots()) newton_.place_roots(pose_);
  newton_.carry_loose();
  if (object_->rolls(group_)) newton_.spin_loose();
}

std::size_t StrandBlock::size() const { return static_cast<std::size_t>(newton_.rows()) * lanes; }

Embedding StrandBlock::embedded(int place, const MaterialPoint& at) const {
  return newton_.step().embedded(place, at.cell, at.weights.x);
}

std::ptrdiff_t StrandBlock::row(int place, const MaterialPoint& at, int local) const {
  if (!newton_.is_free(at.cell + local / 4, local % 4, place)) return -1;
  return static_cast<std::ptrdiff_t>(newton_.row(at.cell, local)) * lanes + place;
}

void StrandBlock::assemble() {
  newton_.step().beta = Real::all(1);
  // Contacts push: strands are compressed, and without that part of their stiffness Newton's method creeps.
  newton_.step().curvature = contacts_ && ++assemblies_ <= exact_assemblies ? StrandStep::Curvature::compressed
                                                                            : StrandStep::Curvature::newton;
  factored_ = false;
  newton_.assemble(object_->forces(), object_->constraints());
}

void StrandBlock::add_force(std::size_t row, double force, double stiffness) {
  reinterpret_cast<double*>(newton_.step().residual)[row] += force;
  reinterpret_cast<double*>(newton_.step().scale)[row] += stiffness;
}

double StrandBlock::residual(double violation) const {
  const Real left = newton_.residual();
  double worst = 0;
  for (int lane = 0; lane < lanes; ++lane)
    if (object_->strands().group(group_).id[static_cast<std::size_t>(lane)] >= 0)
      worst = worse(worse(worst, left[lane]), violation / newton_.step().mean_length[lane]);
  return worst;
}

bool StrandBlock::factor(std::span<const std::size_t> without) {
  StrandStep& s = newton_.step();
  const std::size_t entries = band().entries();
  padded_.resize(static_cast<std::size_t>(newton_.rows() + band().half_bandwidth()));
  if (factored_)
    std::copy(matrix_.begin(), matrix_.end(), s.matrix);
  else
    matrix_.assign(s.matrix, s.matrix + entries);
  factored_ = true;
  for (;;) {
    band().hold(without, s.matrix);
    if (newton_.factor()) return true;
    for (int lane = 0; lane < lanes; ++lane)
      if (s.beta[lane] < 0) return false;
    const std::vector<Real> residual(s.residual, s.residual + newton_.rows());
    newton_.assemble(object_->forces(), object_->constraints());
    std::copy(residual.begin(), residual.end(), s.residual);
    matrix_.assign(s.matrix, s.matrix + entries);
  }
}

bool StrandBlock::factor() { return factor({}); }

bool StrandBlock::factor_without(std::span<const std::size_t> rows) { return factor(rows); }

void StrandBlock::right_side(double* b) const {
  const auto* residual = reinterpret_cast<const double*>(newton_.step().residual);
  const auto* condensed = reinterpret_cast<const double*>(newton_.step().condensed);
  for (std::size_t i = 0; i < size(); ++i) b[i] = -(residual[i] + condensed[i]);
}

void StrandBlock::solve(const double* r, double* z) const {
  std::fill(padded_.begin(), padded_.end(), Real::all(0));
  std::copy_n(r, size(), reinterpret_cast<double*>(padded_.data()));
  newton_.solve(padded_.data());
  std::copy_n(reinterpret_cast<const double*>(padded_.data()), size(), z);
}

void StrandBlock::product(const double* x, double* y) const { band().product(x, y); }

void StrandBlock::set_step(const double* step) {
  std::copy_n(step, size(), reinterpret_cast<double*>(newton_.step().step));
}

double StrandBlock::step_size() const {
  const Real sizes = newton_.step_size();
  double largest = 0;
  for (int lane = 0; lane < lanes; ++lane) largest = std::max(largest, sizes[lane]);
  return largest;
}

double StrandBlock::reach() const {
  const Real shares = newton_.reach();
  double share = 1;
  for (int lane = 0; lane < lanes; ++lane) share = std::min(share, shares[lane]);
  return share;
}

void StrandBlock::move(double share) { newton_.move(Real::all(share), Real::all(0), object_->constraints()); }

void StrandBlock::end() { newton_.end(object_->constraints()); }

ContactBlock* StrandBlock::contacts() {
  if (!contacts_) contacts_ = std::make_unique<StrandContacts>(*this);
  contacts_->begin();
  return contacts_.get();
}

}  // namespace ymir
