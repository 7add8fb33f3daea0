#include "ymir/objects/rigid_block.h"

#include <algorithm>
#include <cmath>

#include "ymir/math/symmetric_eigen3.h"
#include "ymir/physics/rigid/free_flight.h"
#include "ymir/physics/rigid/rotation_potential.h"

namespace ymir {
namespace {

constexpr int n = RigidStep::size;
// Turn per part of a free flight [rad], and parts at most.
constexpr double turn_per_split = 0.1;
constexpr int most_splits = 64;

}  // namespace

MassPoints::MassPoints(const RigidBody& body, Vec3d position, const Quaternion& rotation, Vec3d velocity, Vec3d spin) {
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = static_cast<int>(i / 2);
    Vec3d in_body{0, 0, 0};
    in_body[axis] = (i % 2 == 0 ? 1 : -1) * std::sqrt(3 * body.spread[axis] / body.mass);
    arm_[i] = rotate(rotation, in_body);
    const Vec3d x = position + arm_[i], v = velocity + cross(spin, arm_[i]);
    for (int k = 0; k < 3; ++k) {
      position_[k][i] = x[k];
      velocity_[k][i] = v[k];
    }
    mass_[i] = body.mass / count;
    radius_[i] = body.size / 2;
  }
}

PointBlock MassPoints::block(int body, double time, double dt) const {
  return {nullptr,
          body,
          static_cast<int>(count),
          time,
          dt,
          {position_[0], position_[1], position_[2]},
          {velocity_[0], velocity_[1], velocity_[2]},
          mass_,
          radius_};
}

void RigidBlock::begin(const Step& step) {
  begin_ = object_->begin_pose(body_);
  const RigidBody& body = object_->bodies()[body_];
  step_.dt = step.dt;
  step_.time = step.time + step.dt;
  step_.body = static_cast<int>(body_);
  step_.begin_position = step_.position = begin_.position;
  step_.begin_rotation = step_.rotation = begin_.rotation;
  const Vec3d m = rotate(conjugate(begin_.rotation), begin_.momentum);
  const Vec3d spin{m.x / body.moments.x, m.y / body.moments.y, m.z / body.moments.z};
  const int splits =
      std::clamp(static_cast<int>(std::min(norm(spin) * step.dt / turn_per_split, 1e6)) + 1, 1, most_splits);
  free_ = free_flight(begin_.rotation, begin_.momentum, body.moments, step.dt, splits);
  carried_ = false;
  for (const auto& constraint : object_->constraints())
    carried_ = carried_ || constraint->carries(step_.body, carried_to_);
  const auto& forces = object_->forces();
  samples_.assign(MassPoints::count * forces.size(), Vec3d{0, 0, 0});
  const MassPoints points(body, begin_.position, begin_.rotation, begin_.velocity, rotate(begin_.rotation, spin));
  double sampled[3][MassPoints::count];
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (!forces[k].sample) continue;
    forces[k].sample(points.block(step_.body, step_.time, step.dt), {sampled[0], sampled[1], sampled[2]});
    for (std::size_t i = 0; i < MassPoints::count; ++i)
      samples_[k * MassPoints::count + i] = {sampled[0][i], sampled[1][i], sampled[2][i]};
  }
}

void RigidBlock::place() {
  if (carried_) {
    step_.position = carried_to_.translation;
    step_.rotation = carried_to_.rotation;
    return;
  }
  step_.position = begin_.position + begin_.velocity * step_.dt;
  step_.rotation = free_;
}

Embedding RigidBlock::embedded(int, const MaterialPoint& at) const {
  const RigidPoint p = step_.point(at.weights);
  Embedding e;
  e.position = p.position;
  e.dofs = n;
  for (int k = 0; k < 3; ++k) {
    Vec3d axis{0, 0, 0};
    axis[k] = 1;
    e.frame[k] = rotate(step_.rotation, axis);
    e.shift[k] = axis;
    e.turn[k] = {0, 0, 0};
    e.shift[3 + k] = cross(axis, p.arm);
    e.turn[3 + k] = axis;
  }
  return e;
}

