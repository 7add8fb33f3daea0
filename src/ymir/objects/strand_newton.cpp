#include "ymir/objects/strand_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/solvers/band_ldl.h"
#include "ymir/solvers/band_lu.h"

namespace ymir {
namespace {

using Real = StrandReal;
constexpr double longest_turn = 1.5;  // of a frame in one iteration [rad]
constexpr double longest_move = 3;    // of a vertex in one iteration, in mean edges
// Iterations in which strands that contacts push get the stiffness of that compression; what has not converged by then
// buckles, and wants a definite matrix.
constexpr int exact_iterations = 6;
constexpr double negligible = 1e-6;     // residual, in tolerances, that needs no step to be believed
constexpr double shortest_edge = 1e-4;  // relative to the mean edge: what a collapsed edge counts as

template <class Layout>
using Ldl = BandLdl<Real, Layout::block, Layout::half_bandwidth>;
template <class Layout>
using Lu = BandLu<Real, Layout::block, Layout::half_bandwidth>;

Vec3<Real> vector_at(Real* const planes[3], int i) { return {planes[0][i], planes[1][i], planes[2][i]}; }
void set_vector(Real* const planes[3], int i, const Vec3<Real>& v) {
  planes[0][i] = v.x;
  planes[1][i] = v.y;
  planes[2][i] = v.z;
}
Vec3<Real> select(const Real::Mask& mask, const Vec3<Real>& a, const Vec3<Real>& b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

}  // namespace

void StrandNewton::allocate(int group, Forces forces, Constraints constraints) {
  StrandStep& s = step_;
  s.group = group;
  s.vertices = strands_->group(group).vertices;
  s.multipliers =
      std::any_of(constraints.begin(), constraints.end(), [](const auto& c) { return c->needs_multipliers(); });
  const auto n = static_cast<std::size_t>(s.vertices);
  const std::size_t block = s.multipliers ? MultiplierLayout::block : PlainLayout::block;
  const std::size_t spare = s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth;
  const std::size_t rows = block * n + spare;
  std::size_t extra = 0;
  for (const auto& constraint : constraints) extra += static_cast<std::size_t>(constraint->work_planes());
  const std::size_t samples = 3 * forces.size();
  const std::size_t directed = directed_ ? 3 + 1 + 9 : 0, upper = turning_ ? rows * (spare + 1) : 0;
  const std::size_t needed =
      rows * (spare + 1) + 4 * rows + n * (4 + 1 + 9 + 3 + 9 + samples + extra + directed) + upper;
  if (memory_.size() < needed) memory_.resize(needed);
  Real* next = memory_.data();
  const auto take = [&](std::size_t count) {
    Real* taken = next;
    next += count;
    return taken;
  };
  s.matrix = take(rows * (spare + 1));
  s.residual = take(rows);
  s.condensed = take(rows);
  s.scale = take(rows);
  s.step = take(rows);
  for (auto& plane : s.tangent) plane = take(n);
  s.inverse_length = take(n);
  angle_ = take(n);
  constant_ = take(9 * n);
  velocity_ = take(3 * n);
  varying_ = take(9 * n);
  samples_ = take(samples * n);
  if (directed_) {
    vertex_tangent_ = take(3 * n);
    vertex_length_ = take(n);
    by_tangent_ = take(9 * n);
  }
  upper_ = turning_ ? take(upper) : nullptr;
  s.constraint_work.clear();
  for (const auto& constraint : constraints)
    s.constraint_work.push_back(take(n * static_cast<std::size_t>(constraint->work_planes())));

  const RodChannels& c = *channels_;
  for (int k = 0; k < 3; ++k) {
    s.position[k] = strands_->plane(group, c.position + k);
    s.m1[k] = strands_->plane(group, c.m1 + k);
    begin_position_[k] = strands_->saved(group, c.position + k);
    begin_velocity_[k] = strands_->saved(group, c.velocity + k);
  }
  begin_spin_ = strands_->saved(group, c.spin);
  s.twist = strands_->plane(group, c.twist);
  s.rest_length = strands_->plane(group, c.rest_length);
  mass_ = strands_->plane(group, c.mass);
  inertia_ = strands_->plane(group, c.inertia);
  free_position_ = strands_->plane(group, c.free_position);
  free_angle_ = strands_->plane(group, c.free_angle);
}

void StrandNewton::begin(int group, double time, double dt, const RootPose* pose, Forces forces,
                         Constraints constraints, bool turning) {
  directed_ =
      std::any_of(forces.begin(), forces.end(), [](const PointForce& f) { return f.on_tangent && f.on_tangent(); });
  turning_ = directed_ && turning;
  allocate(group, forces, constraints);
  StrandStep& s = step_;
  s.dt = dt;
  s.time = time;
  s.beta = Real::all(1);
  weakened_ = 0;
  ignored_pivots_ = Real::all(0);
  masked_.assign(static_cast<std::size_t>(s.vertices), 0);
  Real total = Real::all(0), edges = Real::all(0);
  for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
    const int count = strands_->group(group).count[static_cast<std::size_t>(lane)];
    count_.set(lane, count);
    // A strand is clamped when its root is given: then the ghost edge is part of it.
    first_edge_.set(lane, count > 1 && free_position_[1][lane] == 0 ? 0 : 1);
  }
  for (int i = 0; i < s.vertices; ++i) {
    const Real real_edge = select((Real::all(i) < count_ - 1.0) & (Real::all(i) >= 1.0), Real::all(1), 0.0);
    total += s.rest_length[i] * real_edge;
    edges += real_edge;
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      if (free_position_[i][lane] != 1 || free_angle_[i][lane] != 1) masked_[static_cast<std::size_t>(i)] = 1;
  }
  // A strand without length has nothing that could move; any length will do to measure that.
  s.mean_length = select(total > 0.0, total / max(edges, Real::all(1)), 1.0);
  for (int i = 0; i < s.vertices; ++i) angle_[i] = Real::all(0);
  read_edges();
  if (directed_) find_tangents();
  for (std::size_t c = 0; c < constraints.size(); ++c) constraints[c]->begin(s, s.constraint_work[c]);
  sample_forces(time, forces);
  if (pose != nullptr) place_roots(*pose);
}

// Tangents and lengths from positions, frames as they are stored.
void StrandNewton::read_edges() {
  StrandStep& s = step_;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < s.vertices; ++i) s.tangent[k][i] = Real::all(k == 0 ? 1 : 0);
  refresh_edges(nullptr, Real::all(0), Real::all(0) > 0.0);
}

