#include "ymir/objects/super_helix_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/math/quaternion.h"
#include "ymir/solvers/absolute_spectrum.h"

namespace ymir {
namespace {

// Planes of doubles per point: position, velocity, tangent of the block; force and its derivative; samples.
constexpr std::size_t state_planes = 9, force_planes = 9;
constexpr double most_turn = 1.5;  // of the tip in a Newton step [rad]
constexpr int easy = 15;           // iterations after which parts of a substep grow again

Vec3d vector_at(const StrandSystem& strands, int group, int channel, int element, int lane) {
  return {strands.plane(group, channel)[element][lane], strands.plane(group, channel + 1)[element][lane],
          strands.plane(group, channel + 2)[element][lane]};
}

void set_vector(StrandSystem& strands, int group, int channel, int element, int lane, Vec3d v) {
  for (int k = 0; k < 3; ++k) strands.at(group, channel + k, element, lane) = v[k];
}

}  // namespace

void SuperHelixBlock::choose(int group, int lane) {
  group_ = group;
  lane_ = lane;
}

void SuperHelixBlock::begin(const Step& step) {
  StrandSystem& strands = object_->strands();
  if (step.iteration > 0) strands.rollback(group_, lane_);  // solved again, under other forces
  dt_ = step.dt;
  time_ = step.time + step.dt;
  helix_ = object_->helix(group_, lane_);
  const SuperHelixChannels& c = object_->helix_channels();
  const auto& gauss = object_->gauss();
  const auto n = static_cast<std::size_t>(count());
  for (auto* list : {&begin_, &velocity_, &now_, &tangent_, &gradient_}) list->resize(n);
  for (auto* list : {&mass_, &radius_, &along_}) list->resize(n);
  point_stiffness_.resize(n);
  shift_.resize(n * most);
  std::size_t p = 0;
  for (int e = 0; e < helix_.elements; ++e) {
    rest_[e] = vector_at(strands, group_, c.rest, e, lane_);
    stiffness_[e] = vector_at(strands, group_, c.stiffness, e, lane_);
    begin_u_[e] = helix_.u[e];
    for (int g = 0; g < gauss.count; ++g, ++p) {
      velocity_[p] = vector_at(strands, group_, c.velocity + 3 * g, e, lane_);
      along_[p] = gauss.weight[g] * helix_.length;
      mass_[p] = along_[p] * strands.plane(group_, c.line_density)[e][lane_];
      radius_[p] = strands.plane(group_, c.radius)[e][lane_];
    }
  }
  find_points();
  begin_ = now_;
  root_at_end_ = helix_.root;
  if (object_->moving_roots() && !helix_.free_root) {
    const RootFrame root = object_->root_pose(strands.group(group_).id[static_cast<std::size_t>(lane_)], time_);
    root_at_end_ = {root.position, {root.m1, cross(root.tangent, root.m1), root.tangent}};
  }
  const auto& forces = object_->forces();
  planes_.assign((state_planes + force_planes) * n, 0);
  samples_.assign(3 * n * forces.size(), 0);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
      planes_[static_cast<std::size_t>(k) * n + i] = begin_[i][k];
      planes_[static_cast<std::size_t>(3 + k) * n + i] = velocity_[i][k];
      planes_[static_cast<std::size_t>(6 + k) * n + i] = tangent_[i][k];
    }
  for (std::size_t k = 0; k < forces.size(); ++k) {
    double* at = samples_.data() + 3 * n * k;
    if (forces[k].sample) forces[k].sample(point_block(planes_.data()), {at, at + n, at + 2 * n});
  }
}

PointBlock SuperHelixBlock::point_block(const double* planes) const {
  const auto n = static_cast<std::size_t>(count());
  const auto three = [&](std::size_t first) {
    return Planes<const Vec3d>::Type{planes + first * n, planes + (first + 1) * n, planes + (first + 2) * n};
  };
  return {nullptr,
          group_ * StrandSystem::lanes + lane_,
          count(),
          time_,
          dt_,
          three(0),
          three(3),
          mass_.data(),
          radius_.data(),
          0,
          three(6),
          along_.data()};
}

void SuperHelixBlock::place() {
  helix_.root = root_at_end_;
  helix_.update();
}

void SuperHelixBlock::find_points() {
  const auto& gauss = object_->gauss();
  std::size_t p = 0;
  for (int e = 0; e < helix_.elements; ++e)
    for (int g = 0; g < gauss.count; ++g, ++p) {
      const double s = gauss.at[g] * helix_.length;
      const HelixFrame at = helix_.frame(e, s);
      now_[p] = at.position;
      tangent_[p] = at.axes.column[2];
      helix_.jacobian(e, s, at.position, shift_.data() + p * most, nullptr);
    }
}

