#include "ymir/objects/super_helix_contacts.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/super_helix_block.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {
namespace {

Vec3d three(const NodeVector& v) { return {v[0], v[1], v[2]}; }

}  // namespace

SuperHelixContacts::SuperHelixContacts(SuperHelixBlock& block) : block_(&block), heavy_(block.size()) {
  const int vertices = block.object_->description().vertices;
  double mass = 0;
  for (const double own : block.mass_) mass += own;
  mass_.assign(static_cast<std::size_t>(vertices), mass / (vertices - 1));
  mass_.back() *= 0.5;
  mass_.front() *= block.helix_.free_root ? 0.5 : 0;  // held
  begin_.resize(mass_.size());
  now_.resize(mass_.size());
  shift_.resize(mass_.size() * most);
  const SuperHelix stored = block.object_->helix(block.group_, block.lane_);
  for (std::size_t v = 0; v < begin_.size(); ++v) {
    const SuperHelixObject::Place at = place_of(v);
    begin_[v] = stored.frame(at.element, at.s).position;
  }
  find();
}

SuperHelixObject::Place SuperHelixContacts::place_of(std::size_t vertex) const {
  return block_->object_->place_of(block_->helix_, {nullptr, 0, static_cast<std::int32_t>(vertex) + 1, {0, 0, 0}});
}

void SuperHelixContacts::find() {
  const SuperHelix& helix = block_->helix_;
  for (std::size_t v = 0; v < now_.size(); ++v) {
    const SuperHelixObject::Place at = place_of(v);
    now_[v] = helix.frame(at.element, at.s).position;
    Vec3d* shift = shift_.data() + v * most;
    std::fill_n(shift, most, Vec3d{0, 0, 0});
    helix.jacobian(at.element, at.s, now_[v], shift, nullptr);
  }
}

void SuperHelixContacts::follow(int, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d,
                                std::vector<NodeShare>& shares) const {
  for (std::size_t k = 0; k < vertices.size(); ++k) shares.push_back({vertices[k], weights[k]});
}

void SuperHelixContacts::columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const {
  const Vec3d* shift = shifts(static_cast<std::size_t>(node));
  for (std::int32_t r = 0; r < block_->helix_.dofs(); ++r) to.push_back({r, shift[r] * weight});
}

Vec3d SuperHelixContacts::way(std::int32_t node) const {
  const auto v = static_cast<std::size_t>(node);
  return now_[v] - begin_[v];
}

// What presses stays in the stiffness when the solver takes it out of the residual to find it anew.
void SuperHelixContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  const SuperHelix& helix = block_->helix_;
  for (std::size_t v = 0; v < now_.size(); ++v) {
    const Vec3d gradient = three(impulses[v]) * -per_dt;
    if (gradient == Vec3d{0, 0, 0}) continue;
    const Vec3d* shift = shifts(v);
    for (int r = 0; r < helix.dofs(); ++r) block_->residual_[r] += dot(shift[r], gradient);
    if (per_dt < 0) continue;
    const SuperHelixObject::Place at = place_of(v);
    helix.add_geometric(at.element, at.s, now_[v], shift, gradient, block_->geometric_);
  }
}

bool SuperHelixContacts::refresh(double dt) {
  dt_ = dt;
  block_->right_side(f_);
  for (double& value : f_) value *= dt;
  return true;
}

void SuperHelixContacts::describe(std::span<NodeMetric> nodes) const {
  for (std::size_t v = 0; v < mass_.size(); ++v) nodes[v] = metric_of_vertex(mass_[v]);
}

void SuperHelixContacts::spread(std::span<const NodeVector> impulses, double times, double* rows) const {
  const int n = block_->helix_.dofs();
  for (std::size_t v = 0; v < now_.size(); ++v) {
    const Vec3d pull = three(impulses[v]) * times;
    for (int r = 0; r < n; ++r) rows[r] += dot(shifts(v)[r], pull);
  }
}

void SuperHelixContacts::collect(const double* rows, double times, std::span<NodeVector> nodes) const {
  const int n = block_->helix_.dofs();
  for (std::size_t v = 0; v < now_.size(); ++v) {
    Vec3d sum{0, 0, 0};
    for (int r = 0; r < n; ++r) sum += shifts(v)[r] * rows[r];
    for (int k = 0; k < 3; ++k) nodes[v].set(k, sum[k] * times);
  }
}

MatrixPart& SuperHelixContacts::with_masses(std::span<const double> d, double dt) {
  const int n = block_->helix_.dofs();
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) {
      double sum = block_->entry(r, c);
      for (std::size_t v = 0; v < now_.size(); ++v) sum += d[v] / (dt * dt) * dot(shifts(v)[r], shifts(v)[c]);
      const auto i = static_cast<std::size_t>(r), j = static_cast<std::size_t>(c);
      heavy_.at(i, j) = heavy_.at(j, i) = sum;
    }
  return heavy_;
}

bool SuperHelixContacts::factor(std::span<const double> d) {
  with_masses(d, dt_);
  const int n = block_->helix_.dofs();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = heavy_.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      for (int k = 0; k < j; ++k) sum -= factor_[i * most + k] * factor_[j * most + k];
      if (i == j && !(sum > 0)) return false;
      factor_[i * most + j] = i == j ? std::sqrt(sum) : sum / factor_[j * most + j];
    }
  return true;
}

void SuperHelixContacts::load(const NodeVector* impulses, double* b) const {
  std::copy_n(f_, block_->helix_.dofs(), b);
  spread({impulses, now_.size()}, 1, b);
}

// A z = f + H'g; v = H z/dt^2.
void SuperHelixContacts::solve(NodeVector* x) {
  double b[most], z[most];
  load(x, b);
  block_->solve(b, z);
  collect(z, 1 / (dt_ * dt_), {x, now_.size()});
}

void SuperHelixContacts::solve_metric(NodeVector* x) {
  double b[most];
  load(x, b);
  const int n = block_->helix_.dofs();
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= factor_[i * most + k] * b[k];
    b[i] /= factor_[i * most + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= factor_[k * most + i] * b[k];
    b[i] /= factor_[i * most + i];
  }
  collect(b, 1 / (dt_ * dt_), {x, now_.size()});
}

}  // namespace ymir
