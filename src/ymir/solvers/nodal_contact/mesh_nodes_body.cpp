#include "ymir/solvers/nodal_contact/mesh_nodes_body.h"

#include "ymir/base/check.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {

bool MeshNodesBody::set(const BlockMatrix& m, std::span<const double> f) {
  YMIR_CHECK(m.nodes() == nodes() && f.size() == 3 * mass_.size());
  m_ = m;
  f_.assign(f.begin(), f.end());
  if (analysed_ != m.block_count()) {
    m_factor_.analyze(m), metric_factor_.analyze(m);
    analysed_ = m.block_count();
  }
  return m_factor_.factor(m);
}

void MeshNodesBody::describe(std::span<NodeMetric> nodes) const {
  for (std::size_t i = 0; i < mass_.size(); ++i) nodes[i] = metric_of_vertex(mass_[i]);
}

bool MeshNodesBody::factor(std::span<const double> d) {
  metric_ = m_;
  for (std::size_t i = 0; i < mass_.size(); ++i)
    for (int k = 0; k < 3; ++k) metric_.diagonal(static_cast<std::int32_t>(i))[4 * k] += d[i];
  return metric_factor_.factor(metric_);
}

void MeshNodesBody::solve(const BlockCholesky& factor, NodeVector* x) {
  b_ = f_;
  for (std::size_t i = 0; i < mass_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) b_[3 * i + k] += mass_[i] > 0 ? x[i][static_cast<int>(k)] : 0;
  factor.solve(b_.data(), b_.data());
  for (std::size_t i = 0; i < mass_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) x[i].set(static_cast<int>(k), b_[3 * i + k]);
}

}  // namespace ymir