// Edges after positions changed and frames turned by fraction * turn[row of the angle].
void StrandNewton::refresh_edges(const Real* turn, const Real& fraction, const Real::Mask& moving) {
  StrandStep& s = step_;
  for (int i = 0; i < s.vertices; ++i) {
    const auto exists = (Real::all(i) < count_ - 1.0) & (Real::all(i) >= first_edge_);
    const Vec3<Real> old_t = vector_at(s.tangent, i), old_m = vector_at(s.m1, i);
    Vec3<Real> t{Real::all(1), Real::all(0), Real::all(0)};
    Real inverse = Real::all(1);
    if (i + 1 < s.vertices) {
      const Vec3<Real> e = vector_at(s.position, i + 1) - vector_at(s.position, i);
      const Real length = sqrt(dot(e, e));
      const auto usable = exists & (length > s.mean_length * 1e-12);
      const Real inverse_norm = 1.0 / select(usable, length, 1.0);
      // Coincident vertices go on in the direction of the edge before.
      const Vec3<Real> kept = turn == nullptr && i > 0 ? vector_at(s.tangent, i - 1) : old_t;
      t = select(usable, e * inverse_norm, select(exists, kept, t));
      inverse = select(exists, 1.0 / max(length, s.mean_length * shortest_edge), inverse);
    }
    set_vector(s.tangent, i, t);
    s.inverse_length[i] = inverse;
    if (turn == nullptr) continue;
    Vec3<Real> m = orthonormalized(transport(old_m, old_t, t), t);
    const Real angle = turn[row(i, 3)] * fraction;
    m = turned(m, t, angle);
    const Vec3<Real> any{Real::all(0), Real::all(1), Real::all(0)};
    // Lanes at rest keep their frames to the last bit, however often others iterate.
    set_vector(s.m1, i, select(moving, select(exists, m, any), old_m));
    angle_[i] += angle;
  }
  if (turn == nullptr) return;
  for (int i = 1; i + 1 < s.vertices; ++i) {
    const Real expected = s.twist[i] + (turn[row(i, 3)] - turn[row(i - 1, 3)]) * fraction;
    const auto exists = (Real::all(i) < count_ - 1.0) & (Real::all(i) > first_edge_);
    const Real twist = select(exists, twist_between(s.edge(i - 1), s.edge(i), expected), 0.0);
    s.twist[i] = select(moving, twist, s.twist[i]);
  }
}

