#include "ymir/objects/particle_block.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/particle_object.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/particles/point_newton.h"
#include "ymir/solids/solid_system.h"

namespace ymir {
namespace {

// Of residual displacements, relative to the radius: blocks are small and Newton converges quadratically.
constexpr NewtonSettings point_newton{1e-10, 50};
// Positions have 16 digits: no displacement is resolved better than to this part of the tolerance's length.
constexpr double resolved = 1e-4;
constexpr std::ptrdiff_t run = 512;  // points that a thread takes at once

Planes<Vec3d>::Type planes_of(Vec3d& v) { return {&v.x, &v.y, &v.z}; }

template <class F>
void for_each(std::size_t count, F&& f) {
  parallel_blocks(static_cast<std::ptrdiff_t>(count), run, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) f(static_cast<std::size_t>(i));
  });
}

}  // namespace

const NewtonSettings& ParticleBlock::settings() const { return point_newton; }

void ParticleBlock::accumulate(std::size_t point, bool on_velocity, Vec3d& force, Symmetric3<double>& d) {
  const ForceBlock out{planes_of(force), {&d.xx, &d.yy, &d.zz, &d.xy, &d.xz, &d.yz}};
  const std::vector<PointForce>& forces = object_->forces();
  for (std::size_t k = 0; k < forces.size(); ++k)
    if ((forces[k].on_velocity != Dependence::none) == on_velocity)
      forces[k].accumulate(points_[point].seen, planes_of(samples_[point * forces.size() + k]), out);
}

void ParticleBlock::begin(const Step& step) {
  dt_ = step.dt;
  points_.assign(numbers_.size(), {});
  samples_.assign(numbers_.size() * object_->forces().size(), Vec3d{0, 0, 0});
  for_each(points_.size(), [&](std::size_t i) { begin_point(step, i); });
}

void ParticleBlock::begin_point(const Step& step, std::size_t i) {
  Point& p = points_[i];
  p.seen = object_->point_at(step, numbers_[i]);
  p.mass = p.seen.mass[0];
  p.start = p.seen.position[0];
  p.start_velocity = p.velocity = p.seen.velocity[0];
  p.seen.velocity = planes_of(p.velocity);
  p.length = std::max(p.seen.radius[0], resolved * norm(p.start));
  const std::vector<PointForce>& forces = object_->forces();
  for (std::size_t k = 0; k < forces.size(); ++k)
    if (forces[k].sample) forces[k].sample(p.seen, planes_of(samples_[i * forces.size() + k]));
  accumulate(i, false, p.constant_force, p.constant_derivative);
}

void ParticleBlock::place() {
  for (Point& p : points_) p.displacement = p.start_velocity * dt_;
}

Embedding ParticleBlock::embedded(int place, const MaterialPoint&) const {
  const Point& p = points_[static_cast<std::size_t>(place)];
  return free_point(p.start + p.displacement);
}

void ParticleBlock::assemble() {
  for_each(points_.size(), [&](std::size_t i) { assemble_point(i); });
}

void ParticleBlock::assemble_point(std::size_t i) {
  Point& p = points_[i];
  p.velocity = p.displacement / dt_;
  Vec3d force = p.constant_force;
  Symmetric3<double> d = p.constant_derivative;
  accumulate(i, true, force, d);
  const double inertia = p.mass / (dt_ * dt_);
  p.matrix = {inertia - d.xx / dt_, inertia - d.yy / dt_, inertia - d.zz / dt_, -d.xy / dt_, -d.xz / dt_, -d.yz / dt_};
  p.residual = (p.velocity - p.start_velocity) * (p.mass / dt_) - force;
  p.scale = {p.matrix.xx, p.matrix.yy, p.matrix.zz};
}

void ParticleBlock::add_force(std::size_t row, double force, double stiffness) {
  Point& p = of_row(row);
  p.residual[static_cast<int>(row % 3)] += force;
  p.scale[static_cast<int>(row % 3)] += stiffness;
}

double ParticleBlock::residual(double violation) const {
  double worst = 0;
  for (const Point& p : points_)
    for (int k = 0; k < 3; ++k)
      worst = worse(worst, worse(violation, std::fabs(p.residual[k]) / p.scale[k]) / p.length);
  return worst;
}

bool ParticleBlock::factor() {
  return std::all_of(points_.begin(), points_.end(), [](const Point& p) {
    return is_finite(solve_spd(p.matrix, Vec3d{1, 1, 1})) && p.matrix.xx > 0 && p.matrix.yy > 0 && p.matrix.zz > 0;
  });
}

void ParticleBlock::right_side(double* b) const {
  for (const Point& p : points_)
    for (int k = 0; k < 3; ++k) *b++ = -p.residual[k];
}

void ParticleBlock::solve(const double* r, double* z) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Vec3d x = solve_spd(points_[i].matrix, Vec3d{r[3 * i], r[3 * i + 1], r[3 * i + 2]});
    for (int k = 0; k < 3; ++k) z[3 * i + static_cast<std::size_t>(k)] = x[k];
  }
}

void ParticleBlock::product(const double* x, double* y) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Vec3d ax = points_[i].matrix * Vec3d{x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    for (int k = 0; k < 3; ++k) y[3 * i + static_cast<std::size_t>(k)] = ax[k];
  }
}

void ParticleBlock::visit_blocks(const BlockVisitor& visit) const {
  std::int32_t i = 0;
  for (const Point& p : points_) {
    const Symmetric3<double>& m = p.matrix;
    const double values[9] = {m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz};
    visit(i, i, values);
    ++i;
  }
}

void ParticleBlock::set_step(const double* step) {
  for (Point& p : points_)
    for (int k = 0; k < 3; ++k) p.step[k] = *step++;
}

double ParticleBlock::step_size() const {
  double largest = 0;
  for (const Point& p : points_) largest = worse(largest, norm(p.step) / p.length);
  return largest;
}

void ParticleBlock::move(double share) {
  for (Point& p : points_) p.displacement += p.step * share;
}

void ParticleBlock::end() {
  for (std::size_t i = 0; i < points_.size(); ++i) object_->take(numbers_[i], points_[i].displacement / dt_);
}

// Particles that were not shown touch nothing.
ContactBlock* ParticleBlock::contacts() {
  if (object_->system() == nullptr || !object_->system()->contacts().touches(*object_)) return nullptr;
  if (!contacts_) contacts_ = std::make_unique<ParticleContacts>(*this);
  return contacts_.get();
}

}  // namespace ymir
