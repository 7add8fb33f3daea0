#include "ymir/objects/mesh_contacts.h"

#include <algorithm>

#include "ymir/objects/mesh_block.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {

MeshContacts::MeshContacts(MeshBlock& block) : block_(&block), heavy_(block.work_->metric_matrix) {
  const MeshObject& object = *block.object_;
  const SolidMesh& mesh = object.mesh();
  first_.assign(1, 0);
  const auto n = static_cast<std::size_t>(nodes_of(mesh.shape));
  std::vector<double> weight(n);
  for (const CellPoint& at : object.touching().points) {
    weights_in(mesh, at, weight.data());
    for (std::size_t a = 0; a < n; ++a) {
      const std::int32_t node = mesh.cells[n * static_cast<std::size_t>(at.cell) + a];
      if (weight[a] != 0) parts_.push_back({node, weight[a]});
    }
    first_.push_back(parts_.size());
  }
  // The mass of nodes is handed out to the vertices that follow them.
  std::vector<double> followed(object.mass().size(), 0);
  for (const Part& p : parts_) followed[static_cast<std::size_t>(p.node)] += p.weight;
  mass_.assign(first_.size() - 1, 0);
  for (std::size_t v = 0; v < mass_.size(); ++v)
    for (const Part& p : parts(static_cast<std::int32_t>(v))) {
      const auto i = static_cast<std::size_t>(p.node);
      if (object.held()[i] == 0) mass_[v] += p.weight * object.mass()[i] / std::max(1.0, followed[i]);
    }
}

void MeshContacts::follow(int, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d,
                          std::vector<NodeShare>& shares) const {
  for (std::size_t k = 0; k < vertices.size(); ++k) shares.push_back({vertices[k], weights[k]});
}

Vec3d MeshContacts::way(std::int32_t vertex) const {
  const MeshStep& s = block_->work_->step;
  Vec3d way{0, 0, 0};
  for (const Part& p : parts(vertex)) {
    const auto i = static_cast<std::size_t>(p.node);
    way += (s.position[i] - s.begin[i]) * p.weight;
  }
  return way;
}

void MeshContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  MeshStep& s = block_->work_->step;
  for (std::int32_t v = 0; v < nodes(); ++v) {
    const NodeVector& g = impulses[static_cast<std::size_t>(v)];
    const Vec3d force = Vec3d{g[0], g[1], g[2]} * per_dt;
    if (force == Vec3d{0, 0, 0}) continue;
    for (const Part& p : parts(v))
      if (const auto i = static_cast<std::size_t>(p.node); block_->object_->held()[i] == 0)
        s.residual[i] -= force * p.weight;
  }
}

void MeshContacts::columns(std::int32_t vertex, double weight, std::vector<NodeColumn>& to) const {
  for (const Part& p : parts(vertex)) {
    if (block_->object_->held()[static_cast<std::size_t>(p.node)] != 0) continue;
    for (int k = 0; k < 3; ++k) {
      Vec3d way{0, 0, 0};
      way[k] = weight * p.weight;
      to.push_back({3 * p.node + k, way});
    }
  }
}

bool MeshContacts::thin() const { return block_->object_->cloth(); }

bool MeshContacts::refresh(double dt) {
  dt_ = dt;
  f_.resize(block_->size());
  block_->right_side(f_.data());
  for (double& value : f_) value *= dt;
  return true;
}

void MeshContacts::describe(std::span<NodeMetric> nodes) const {
  for (std::size_t v = 0; v < mass_.size(); ++v) nodes[v] = metric_of_vertex(mass_[v]);
}

void MeshContacts::add_masses(std::span<const double> d) {
  BlockMatrix& metric = block_->work_->metric_matrix;
  const auto& held = block_->object_->held();
  metric = block_->work_->step.matrix;
  const double per_dt2 = 1 / (dt_ * dt_);
  for (std::int32_t v = 0; v < nodes(); ++v) {
    const double added = d[static_cast<std::size_t>(v)] * per_dt2;
    for (const Part& p : parts(v))
      for (const Part& q : parts(v)) {
        if (p.node < q.node || held[static_cast<std::size_t>(p.node)] != 0 ||
            held[static_cast<std::size_t>(q.node)] != 0)
          continue;
        double* block = metric.block(metric.slot(p.node, q.node));
        for (int k = 0; k < 3; ++k) block[4 * k] += added * p.weight * q.weight;
      }
  }
}

bool MeshContacts::factor(std::span<const double> d) {
  MeshObject::Workspace& work = *block_->work_;
  add_masses(d);
  if (!work.metric_analysed) work.metric_factor.analyze(work.metric_matrix);
  work.metric_analysed = true;
  return work.metric_factor.factor(work.metric_matrix);
}

MatrixPart& MeshContacts::with_masses(std::span<const double> d, double dt) {
  dt_ = dt;
  add_masses(d);
  return heavy_;
}

void MeshContacts::spread(std::span<const NodeVector> impulses, double times, double* rows) const {
  const auto& held = block_->object_->held();
  for (std::int32_t v = 0; v < nodes(); ++v)
    for (const Part& p : parts(v))
      for (std::size_t k = 0; k < 3 && held[static_cast<std::size_t>(p.node)] == 0; ++k)
        rows[3 * static_cast<std::size_t>(p.node) + k] +=
            impulses[static_cast<std::size_t>(v)][static_cast<int>(k)] * p.weight * times;
}

void MeshContacts::collect(const double* rows, double times, std::span<NodeVector> x) const {
  for (std::int32_t v = 0; v < nodes(); ++v) {
    Vec3d sum{0, 0, 0};
    for (const Part& p : parts(v))
      for (int k = 0; k < 3; ++k)
        sum[k] += rows[3 * static_cast<std::size_t>(p.node) + static_cast<std::size_t>(k)] * p.weight;
    for (int k = 0; k < 3; ++k) x[static_cast<std::size_t>(v)].set(k, sum[k] * times);
  }
}

void MeshContacts::load(const NodeVector* impulses) {
  b_ = f_;
  spread({impulses, mass_.size()}, 1, b_.data());
}

// A z = f + N'g with the factor of the block; v = z/dt^2.
void MeshContacts::solve(NodeVector* x) {
  load(x);
  block_->solve(b_.data(), b_.data());
  collect(b_.data(), 1 / (dt_ * dt_), {x, mass_.size()});
}

void MeshContacts::solve_metric(NodeVector* x) {
  load(x);
  block_->work_->metric_factor.solve(b_.data(), b_.data());
  collect(b_.data(), 1 / (dt_ * dt_), {x, mass_.size()});
}

}  // namespace ymir