// The whole strand moves rigidly with its root: a first guess that strains nothing, however far the root went.
void StrandNewton::place_roots(const RootPose& pose) {
  StrandStep& s = step_;
  const auto clamped = (first_edge_ < 0.5) & (s.active > 0.0);
  const Vec3<Real> t0 = vector_at(s.tangent, 0), a0 = vector_at(s.m1, 0), b0 = cross(t0, a0);
  const Vec3<Real> t1 = pose.tangent, a1 = pose.m1, b1 = cross(t1, a1);
  const auto rotated = [&](const Vec3<Real>& v) { return t1 * dot(t0, v) + a1 * dot(a0, v) + b1 * dot(b0, v); };
  const Vec3<Real> root = vector_at(s.position, 1);
  for (int i = 0; i < s.vertices; ++i) {
    const Vec3<Real> x = vector_at(s.position, i), m = vector_at(s.m1, i), t = vector_at(s.tangent, i);
    set_vector(s.position, i, select(clamped, i == 1 ? pose.root : pose.root + rotated(x - root), x));
    set_vector(s.m1, i, select(clamped, rotated(m), m));
    set_vector(s.tangent, i, select(clamped, rotated(t), t));
  }
  set_vector(s.m1, 0, select(clamped, a1, vector_at(s.m1, 0)));
  for (int r = 0; r < rows(); ++r) s.step[r] = Real::all(0);
  refresh_edges(s.step, Real::all(0), clamped);
}

void StrandNewton::carry_loose() {
  StrandStep& s = step_;
  const auto loose = (first_edge_ > 0.5) & (s.active > 0.0);
  for (int k = 0; k < 3; ++k) {
    const Real way = select(loose, begin_velocity_[k][1] * s.dt, Real::all(0));
    for (int i = 0; i < s.vertices; ++i) s.position[k][i] += way;
  }
}

void StrandNewton::spin_loose() {
  StrandStep& s = step_;
  const auto loose = (first_edge_ > 0.5) & (s.active > 0.0);
  Real momentum = Real::all(0), inertia = Real::all(0);
  for (int i = 1; i < s.vertices; ++i) {
    momentum += inertia_[i] * free_angle_[i] * begin_spin_[i];
    inertia += inertia_[i] * free_angle_[i];
  }
  const Real turn = select(loose & (inertia > 0.0), momentum * s.dt / select(inertia > 0.0, inertia, 1.0), 0.0);
  for (int r = 0; r < rows(); ++r) s.step[r] = Real::all(0);
  for (int i = 1; i < s.vertices; ++i) s.step[row(i, 3)] = turn * free_angle_[i];
  refresh_edges(s.step, Real::all(1), loose);
}

PointBlock StrandNewton::block(double time) const {
  const auto planes = [](const Real* const p[3]) {
    return Planes<const Vec3d>::Type{reinterpret_cast<const double*>(p[0]), reinterpret_cast<const double*>(p[1]),
                                     reinterpret_cast<const double*>(p[2])};
  };
  const int n = step_.vertices;
  const double* v = reinterpret_cast<const double*>(velocity_);
  PointBlock block{nullptr,
                   step_.group,
                   n * StrandSystem::lanes,
                   time,
                   step_.dt,
                   planes(begin_position_),
                   {v, v + n * StrandSystem::lanes, v + 2 * n * StrandSystem::lanes},
                   reinterpret_cast<const double*>(mass_),
                   reinterpret_cast<const double*>(strands_->plane(step_.group, channels_->radius))};
  if (directed_) {
    const double* t = reinterpret_cast<const double*>(vertex_tangent_);
    block.tangent = {t, t + n * StrandSystem::lanes, t + 2 * n * StrandSystem::lanes};
    block.length = reinterpret_cast<const double*>(vertex_length_);
  }
  return block;
}

Planes<Vec3d>::Type StrandNewton::vector_planes(Real* first) const {
  double* p = reinterpret_cast<double*>(first);
  const int n = step_.vertices * StrandSystem::lanes;
  return {p, p + n, p + 2 * n};
}

