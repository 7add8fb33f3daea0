// A body of nodes with a sparse matrix: cloth, soft bodies. Masses D change the diagonal only, so that one ordering
// serves both factors.
#pragma once

#include <span>
#include <vector>

#include "ymir/solvers/block_cholesky.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

class MeshNodesBody final : public NodalBody {
 public:
  // mass: of each node; 0 where it is given.
  explicit MeshNodesBody(std::span<const double> mass) : mass_(mass.begin(), mass.end()) {}
  // M, with unit rows where nodes are given, and f (3 per node). False: M is not positive definite.
  bool set(const BlockMatrix& m, std::span<const double> f);

  int nodes() const override { return static_cast<int>(mass_.size()); }
  void describe(std::span<NodeMetric> nodes) const override;
  bool threaded() const override { return true; }
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override { solve(m_factor_, x); }
  void solve_metric(NodeVector* x) override { solve(metric_factor_, x); }

 private:
  void solve(const BlockCholesky& factor, NodeVector* x);

  std::vector<double> mass_, f_, b_;
  BlockMatrix m_, metric_;
  BlockCholesky m_factor_, metric_factor_;
  std::size_t analysed_ = 0;  // blocks of the pattern
};

}  // namespace ymir
