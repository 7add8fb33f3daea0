#include "ymir/solvers/coulomb/interior_point.h"

#include <algorithm>

#include "ymir/physics/contact/fischer_burmeister.h"
#include "ymir/solvers/coulomb/block_lu.h"

namespace ymir::coulomb {
namespace {

constexpr double tiny = 1e-300;

double cone_root(Vec3d x) {  // sqrt(x_N^2 - |x_T|^2)
  const double t = tangential_norm(x);
  return std::sqrt(std::max(tiny, (x.x - t) * (x.x + t)));
}

// L_l^-1 d
Vec3d jordan_divide(Vec3d l, Vec3d d) {
  const double det = std::max(tiny, l.x * l.x - l.y * l.y - l.z * l.z);
  const double n = (l.x * d.x - l.y * d.y - l.z * d.z) / det;
  return {n, (d.y - l.y * n) / l.x, (d.z - l.z * n) / l.x};
}

// The largest step t with v + t d in K.
double step_to_boundary(Vec3d v, Vec3d d) {
  const double a = d.x * d.x - d.y * d.y - d.z * d.z, b = v.x * d.x - v.y * d.y - v.z * d.z;
  const double t = tangential_norm(v), c = std::max(0.0, (v.x - t) * (v.x + t)), disc = b * b - a * c;
  double most = 1e10;
  if (a < 0 || (b < 0 && disc > 0)) {
    const double den = -b + std::sqrt(std::max(disc, 0.0));
    if (den > 0) most = std::min(most, c / den);
  }
  if (d.x < 0) most = std::min(most, -v.x / d.x);
  return most;
}

struct Scaling {
  Mat3d v, inverse;  // V, V^-1
  Vec3d lambda;      // V x = V^-1 y
};

// Nesterov and Todd's point of x and y in the interior of K.
Scaling scaling_of(Vec3d x, Vec3d y) {
  const double dx = cone_root(x), dy = cone_root(y);
  const Vec3d a = x / dx, b = y / dy;
  const double g = 2 * std::sqrt(std::max(tiny, (1 + ymir::dot(a, b)) / 2));
  const Vec3d w{(b.x + a.x) / g, (b.y - a.y) / g, (b.z - a.z) / g};
  const double eta = std::sqrt(dy / dx), h = 1 / (1 + w.x);
  const double s11 = 1 + w.y * w.y * h, s12 = w.y * w.z * h, s22 = 1 + w.z * w.z * h;
  const Mat3d v{{w.x, w.y, w.z}, {w.y, s11, s12}, {w.z, s12, s22}};
  const Mat3d inverse{{w.x, -w.y, -w.z}, {-w.y, s11, s12}, {-w.z, s12, s22}};
  const Mat3d scaled = v * eta;
  return {scaled, inverse * (1 / eta), scaled * x};
}

class InteriorPoint {
 public:
  explicit InteriorPoint(const System& system);
  // False when it can go no further.
  bool step(Progress& progress);
  void impulses(Vector& r) const;
  double gap() const { return dot(x_, y_) / system_.contacts; }

 private:
  struct Direction {
    Vector x, y;
  };
  void linearise(double gap);
  void direction(double target, const Direction* affine, Direction& d);
  double largest_step(const Direction& d) const;