ForceBlock StrandNewton::force_block(Real* first) const {
  double* p = reinterpret_cast<double*>(first);
  const int n = step_.vertices * StrandSystem::lanes;
  return {vector_planes(first), {p + 3 * n, p + 4 * n, p + 5 * n, p + 6 * n, p + 7 * n, p + 8 * n}};
}

void StrandNewton::sample_forces(double time, Forces forces) {
  const int n = step_.vertices;
  std::fill_n(constant_, 9 * n, Real::all(0));
  for (int k = 0; k < 3; ++k) std::copy_n(begin_velocity_[k], n, velocity_ + k * n);
  dependence_ = Dependence::none;
  for (std::size_t f = 0; f < forces.size(); ++f) {
    const auto samples = vector_planes(samples_ + 3 * f * static_cast<std::size_t>(n));
    if (forces[f].sample) forces[f].sample(block(time), samples);
    if (forces[f].on_velocity == Dependence::none) forces[f].accumulate(block(time), samples, force_block(constant_));
    dependence_ = std::max(dependence_, forces[f].on_velocity);
  }
}

void StrandNewton::add_inertia() {
  StrandStep& s = step_;
  const double per_dt2 = 1 / (s.dt * s.dt);
  const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
  for (int i = 0; i < s.vertices; ++i) {
    const Real m = mass_[i] * per_dt2;
    for (int k = 0; k < 3; ++k) {
      const int r = row(i, k);
      const Real moved = s.position[k][i] - begin_position_[k][i] - begin_velocity_[k][i] * s.dt;
      s.residual[r] = m * moved - constant_[k * s.vertices + i];
      s.matrix[r * column] = m;
      s.scale[r] = m;
    }
    const int r = row(i, 3);
    const Real j = inertia_[i] * per_dt2;
    s.residual[r] = j * (angle_[i] - begin_spin_[i] * s.dt);
    s.matrix[r * column] = j;
    s.scale[r] = j;
    // No edge before this vertex, no multiplier: a row of its own, until a constraint takes it.
    if (s.multipliers) s.matrix[MultiplierLayout::multiplier(i - 1) * column] = Real::all(-1);
  }
}

// Forces that depend on the velocity v = (x - x_n)/dt: -df/dx = -(1/dt) df/dv.
void StrandNewton::add_forces(Forces forces) {
  if (dependence_ == Dependence::none) return;
  StrandStep& s = step_;
  const int n = s.vertices,
            column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
  const double per_dt = 1 / s.dt;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < n; ++i) velocity_[k * n + i] = (s.position[k][i] - begin_position_[k][i]) * per_dt;
  std::fill_n(varying_, 9 * n, Real::all(0));
  ForceBlock out = force_block(varying_);
  if (turning_) {
    find_tangents();
    std::fill_n(by_tangent_, 9 * n, Real::all(0));
    out.by_tangent = reinterpret_cast<double*>(by_tangent_);
  }
  for (std::size_t f = 0; f < forces.size(); ++f)
    if (forces[f].on_velocity != Dependence::none)
      forces[f].accumulate(block(s.time), vector_planes(samples_ + 3 * f * static_cast<std::size_t>(n)), out);
  const auto derivative = [&](int component, int i) { return varying_[(3 + component) * n + i] * -per_dt; };
  for (int i = 0; i < n; ++i) {
    const int r = row(i, 0);
    for (int k = 0; k < 3; ++k) {
      s.residual[r + k] -= varying_[k * n + i];
      s.matrix[(r + k) * column] += derivative(k, i);
      s.scale[r + k] += derivative(k, i);
    }
    s.matrix[r * column + 1] += derivative(3, i);        // xy
    s.matrix[r * column + 2] += derivative(4, i);        // xz
    s.matrix[(r + 1) * column + 1] += derivative(5, i);  // yz
  }
}

void StrandNewton::assemble(Forces forces, Constraints constraints) {
  StrandStep& s = step_;
  const int spare = s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth;
  const int all = rows() + spare;
  std::fill_n(s.matrix, all * (spare + 1), Real::all(0));
  std::fill_n(s.residual, all, Real::all(0));
  std::fill_n(s.condensed, all, Real::all(0));
  std::fill_n(s.scale, all, Real::all(0));
  s.violation = Real::all(0);
  add_inertia();
  add_forces(forces);
  for (std::size_t c = 0; c < constraints.size(); ++c) constraints[c]->assemble(s, s.constraint_work[c]);
  if (turning_) add_turning();
  mask_given();
}