Embedding SuperHelixBlock::embedded(int, const MaterialPoint& at) const {
  const SuperHelixObject::Place place = object_->place_of(helix_, at);
  const HelixFrame frame = helix_.frame(place.element, place.s);
  Embedding e;
  e.position = frame.position;
  e.frame[0] = frame.axes.column[2];
  e.frame[1] = frame.axes.column[0];
  e.frame[2] = frame.axes.column[1];
  e.dofs = helix_.dofs_of(place.element);
  helix_.jacobian(place.element, place.s, frame.position, e.shift, e.turn);
  return e;
}

// Forces see the velocity of a point as its way over the substep.
void SuperHelixBlock::add_forces() {
  const auto& forces = object_->forces();
  if (forces.empty()) return;
  const auto n = static_cast<std::size_t>(count());
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
      planes_[static_cast<std::size_t>(3 + k) * n + i] = (now_[i][k] - begin_[i][k]) / dt_;
      planes_[static_cast<std::size_t>(6 + k) * n + i] = tangent_[i][k];
    }
  double* f = planes_.data() + state_planes * n;
  std::fill_n(f, force_planes * n, 0.0);
  const auto plane = [&](std::size_t k) { return f + k * n; };
  const ForceBlock out{{plane(0), plane(1), plane(2)}, {plane(3), plane(4), plane(5), plane(6), plane(7), plane(8)}};
  const PointBlock block = point_block(planes_.data());
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const double* at = samples_.data() + 3 * n * k;
    forces[k].accumulate(block, {at, at + n, at + 2 * n}, out);
  }
  for (std::size_t i = 0; i < n; ++i) {
    gradient_[i] -= Vec3d{plane(0)[i], plane(1)[i], plane(2)[i]};
    const double xx = out.derivative.xx[i], yy = out.derivative.yy[i], zz = out.derivative.zz[i],
                 xy = out.derivative.xy[i], xz = out.derivative.xz[i], yz = out.derivative.yz[i];
    point_stiffness_[i] += Mat3d({xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}) * (-1 / dt_);
  }
}

void SuperHelixBlock::add_points() {
  const auto& gauss = object_->gauss();
  std::size_t p = 0;
  for (int e = 0; e < helix_.elements; ++e)
    for (int g = 0; g < gauss.count; ++g, ++p) {
      const int n = helix_.dofs_of(e);
      const Vec3d* h = shift_.data() + p * most;
      for (int r = 0; r < n; ++r) {
        residual_[r] += dot(h[r], gradient_[p]);
        const Vec3d kh = point_stiffness_[p] * h[r];
        double* to = matrix_ + r * most;
        for (int c = 0; c <= r; ++c) to[c] += dot(kh, h[c]);
      }
      helix_.add_geometric(e, gauss.at[g] * helix_.length, now_[p], h, gradient_[p], geometric_);
    }
}

void SuperHelixBlock::add_elasticity() {
  const double damping = object_->description().relaxation_time / dt_;
  for (int e = 0; e < helix_.elements; ++e)
    for (int i = 0; i < 3; ++i) {
      const int row = helix_.first() + 3 * e + i;
      const double k = helix_.length * stiffness_[e][i], u = helix_.u[e][i];
      residual_[row] += k * (u - rest_[e][i] + damping * (u - begin_u_[e][i]));
      matrix_[row * most + row] += k * (1 + damping);
    }
}

// Points on its axis do not feel a straight strand turn about itself: what resists are its sections, at least.
void SuperHelixBlock::add_section_inertia() {
  if (!helix_.free_root) return;
  double least = 0;
  for (std::size_t i = 0; i < now_.size(); ++i) least += 0.5 * mass_[i] * radius_[i] * radius_[i];
  least /= dt_ * dt_;
  for (int r = 3; r < 6; ++r) matrix_[r * most + r] = std::max(matrix_[r * most + r], least);
}

void SuperHelixBlock::assemble() {
  const int n = helix_.dofs();
  find_points();
  if (contacts_) contacts_->find();
  for (int r = 0; r < n; ++r) {
    residual_[r] = 0;
    std::fill_n(matrix_ + r * most, r + 1, 0.0);
    std::fill_n(geometric_ + r * most, r + 1, 0.0);
  }
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double inertia = mass_[i] / (dt_ * dt_);
    gradient_[i] = (now_[i] - begin_[i] - velocity_[i] * dt_) * inertia;
    point_stiffness_[i] = identity3() * inertia;
  }
  add_forces();
  for (const auto& constraint : object_->constraints())
    constraint->assemble({dt_, group_, lane_, begin_, now_, mass_, gradient_, point_stiffness_});
  add_points();
  add_elasticity();
  add_section_inertia();
  for (int r = 0; r < n; ++r) scale_[r] = matrix_[r * most + r];
}