  std::vector<Vec3d> scale_;  // S
  System system_;             // A and b
  BlockLu lu_;
  Vector x_, y_, residual_, rhs_, refine_;
  std::vector<Scaling> nt_;
  std::vector<Vec3d> g_;  // of G = [[1, -t'], [0, I]]: (0, -t)
  std::vector<Block> unit_, gh_;
  Direction affine_, full_;
};

System symmetric_scaling(System s, std::vector<Vec3d>& scale) {
  for (std::int32_t i = 0; i < s.contacts; ++i) {
    const double m = std::sqrt(std::max(s.mu[i], 1e-6));
    scale.push_back({m, 1 / m, 1 / m});
  }
  for (std::int32_t i = 0; i < s.contacts; ++i) {
    const Lane row = lane({1 / scale[i].x, 1 / scale[i].y, 1 / scale[i].z});
    for (std::int64_t k = s.starts[i]; k < s.starts[i + 1]; ++k)
      for (int c = 0; c < 3; ++c) s.blocks[k].column[c] *= row * Lane::all(1 / scale[s.columns[k]][c]);
    s.q[i] *= row;
  }
  return s;
}

InteriorPoint::InteriorPoint(const System& system) : system_(symmetric_scaling(system, scale_)), lu_(system_) {
  const auto n = static_cast<std::size_t>(system.contacts);
  double far = 1;
  for (const Lane& q : system_.q)
    for (int a = 0; a < 3; ++a) far = std::max(far, std::fabs(q[a]));
  x_.assign(n, lane({far, 0, 0}));
  y_ = x_;
  for (Vector* v : {&residual_, &rhs_, &refine_, &affine_.x, &affine_.y, &full_.x, &full_.y}) v->resize(n);
  nt_.resize(n);
  g_.resize(n);
  gh_.resize(n);
  unit_.assign(n, block(identity3()));
}

// Residual of the affine relation, scalings and G H at (x, y).
void InteriorPoint::linearise(double gap) {
  const double eps = std::min(0.1, 0.01 * gap);  // |y_T| is rounded at zero
  system_.velocities(x_, system_.q, 0, residual_);
  for (std::int32_t i = 0; i < system_.contacts; ++i) {
    const Vec3d y = vec3(y_[i]);
    const double t = std::sqrt(y.y * y.y + y.z * y.z + eps * eps);
    residual_[i] = residual_[i] - y_[i] + lane({t, 0, 0});
    g_[i] = {0, -y.y / t, -y.z / t};
    nt_[i] = scaling_of(vec3(x_[i]), y);
    Mat3d h = nt_[i].v * nt_[i].v;
    for (int c = 0; c < 3; ++c) h(0, c) += g_[i].y * h(1, c) + g_[i].z * h(2, c);
    gh_[i] = block(h);
  }
}

// (A + G H) dx = G rc - rp;  dy = G^-1 (A dx + rp): rc - H dx would cancel near the solution.
void InteriorPoint::direction(double target, const Direction* affine, Direction& d) {
  const std::int32_t n = system_.contacts;
  for (std::int32_t i = 0; i < n; ++i) {
    const Scaling& s = nt_[i];
    Vec3d c = -(ymir::detail::jordan_matrix(s.lambda) * s.lambda);
    c.x += target;
    if (affine != nullptr)
      c -= ymir::detail::jordan_matrix(s.v * vec3(affine->x[i])) * (s.inverse * vec3(affine->y[i]));
    Vec3d rc = s.v * jordan_divide(s.lambda, c);
    rc.x += g_[i].y * rc.y + g_[i].z * rc.z;
    rhs_[i] = lane(rc) - residual_[i];
  }
  lu_.solve(rhs_, d.x);
  // One step of iterative refinement: pivots are not exchanged.
  Vector& left = refine_;
  const auto multiply = [&](Vector& to) {
    for (std::int32_t i = 0; i < n; ++i) {
      Lane sum = Lane::all(0);
      for (std::int64_t k = system_.starts[i]; k < system_.starts[i + 1]; ++k)
        sum = multiply_add(system_.blocks[k], d.x[system_.columns[k]], sum);
      to[i] = sum;
    }
  };
  multiply(left);
  for (std::int32_t i = 0; i < n; ++i) left[i] = rhs_[i] - multiply_add(gh_[i], d.x[i], left[i]);
  lu_.solve(left, left);
  add(d.x, 1, left, d.x);
  multiply(d.y);
  for (std::int32_t i = 0; i < n; ++i) {
    Vec3d y = vec3(d.y[i] + residual_[i]);
    y.x -= g_[i].y * y.y + g_[i].z * y.z;
    d.y[i] = lane(y);
  }
}

double InteriorPoint::largest_step(const Direction& d) const {
  double most = 1e10;
  for (std::int32_t i = 0; i < system_.contacts; ++i)
    most = std::min({most, step_to_boundary(vec3(x_[i]), vec3(d.x[i])), step_to_boundary(vec3(y_[i]), vec3(d.y[i]))});
  return most;
}

bool InteriorPoint::step(Progress& progress) {
  const double now = gap();
  if (!(now > 1e-18)) return false;
  linearise(now);
  progress.count_factor(lu_.work());
  if (!lu_.factor(unit_, gh_, 1e-14)) return false;
  ++progress.steps;
  direction(0, nullptr, affine_);
  const double a = std::min(1.0, largest_step(affine_));
  double ahead = 0;  // the gap an affine step would leave
  for (std::int32_t i = 0; i < system_.contacts; ++i)
    ahead += ymir::dot(vec3(x_[i]) + vec3(affine_.x[i]) * a, vec3(y_[i]) + vec3(affine_.y[i]) * a);
  const double ratio = std::max(ahead / system_.contacts, 0.0) / now;
  direction(std::clamp(ratio * ratio * ratio, 1e-8, 1.0) * now, &affine_, full_);
  const double t = std::min(1.0, 0.995 * largest_step(full_));
  if (!(t > 1e-12) || !std::isfinite(norm(full_.x)) || !std::isfinite(norm(full_.y))) return false;
  add(x_, t, full_.x, x_);
  add(y_, t, full_.y, y_);
  return true;
}

void InteriorPoint::impulses(Vector& r) const {
  for (std::int32_t i = 0; i < system_.contacts; ++i)
    r[i] = x_[i] * lane({1 / scale_[i].x, 1 / scale_[i].y, 1 / scale_[i].z});
}

}  // namespace

void interior_point(const System& system, int most_steps, Progress& progress) {
  InteriorPoint method(system);
  Vector r(static_cast<std::size_t>(system.contacts));
  for (int k = 0; k < most_steps && !progress.over(); ++k) {
    if (!method.step(progress)) break;
    method.impulses(r);
    progress.offer(r);
  }
}

}  // namespace ymir::coulomb