// Unknowns that are given get unit rows and columns and no residual.
void StrandNewton::mask_given() {
  StrandStep& s = step_;
  for (Real* matrix : {s.matrix, upper_}) {
    if (matrix == nullptr) continue;
    if (s.multipliers)
      mask_given<MultiplierLayout>(matrix);
    else
      mask_given<PlainLayout>(matrix);
  }
  for (int i = 0; i < s.vertices; ++i) {
    if (masked_[static_cast<std::size_t>(i)] == 0) continue;
    for (int k = 0; k < 4; ++k) {
      const int r = row(i, k);
      const Real free = k < 3 ? free_position_[i] : free_angle_[i];
      s.residual[r] *= free;
      s.condensed[r] *= free;
      s.scale[r] = s.scale[r] * free + (1.0 - free);
    }
  }
}

template <class Layout>
void StrandNewton::mask_given(Real* matrix) const {
  constexpr int column = Layout::half_bandwidth + 1;
  for (int i = 0; i < step_.vertices; ++i) {
    if (masked_[static_cast<std::size_t>(i)] == 0) continue;
    for (int k = 0; k < 4; ++k) {
      const int r = Layout::row(i, k);
      const Real free = k < 3 ? free_position_[i] : free_angle_[i];
      for (int below = 1; below < column; ++below) matrix[r * column + below] *= free;
      for (int above = 1; above < column && above <= r; ++above) matrix[(r - above) * column + above] *= free;
      matrix[r * column] = matrix[r * column] * free + (1.0 - free);
    }
  }
}

StrandReal StrandNewton::residual() const {
  const StrandStep& s = step_;
  Real positions = Real::all(0), angles = Real::all(0);
  Real poison = Real::all(0);  // NaN as soon as any residual is: comparisons would pass over it
  for (int i = 0; i < s.vertices; ++i) {
    for (int k = 0; k < 3; ++k) positions = max(positions, abs(s.residual[row(i, k)]) / s.scale[row(i, k)]);
    angles = max(angles, abs(s.residual[row(i, 3)]) / s.scale[row(i, 3)]);
    poison += (s.residual[row(i, 0)] + s.residual[row(i, 1)] + s.residual[row(i, 2)] + s.residual[row(i, 3)]) * 0.0;
  }
  return max(angles, max(positions, s.violation) / s.mean_length) + poison;
}

template <class Layout>
bool StrandNewton::factor_as() {
  StrandStep& s = step_;
  auto bad = Real::all(0) < 0.0;
  const auto positive = [&](const Real& d) {
    const auto good = d > 0.0;
    bad = bad | (!good & (ignored_pivots_ < 0.5));
    return select(good, d, 1.0);
  };
  const auto on_pivot = [&](int r, const Real& d) {
    if (Layout::block == 5 && r % 5 == 3) return -positive(-d);
    return positive(d);
  };
  if (turning_)
    Lu<Layout>::factor(s.matrix, upper_, s.vertices, on_pivot);
  else
    Ldl<Layout>::factor(s.matrix, s.vertices, on_pivot);
  if (!any(bad)) return true;
  ++weakened_;
  // 1, 1/2, 1/4, 0, and then nothing is left to try: the caller sees beta < 0.
  const Real lower = select(s.beta > 0.3, s.beta * 0.5, select(s.beta > 0.0, Real::all(0), -1.0));
  s.beta = select(bad, lower, s.beta);
  return false;
}

bool StrandNewton::factor() { return step_.multipliers ? factor_as<MultiplierLayout>() : factor_as<PlainLayout>(); }

template <class Layout>
void StrandNewton::solve_as(Real* vector) const {
  if (turning_)
    Lu<Layout>::solve(step_.matrix, upper_, vector, step_.vertices);
  else
    Ldl<Layout>::solve(step_.matrix, vector, step_.vertices);
}

void StrandNewton::solve(Real* vector) const {
  if (step_.multipliers)
    solve_as<MultiplierLayout>(vector);
  else
    solve_as<PlainLayout>(vector);
}

