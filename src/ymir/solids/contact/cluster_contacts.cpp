#include "ymir/solids/contact/cluster_contacts.h"

#include <algorithm>
#include <limits>

namespace ymir {
namespace {

// Clusters with more unknowns answer slowly, and with all threads.
constexpr std::size_t many_rows = 4096;

}  // namespace

ClusterContacts::ClusterContacts(Cluster& cluster) : cluster_(&cluster), first_(1, 0) {
  for (std::size_t m = 0; m < cluster.blocks(); ++m) {
    blocks_.push_back(cluster.block(m).contacts());
    first_.push_back(first_.back() + (blocks_[m] != nullptr ? blocks_[m]->body().nodes() : 0));
  }
}

void ClusterContacts::follow(const Cluster::Held& at, std::span<const std::int32_t> vertices,
                             std::span<const double> weights, Vec3d arm, std::vector<NodeShare>& shares) const {
  const std::size_t before = shares.size();
  blocks_[at.member]->follow(at.place, vertices, weights, arm, shares);
  for (std::size_t k = before; k < shares.size(); ++k) shares[k].node += first_[at.member];
}

std::size_t ClusterContacts::member_of(std::int32_t node) const {
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), node) - first_.begin()) - 1;
}

Vec3d ClusterContacts::way(std::int32_t node) const {
  const std::size_t m = member_of(node);
  return blocks_[m]->way(node - first_[m]);
}

std::size_t ClusterContacts::columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const {
  const std::size_t m = member_of(node);
  blocks_[m]->columns(node - first_[m], weight, to);
  return m;
}

void ClusterContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  for (std::size_t m = 0; m < blocks_.size(); ++m)
    if (blocks_[m] != nullptr) blocks_[m]->push(of(m, impulses.data()), per_dt);
}

void ClusterContacts::add_levers(std::span<const NodeVector> impulses, double per_dt) {
  for (std::size_t m = 0; m < blocks_.size(); ++m)
    if (blocks_[m] != nullptr) blocks_[m]->add_levers(of(m, impulses.data()), per_dt);
}

NodalBody& ClusterContacts::body() {
  if (cluster_->alone()) return blocks_[0]->body();
  return *this;
}

bool ClusterContacts::refresh(double dt) {
  dt_ = dt;
  if (cluster_->alone()) return blocks_[0]->refresh(dt);
  b_.resize(cluster_->rows());
  side_.resize(b_.size());
  x_.resize(b_.size());
  cluster_->right_side(b_.data());
  return true;
}

void ClusterContacts::describe(std::span<NodeMetric> nodes) const {
  for (std::size_t m = 0; m < blocks_.size(); ++m)
    if (blocks_[m] != nullptr) blocks_[m]->body().describe(of(m, nodes.data()));
}

bool ClusterContacts::threaded() const { return cluster_->rows() > many_rows; }

bool ClusterContacts::factor(std::span<const double> d) {
  heavy_.assign(blocks_.size(), nullptr);
  for (std::size_t m = 0; m < blocks_.size(); ++m)
    if (blocks_[m] != nullptr) heavy_[m] = &blocks_[m]->with_masses(of(m, d.data()), dt_);
  return cluster_->factor_with(heavy_);
}

// A dq = b + N'g/dt, v = N dq/dt
void ClusterContacts::load(NodeVector* impulses) {
  side_ = b_;
  for (std::size_t m = 0; m < blocks_.size(); ++m)
    if (blocks_[m] != nullptr) blocks_[m]->spread(of(m, impulses), 1 / dt_, side_.data() + cluster_->first_row(m));
}

void ClusterContacts::unload(NodeVector* nodes) const {
  for (std::size_t m = 0; m < blocks_.size(); ++m)
    if (blocks_[m] != nullptr) blocks_[m]->collect(x_.data() + cluster_->first_row(m), 1 / dt_, of(m, nodes));
}

void ClusterContacts::solve(NodeVector* x) {
  load(x);
  if (!cluster_->solve(side_.data(), x_.data())) std::ranges::fill(x_, std::numeric_limits<double>::quiet_NaN());
  unload(x);
}

void ClusterContacts::solve_metric(NodeVector* x) {
  load(x);
  if (!cluster_->solve_with(side_.data(), x_.data())) std::ranges::fill(x_, std::numeric_limits<double>::quiet_NaN());
  unload(x);
}

}  // namespace ymir