// Forces see the velocity of a point as its way over the substep: d(arm)/dphi = -[arm]x.
void RigidBlock::add_forces() {
  const auto& forces = object_->forces();
  if (forces.empty()) return;
  const RigidBody& body = object_->bodies()[body_];
  const Vec3d spin = quaternion_log(step_.rotation * conjugate(begin_.rotation)) / step_.dt;
  const MassPoints points(body, step_.position, step_.rotation, (step_.position - begin_.position) / step_.dt, spin);
  const PointBlock block = points.block(step_.body, step_.time, step_.dt);
  double force[3][MassPoints::count] = {}, derivative[6][MassPoints::count] = {}, sampled[3][MassPoints::count];
  const ForceBlock out{{force[0], force[1], force[2]},
                       {derivative[0], derivative[1], derivative[2], derivative[3], derivative[4], derivative[5]}};
  for (std::size_t k = 0; k < forces.size(); ++k) {
    for (std::size_t i = 0; i < MassPoints::count; ++i)
      for (int c = 0; c < 3; ++c) sampled[c][i] = samples_[k * MassPoints::count + i][c];
    forces[k].accumulate(block, {sampled[0], sampled[1], sampled[2]}, out);
  }
  for (std::size_t i = 0; i < MassPoints::count; ++i) {
    RigidPoint at(step_.position, Quaternion{}, points.arm(i));
    const double xx = out.derivative.xx[i], yy = out.derivative.yy[i], zz = out.derivative.zz[i],
                 xy = out.derivative.xy[i], xz = out.derivative.xz[i], yz = out.derivative.yz[i];
    const Mat3d stiffness = Mat3d({xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}) * (-1 / step_.dt);
    step_.add(at, {-force[0][i], -force[1][i], -force[2][i]}, stiffness);
  }
}

void RigidBlock::assemble() {
  const RigidBody& body = object_->bodies()[body_];
  const double inertia = body.mass / (step_.dt * step_.dt);
  for (auto& row : step_.matrix) std::fill_n(row, n, 0.0);
  for (auto& row : step_.lever) std::fill_n(row, 3, 0.0);
  const RotationPotential turning(step_.rotation, free_, body.spread, step_.dt);
  const Vec3d away = step_.position - begin_.position - begin_.velocity * step_.dt;
  torque_of_inertia_ = turning.gradient();
  // Definite as long as the rotation is within 90 degrees of free flight; farther away, as it is at no angle.
  Mat3d curvature = turning.hessian();
  const Mat3d start = RotationPotential(free_, free_, body.spread, step_.dt).hessian();
  const SymmetricEigen3<double> eigen = symmetric_eigen3(curvature);
  if (std::min({eigen.values.x, eigen.values.y, eigen.values.z}) < 1e-3 * trace(start)) curvature = start;
  for (int r = 0; r < 3; ++r) {
    step_.residual[r] = inertia * away[r];
    step_.residual[3 + r] = torque_of_inertia_[r];
    step_.matrix[r][r] = inertia;
    for (int c = 0; c < 3; ++c) step_.matrix[3 + r][3 + c] = curvature(r, c);
  }
  add_forces();
  for (const auto& constraint : object_->constraints()) constraint->assemble(step_);
  if (carried_) {
    std::fill_n(step_.residual, n, 0.0);
    for (auto& row : step_.lever) std::fill_n(row, 3, 0.0);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) step_.matrix[r][c] = r == c ? 1 : 0;
  }
  for (int r = 0; r < n; ++r) scale_[r] = step_.matrix[r][r];
  levers_ = true;
}

void RigidBlock::add_force(std::size_t row, double force, double stiffness) {
  step_.residual[row] += force;
  scale_[row] += stiffness;
}

void RigidBlock::add_lever(int, const MaterialPoint& at, Vec3d pull) { step_.add_lever(step_.point(at.weights), pull); }