void StrandNewton::solve() {
  StrandStep& s = step_;
  const int spare = s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth;
  for (int r = 0; r < rows(); ++r) s.step[r] = -(s.residual[r] + s.condensed[r]);
  for (int r = rows(); r < rows() + spare; ++r) s.step[r] = Real::all(0);
  solve(s.step);
}

StrandReal StrandNewton::step_size() const {
  const StrandStep& s = step_;
  Real turn = Real::all(0), shift = Real::all(0);
  for (int i = 0; i < s.vertices; ++i) {
    for (int k = 0; k < 3; ++k) shift = max(abs(s.step[row(i, k)]), shift);
    turn = max(abs(s.step[row(i, 3)]), turn);
  }
  return max(turn, shift / s.mean_length);
}

StrandReal StrandNewton::reach() const {
  const StrandStep& s = step_;
  Real turn = Real::all(0), shift = Real::all(0);
  for (int i = 0; i < s.vertices; ++i) {
    for (int k = 0; k < 3; ++k) shift = max(abs(s.step[row(i, k)]), shift);
    turn = max(abs(s.step[row(i, 3)]), turn);
  }
  return 1.0 / max(max(turn * (1 / longest_turn), shift / (s.mean_length * longest_move)), Real::all(1));
}

void StrandNewton::move(const Real& share, const Real& frozen, Constraints constraints) {
  StrandStep& s = step_;
  const Real fraction = select(frozen > 0.0, Real::all(0), share);
  // A frozen lane may hold anything, NaN included: its step must not be multiplied.
  for (int r = 0; r < rows(); ++r) s.step[r] = select(frozen > 0.0, Real::all(0), s.step[r]);
  for (std::size_t c = 0; c < constraints.size(); ++c) constraints[c]->advance(s, fraction, s.constraint_work[c]);
  for (int i = 0; i < s.vertices; ++i)
    for (int k = 0; k < 3; ++k) s.position[k][i] = mul_add(s.step[row(i, k)], fraction, s.position[k][i]);
  refresh_edges(s.step, fraction, fraction > 0.0);
}

void StrandNewton::end(Constraints constraints) {
  StrandStep& s = step_;
  for (std::size_t c = 0; c < constraints.size(); ++c) constraints[c]->end(s, s.constraint_work[c]);
  const double per_dt = 1 / s.dt;
  Real* velocity[3];
  for (int k = 0; k < 3; ++k) velocity[k] = strands_->plane(s.group, channels_->velocity + k);
  Real* spin = strands_->plane(s.group, channels_->spin);
  for (int i = 0; i < s.vertices; ++i) {
    for (int k = 0; k < 3; ++k)
      velocity[k][i] = select(s.active > 0.0, (s.position[k][i] - begin_position_[k][i]) * per_dt, velocity[k][i]);
    spin[i] = select(s.active > 0.0, angle_[i] * per_dt, spin[i]);
  }
}

void StrandNewton::constant_load(Real& sum, Real& vertices) const {
  sum = vertices = Real::all(0);
  const int n = step_.vertices;
  for (int i = 0; i < n; ++i) {
    const Real x = constant_[i], y = constant_[n + i], z = constant_[2 * n + i];
    sum += sqrt(x * x + y * y + z * z) * free_position_[i];
    vertices += free_position_[i];
  }
}

void StrandNewton::add_remaining_load(Real* rows, std::span<const Real> share) const {
  for (int i = 0; i < step_.vertices; ++i)
    for (int k = 0; k < 3; ++k)
      rows[row(i, k)] +=
          constant_[k * step_.vertices + i] * free_position_[i] * (1.0 - share[static_cast<std::size_t>(i)]);
}

void StrandNewton::mask(Real* rows) const {
  for (int i = 0; i < step_.vertices; ++i) {
    for (int k = 0; k < 3; ++k) rows[row(i, k)] *= free_position_[i];
    rows[row(i, 3)] *= free_angle_[i];
  }
}

void StrandNewton::activate(int group, LaneSet lanes) {
  const auto& id = strands_->group(group).id;
  for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    step_.active.set(lane, lanes[at] && id[at] >= 0 ? 1 : 0);
  }
}