void SuperHelixBlock::add_force(std::size_t row, double force, double stiffness) {
  residual_[row] += force;
  scale_[row] += stiffness;
}

void SuperHelixBlock::add_lever(int, const MaterialPoint& at, Vec3d pull) {
  const SuperHelixObject::Place place = object_->place_of(helix_, at);
  const Vec3d x = helix_.frame(place.element, place.s).position;
  Vec3d shift[most];
  helix_.jacobian(place.element, place.s, x, shift, nullptr);
  helix_.add_geometric(place.element, place.s, x, shift, pull, geometric_);
}

// Angles, and places of a free root by the length of the strand.
double SuperHelixBlock::unit(int row) const {
  if (row >= helix_.first()) return helix_.length;
  return row < 3 ? 1 / (helix_.length * helix_.elements) : 1;
}

double SuperHelixBlock::residual(double violation) const {
  double worst = violation / (helix_.length * helix_.elements);
  for (int r = 0; r < helix_.dofs(); ++r) worst = worse(worst, std::fabs(residual_[r]) / scale_[r] * unit(r));
  return worst;
}

double SuperHelixBlock::entry(int r, int c) const {
  const int at = std::max(r, c) * most + std::min(r, c);
  return matrix_[at] + geometric_[at];
}

// L L', where no pivot falls below round-off.
bool SuperHelixBlock::try_factor(double firmer) {
  const int n = helix_.dofs();
  for (int i = 0; i < n; ++i) {
    double* row = factor_ + i * most;
    for (int j = 0; j <= i; ++j) {
      const double* other = factor_ + j * most;
      double sum = matrix_[i * most + j] + geometric_[i * most + j];
      if (i == j) sum += firmer * matrix_[i * most + i];
      for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i == j) {
        if (!(sum > 1e-13 * matrix_[i * most + i])) return false;
        row[i] = std::sqrt(sum);
      } else {
        row[j] = sum / other[j];
      }
    }
  }
  return true;
}

// What pulls a strand straight makes it stiffer, what compresses it softer. To drop all of that where the sum is not
// definite would send strands under tension too far.
//
// Short substeps of limp strands leave what no mass feels, as twist, beyond the digits of the diagonal: a little more
// of it then. The step is a little shorter there, and ends where it should.
bool SuperHelixBlock::factor() {
  if (try_factor(0)) return true;
  const bool definite = take_absolute_spectrum(helix_.dofs(), most, matrix_, geometric_);
  if (definite && try_factor(0)) return true;
  if (!definite) std::fill_n(geometric_, most * most, 0.0);
  return try_factor(1e-12) || try_factor(1e-10) || try_factor(1e-8);
}

void SuperHelixBlock::right_side(double* b) const {
  for (int r = 0; r < helix_.dofs(); ++r) b[r] = -residual_[r];
}

