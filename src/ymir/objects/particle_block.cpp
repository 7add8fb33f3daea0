#include "ymir/objects/particle_block.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/particle_object.h"
#include "ymir/physics/particles/point_newton.h"

namespace ymir {
namespace {

// Of residual displacements, relative to the radius: blocks are small and Newton converges quadratically.
constexpr NewtonSettings point_newton{1e-10, 50};
// Positions have 16 digits: no displacement is resolved better than to this part of the tolerance's length.
constexpr double resolved = 1e-4;

Planes<Vec3d>::Type planes_of(Vec3d& v) { return {&v.x, &v.y, &v.z}; }

}  // namespace

const NewtonSettings& ParticleBlock::settings() const { return point_newton; }

void ParticleBlock::accumulate(bool on_velocity, Vec3d& force, Symmetric3<double>& d) {
  const ForceBlock out{planes_of(force), {&d.xx, &d.yy, &d.zz, &d.xy, &d.xz, &d.yz}};
  const std::vector<PointForce>& forces = object_->forces();
  for (std::size_t k = 0; k < forces.size(); ++k)
    if ((forces[k].on_velocity != Dependence::none) == on_velocity)
      forces[k].accumulate(block_, planes_of(samples_[k]), out);
}

void ParticleBlock::begin(const Step& step) {
  block_ = object_->attached_block(step, seat_);
  mass_ = block_.mass[0];
  dt_ = step.dt;
  start_ = block_.position[0];
  start_velocity_ = velocity_ = block_.velocity[0];
  displacement_ = {0, 0, 0};
  block_.velocity = planes_of(velocity_);
  length_ = std::max(block_.radius[0], resolved * norm(start_));
  samples_.assign(object_->forces().size(), Vec3d{0, 0, 0});
  for (std::size_t k = 0; k < samples_.size(); ++k)
    if (object_->forces()[k].sample) object_->forces()[k].sample(block_, planes_of(samples_[k]));
  constant_force_ = {0, 0, 0};
  constant_derivative_ = {};
  accumulate(false, constant_force_, constant_derivative_);
}

Embedding ParticleBlock::embedded(int, const MaterialPoint&) const { return free_point(start_ + displacement_); }

void ParticleBlock::assemble() {
  velocity_ = displacement_ / dt_;
  Vec3d force = constant_force_;
  Symmetric3<double> d = constant_derivative_;
  accumulate(true, force, d);
  const double inertia = mass_ / (dt_ * dt_);
  matrix_ = {inertia - d.xx / dt_, inertia - d.yy / dt_, inertia - d.zz / dt_, -d.xy / dt_, -d.xz / dt_, -d.yz / dt_};
  residual_ = (velocity_ - start_velocity_) * (mass_ / dt_) - force;
  scale_ = {matrix_.xx, matrix_.yy, matrix_.zz};
}

void ParticleBlock::add_force(std::size_t row, double force, double stiffness) {
  residual_[static_cast<int>(row)] += force;
  scale_[static_cast<int>(row)] += stiffness;
}

double ParticleBlock::residual(double violation) const {
  double worst = violation;
  for (int k = 0; k < 3; ++k) worst = worse(worst, std::fabs(residual_[k]) / scale_[k]);
  return worst / length_;
}

bool ParticleBlock::factor() {
  const Vec3d test = solve_spd(matrix_, Vec3d{1, 1, 1});
  return is_finite(test) && matrix_.xx > 0 && matrix_.yy > 0 && matrix_.zz > 0;
}

void ParticleBlock::right_side(double* b) const {
  for (int k = 0; k < 3; ++k) b[k] = -residual_[k];
}

void ParticleBlock::solve(const double* r, double* z) const {
  const Vec3d x = solve_spd(matrix_, Vec3d{r[0], r[1], r[2]});
  for (int k = 0; k < 3; ++k) z[k] = x[k];
}

void ParticleBlock::product(const double* x, double* y) const {
  const Vec3d ax = matrix_ * Vec3d{x[0], x[1], x[2]};
  for (int k = 0; k < 3; ++k) y[k] = ax[k];
}

void ParticleBlock::visit_blocks(const BlockVisitor& visit) const {
  const Symmetric3<double>& m = matrix_;
  const double values[9] = {m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz};
  visit(0, 0, values);
}

void ParticleBlock::end() { object_->set_attached_velocity(seat_, displacement_ / dt_); }

}  // namespace ymir