StrandReal StrandNewton::follow(int group, double time, double dt, const RootPose* pose, Forces forces,
                                Constraints constraints, LaneSet lanes) {
  activate(group, lanes);
  begin(group, time, dt, pose, forces, constraints);
  StrandStep& s = step_;
  const auto loose = (first_edge_ > 0.5) & (s.active > 0.0);
  for (int k = 0; k < 3; ++k) {
    Real momentum = Real::all(0), mass = Real::all(0);
    for (int i = 1; i < s.vertices; ++i) {
      momentum += mass_[i] * begin_velocity_[k][i];
      mass += mass_[i];
    }
    const Real shift = momentum / select(mass > 0.0, mass, 1.0) * dt;
    for (int i = 0; i < s.vertices; ++i) s.position[k][i] += select(loose, shift * free_position_[i], 0.0);
  }
  read_edges();
  assemble(forces, constraints);
  end(constraints);
  return residual();
}

void StrandNewton::press(int iteration) {
  const bool exact = iteration < exact_iterations;
  step_.curvature = exact ? StrandStep::Curvature::compressed : StrandStep::Curvature::newton;
  step_.pressed = touches_.pressed();
}

StrandReport StrandNewton::advance(int group, double time, double dt, const RootPose* pose, Forces forces,
                                   Constraints constraints, const NewtonSettings& settings, LaneSet lanes,
                                   Matrix matrix) {
  StrandReport report;
  activate(group, lanes);
  const bool damped = matrix == Matrix::damped;
  step_.curvature = matrix == Matrix::definite ? StrandStep::Curvature::none
                    : damped                   ? StrandStep::Curvature::compressed
                                               : StrandStep::Curvature::newton;
  begin(group, time, dt, pose, forces, constraints, true);
  if (!touches_.empty()) touches_.begin(*this);
  Real last_step = Real::all(std::numeric_limits<double>::infinity());
  Real worst = Real::all(0), frozen = 1.0 - step_.active;  // 1: converged, failed, or not to be advanced
  Real largest = Real::all(0);
  for (;; ++report.iterations) {
    step_.beta = Real::all(1);
    if (!touches_.empty() && matrix == Matrix::newton) press(report.iterations);
    assemble(forces, constraints);
    if (!touches_.empty()) touches_.push(*this);
    const Real left = residual();
    const auto was_frozen = frozen > 0.0;
    const auto slow = last_step < std::sqrt(settings.tolerance);
    auto settled = slow | (left < settings.tolerance * negligible);
    // What touches something has to have asked its contacts.
    if (!touches_.empty()) settled = settled & (slow | (touches_.touched() < 0.5)) & (touches_.unsolved() < 0.5);
    frozen = select(((left < settings.tolerance) & settled) | was_frozen, Real::all(1), 0.0);
    bool finished = true;
    for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
      if (was_frozen[lane]) continue;
      worst.set(lane, left[lane]);
      if (frozen[lane] > 0) continue;
      if (report.iterations == settings.max_iterations || std::isnan(left[lane])) {
        report.failed[static_cast<std::size_t>(lane)] = true;
        frozen.set(lane, 1);
        continue;
      }
      finished = false;
      ++report.lane_iterations;
    }
    if (finished) break;
    const Real rate = damped ? damping(largest) : Real::all(0);
    if (damped) add_damping(rate);
    while (!factor()) {
      for (int lane = 0; lane < StrandSystem::lanes; ++lane)
        if (step_.beta[lane] < 0) {
          if (frozen[lane] == 0) report.failed[static_cast<std::size_t>(lane)] = true;
          frozen.set(lane, 1);
          step_.beta.set(lane, 0);
          ignored_pivots_.set(lane, 1);
        }
      assemble(forces, constraints);
      if (!touches_.empty()) touches_.push(*this);
      if (damped) add_damping(rate);
    }
    if (touches_.empty())
      solve();
    else
      touches_.solve(*this, frozen, left);
    last_step = step_size();
    move(reach(), frozen, constraints);
  }
  report.weakened = weakened_;
  report.contact_iterations = touches_.iterations();
  step_.curvature = StrandStep::Curvature::newton;
  step_.pressed = Real::all(1);
  for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
    report.lane_residual[static_cast<std::size_t>(lane)] = worst[lane];
    if (!(worst[lane] <= report.residual)) report.residual = worst[lane];  // NaN is the largest
    report.converged &= !report.failed[static_cast<std::size_t>(lane)];
  }
  end(constraints);
  return report;
}

}  // namespace ymir