double RigidBlock::residual(double violation) const {
  const double size = object_->bodies()[body_].size;
  double worst = violation / size;
  for (int r = 0; r < n; ++r) worst = worse(worst, std::fabs(step_.residual[r]) / (scale_[r] * (r < 3 ? size : 1)));
  return worst;
}

double RigidBlock::entry(int r, int c) const {
  return step_.matrix[r][c] + (levers_ && r >= 3 && c >= 3 ? step_.lever[r - 3][c - 3] : 0);
}

// L L' of the block.
bool RigidBlock::try_factor() {
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double sum = entry(i, j);
      for (int k = 0; k < j; ++k) sum -= factor_[i][k] * factor_[j][k];
      if (i == j && !(sum > 1e-12 * step_.matrix[j][j])) return false;
      factor_[i][j] = i == j ? std::sqrt(sum) : sum / factor_[j][j];
    }
  return true;
}

bool RigidBlock::factor() {
  if (try_factor()) return true;
  levers_ = false;
  return try_factor();
}

void RigidBlock::right_side(double* b) const {
  for (int r = 0; r < n; ++r) b[r] = -step_.residual[r];
}

void RigidBlock::solve(const double* r, double* z) const {
  double y[n];
  for (int i = 0; i < n; ++i) {
    y[i] = r[i];
    for (int k = 0; k < i; ++k) y[i] -= factor_[i][k] * y[k];
    y[i] /= factor_[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    z[i] = y[i];
    for (int k = i + 1; k < n; ++k) z[i] -= factor_[k][i] * z[k];
    z[i] /= factor_[i][i];
  }
}

void RigidBlock::product(const double* x, double* y) const {
  for (int r = 0; r < n; ++r) {
    y[r] = 0;
    for (int c = 0; c < n; ++c) y[r] += entry(r, c) * x[c];
  }
}

void RigidBlock::visit_blocks(const BlockVisitor& visit) const {
  for (int j = 0; j < 2; ++j)
    for (int i = j; i < 2; ++i) {
      double values[9];
      for (int k = 0; k < 9; ++k) values[k] = entry(3 * i + k / 3, 3 * j + k % 3);
      visit(i, j, values);
    }
}

void RigidBlock::set_step(const double* step) { std::copy_n(step, n, newton_); }

double RigidBlock::step_size() const {
  const Vec3d shift{newton_[0], newton_[1], newton_[2]}, turn{newton_[3], newton_[4], newton_[5]};
  return worse(norm(shift) / object_->bodies()[body_].size, norm(turn));
}

double RigidBlock::reach() const {
  constexpr double most = 1;  // [rad]
  const double turn = norm(Vec3d{newton_[3], newton_[4], newton_[5]});
  return turn > most ? most / turn : 1;
}

void RigidBlock::move(double share) {
  const Vec3d turn = Vec3d{newton_[3], newton_[4], newton_[5]} * share;
  step_.position += Vec3d{newton_[0], newton_[1], newton_[2]} * share;
  step_.rotation = normalized(quaternion_exp(turn) * step_.rotation);
}

ContactBlock* RigidBlock::contacts() {
  if (!contacts_) contacts_ = std::make_unique<RigidContacts>(*this);
  return contacts_.get();
}

// The torque that acted is the one inertia answered; of a carried body the spin is known.
void RigidBlock::end() {
  for (const auto& constraint : object_->constraints()) constraint->end(step_);
  RigidPose pose;
  pose.position = step_.position;
  pose.rotation = step_.rotation;
  pose.velocity = (step_.position - begin_.position) / step_.dt;
  pose.momentum = begin_.momentum + torque_of_inertia_ * step_.dt;
  if (carried_) {
    const Vec3d spin = quaternion_log(step_.rotation * conjugate(begin_.rotation)) / step_.dt;
    const Vec3d w = rotate(conjugate(step_.rotation), spin), moments = object_->bodies()[body_].moments;
    pose.momentum = rotate(step_.rotation, {w.x * moments.x, w.y * moments.y, w.z * moments.z});
  }
  object_->take(body_, pose);
}

}  // namespace ymir