void SuperHelixBlock::solve(const double* r, double* z) const {
  const int n = helix_.dofs();
  double y[most];
  for (int i = 0; i < n; ++i) {
    y[i] = r[i];
    for (int k = 0; k < i; ++k) y[i] -= factor_[i * most + k] * y[k];
    y[i] /= factor_[i * most + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    z[i] = y[i];
    for (int k = i + 1; k < n; ++k) z[i] -= factor_[k * most + i] * z[k];
    z[i] /= factor_[i * most + i];
  }
}

void SuperHelixBlock::product(const double* x, double* y) const {
  for (int r = 0; r < helix_.dofs(); ++r) {
    y[r] = 0;
    for (int c = 0; c < helix_.dofs(); ++c) y[r] += entry(r, c) * x[c];
  }
}

void SuperHelixBlock::visit_blocks(const BlockVisitor& visit) const {
  for (std::int32_t j = 0; j < nodes(); ++j)
    for (std::int32_t i = j; i < nodes(); ++i) {
      double values[9];
      for (int k = 0; k < 9; ++k) values[k] = entry(3 * i + k / 3, 3 * j + k % 3);
      visit(i, j, values);
    }
}

void SuperHelixBlock::set_step(const double* step) { std::copy_n(step, size(), step_); }

double SuperHelixBlock::step_size() const {
  double largest = 0;
  for (int r = 0; r < helix_.dofs(); ++r) largest = worse(largest, std::fabs(step_[r]) * unit(r));
  return largest;
}

double SuperHelixBlock::reach() const {
  double turn = 0;
  for (int r = helix_.free_root ? 3 : 0; r < helix_.dofs(); r += 3)
    turn += norm(Vec3d{step_[r], step_[r + 1], step_[r + 2]}) * unit(r);
  return turn > most_turn ? most_turn / turn : 1;
}

void SuperHelixBlock::move(double share) {
  if (helix_.free_root) {
    helix_.root.position += Vec3d{step_[0], step_[1], step_[2]} * share;
    const Quaternion turn = quaternion_exp(Vec3d{step_[3], step_[4], step_[5]} * share);
    for (Vec3d& axis : helix_.root.axes.column) axis = rotate(turn, axis);
  }
  for (int e = 0; e < helix_.elements; ++e)
    for (int i = 0; i < 3; ++i) helix_.u[e][i] += step_[helix_.first() + 3 * e + i] * share;
  helix_.update();
}

void SuperHelixBlock::end() {
  StrandSystem& strands = object_->strands();
  const SuperHelixChannels& c = object_->helix_channels();
  const auto& gauss = object_->gauss();
  std::size_t p = 0;
  for (int e = 0; e < helix_.elements; ++e) {
    const HelixFrame& frame = helix_.begin_of(e);
    set_vector(strands, group_, c.curvature, e, lane_, helix_.u[e]);
    set_vector(strands, group_, c.origin, e, lane_, frame.position);
    set_vector(strands, group_, c.tangent, e, lane_, frame.axes.column[2]);
    set_vector(strands, group_, c.m1, e, lane_, frame.axes.column[0]);
    for (int g = 0; g < gauss.count; ++g, ++p)
      set_vector(strands, group_, c.velocity + 3 * g, e, lane_, (now_[p] - begin_[p]) / dt_);
  }
}

ContactBlock* SuperHelixBlock::contacts() {
  if (!contacts_) contacts_ = std::make_unique<SuperHelixContacts>(*this);
  return contacts_.get();
}

// A step is too long where the residual along it has turned round and is as large as before.
SuperHelixBlock::Outcome SuperHelixBlock::solve_part(const Step& step) {
  constexpr double too_far = 0.9;
  constexpr int most_cuts = 12;
  const NewtonSettings& limits = settings();
  begin(step);
  place();
  assemble();
  Outcome outcome;
  double last_step = std::numeric_limits<double>::infinity();
  for (;;) {
    outcome.residual = residual(0);
    outcome.converged = outcome.residual < limits.tolerance && last_step < std::sqrt(limits.tolerance);
    if (outcome.converged || outcome.iterations == limits.max_iterations || !std::isfinite(outcome.residual)) break;
    if (!factor()) break;
    double b[most];
    right_side(b);
    solve(b, step_);
    ++outcome.iterations;
    last_step = step_size();
    const auto along = [&] {
      double sum = 0;
      for (int r = 0; r < helix_.dofs(); ++r) sum += residual_[r] * step_[r];
      return sum;
    };
    const double slope = -along();
    double share = reach();
    const SuperHelix from = helix_;
    for (int cut = 0;; ++cut) {
      move(share);
      assemble();
      const double after = along();
      if (!(after > too_far * slope) || cut == most_cuts || last_step < std::sqrt(limits.tolerance)) break;
      helix_ = from;
      share *= std::clamp(slope / (slope + after), 0.1, 0.5);
    }
  }
  return outcome;
}

// A strand that does not converge is advanced in parts of the substep, by itself. What the smallest part leaves is
// accepted where it is small, and counted.
SuperHelixBlock::Outcome SuperHelixBlock::advance_alone(const Step& step) {
  constexpr int most_halvings = 5;
  constexpr double acceptable = 1e-2;  // [rad]
  if (step.iteration > 0) object_->strands().rollback(group_, lane_);
  Outcome sum;
  sum.converged = true;
  int parts = 1, done = 0;
  while (done < parts) {
    Step part = step;
    part.iteration = 0;
    part.dt = step.dt / parts;
    part.time = step.time + part.dt * done;
    const Outcome one = solve_part(part);
    sum.iterations += one.iterations;
    if (!one.converged && parts < 1 << most_halvings && std::isfinite(one.residual)) {
      parts *= 2;
      done *= 2;
      ++sum.halvings;
      continue;
    }
    end();
    ++done;
    sum.residual = worse(sum.residual, one.residual);
    sum.above = sum.above || !one.converged;
    sum.converged = sum.converged && (one.converged || one.residual < acceptable);
    if (done % 2 == 0 && parts > 1 && one.iterations < easy) {
      parts /= 2;
      done /= 2;
    }
  }
  return sum;
}

}  // namespace ymir
