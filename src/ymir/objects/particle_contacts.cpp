#include "ymir/objects/particle_contacts.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/particle_block.h"
#include "ymir/physics/particles/point_newton.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {
namespace {

constexpr double rounding = 1e-12;

bool same_in_all_directions(const Symmetric3<double>& m) {
  const double most = rounding * m.xx;
  return std::max({std::fabs(m.yy - m.xx), std::fabs(m.zz - m.xx), std::fabs(m.xy), std::fabs(m.xz),
                   std::fabs(m.yz)}) <= most;
}

Vec3d vector_of(const NodeVector& x) { return {x[0], x[1], x[2]}; }

void set(NodeVector& x, Vec3d v) {
  for (int k = 0; k < 3; ++k) x.set(k, v[k]);
}

}  // namespace

int ParticleContacts::nodes() const { return block_->pieces(); }

// A particle shows one vertex.
void ParticleContacts::follow(int place, std::span<const std::int32_t>, std::span<const double> weights, Vec3d,
                              std::vector<NodeShare>& shares) const {
  shares.push_back({place, weights[0]});
}

Vec3d ParticleContacts::way(std::int32_t node) const {
  return block_->points_[static_cast<std::size_t>(node)].displacement;
}

void ParticleContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  for (std::size_t i = 0; i < impulses.size(); ++i) block_->points_[i].residual -= vector_of(impulses[i]) * per_dt;
}

void ParticleContacts::columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const {
  for (int k = 0; k < 3; ++k) {
    Vec3d way{0, 0, 0};
    way[k] = weight;
    to.push_back({3 * node + k, way});
  }
}

// v = (f + g) A^-1/dt^2, f = -dt residual.
bool ParticleContacts::refresh(double dt) {
  dt_ = dt;
  const auto& points = block_->points_;
  mass_.resize(points.size());
  free_.resize(points.size());
  exact_ = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    free_[i] = solve_spd(points[i].matrix, points[i].residual * -1.0) / dt;
    const double mass = points[i].matrix.xx * dt * dt;
    // The metric stays what it was when it was asked for.
    exact_ = exact_ && same_in_all_directions(points[i].matrix) &&
             (mass_[i] == 0 || std::fabs(mass - mass_[i]) <= rounding * mass);
    if (mass_[i] == 0) mass_[i] = mass;
  }
  return true;
}

void ParticleContacts::describe(std::span<NodeMetric> nodes) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = metric_of_particle(block_->points_[i].mass);
}

bool ParticleContacts::measure(std::span<NodeMetric> nodes) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = metric_of_particle(mass_[i]);
  return true;
}

bool ParticleContacts::factor(std::span<const double> d) {
  with_masses(d, dt_);
  return true;
}

void ParticleContacts::solve(NodeVector* x) {
  const double per_dt2 = 1 / (dt_ * dt_);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const Vec3d g = vector_of(x[i]);
    set(x[i], g == Vec3d{0, 0, 0} ? free_[i] : free_[i] + solve_spd(block_->points_[i].matrix, g) * per_dt2);
  }
}

void ParticleContacts::solve_metric(NodeVector* x) {
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const Vec3d side = block_->points_[i].residual * -dt_ + vector_of(x[i]);
    set(x[i], solve_spd(heavy_matrix_[i], side) / (dt_ * dt_));
  }
}

void ParticleContacts::spread(std::span<const NodeVector> impulses, double times, double* rows) const {
  for (const NodeVector& g : impulses)
    for (int k = 0; k < 3; ++k) *rows++ += g[k] * times;
}

void ParticleContacts::collect(const double* rows, double times, std::span<NodeVector> nodes) const {
  for (NodeVector& x : nodes)
    for (int k = 0; k < 3; ++k) x.set(k, *rows++ * times);
}

MatrixPart& ParticleContacts::with_masses(std::span<const double> d, double dt) {
  heavy_matrix_.clear();
  for (std::size_t i = 0; i < d.size(); ++i) {
    Symmetric3<double>& m = heavy_matrix_.emplace_back(block_->points_[i].matrix);
    for (double* diagonal : {&m.xx, &m.yy, &m.zz}) *diagonal += d[i] / (dt * dt);
  }
  return heavy_;
}

void ParticleContacts::Heavy::visit_blocks(const BlockVisitor& visit) const {
  std::int32_t i = 0;
  for (const Symmetric3<double>& m : of_->heavy_matrix_) {
    const double values[9] = {m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz};
    visit(i, i, values);
    ++i;
  }
}

}  // namespace ymir
