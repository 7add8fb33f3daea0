// A plant as contacts see it: the points where its parts end are nodes, which follow slots of its own.
//
//   M + N'DN: a point adds D N_s N_t to the block of slots s, t; those it couples may be more than its matrix does
#pragma once

#include <vector>

#include "ymir/objects/elaston_boundary.h"
#include "ymir/solids/block_matrix_part.h"
#include "ymir/solids/contact/contact_block.h"
#include "ymir/solvers/block_cholesky.h"

namespace ymir {

class ElastonBlock;

// M + N'DN of a plant, kept from substep to substep.
struct ElastonMetric {
  BlockMatrix matrix;
  BlockCholesky factor;
  std::vector<std::int32_t> places;  // of the blocks of the plant's matrix
  std::vector<std::int32_t> pairs;   // blocks of pairs of slots s >= t of each point
  bool analysed = false;
};

class ElastonContacts final : public ContactBlock, private NodalBody {
 public:
  explicit ElastonContacts(ElastonBlock& block);

  void follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d arm,
              std::vector<NodeShare>& shares) const override;
  Vec3d way(std::int32_t node) const override;
  void push(std::span<const NodeVector> impulses, double per_dt) override;
  void columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const override;
  NodalBody& body() override { return *this; }
  bool refresh(double dt) override;
  void spread(std::span<const NodeVector> impulses, double times, double* rows) const override;
  void collect(const double* rows, double times, std::span<NodeVector> nodes) const override;
  MatrixPart& with_masses(std::span<const double> d, double dt) override;

 private:
  int nodes() const override { return boundary_->points(); }
  void describe(std::span<NodeMetric> nodes) const override;
  bool threaded() const override;
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override;
  void solve_metric(NodeVector* x) override;

  void add_masses(std::span<const double> d);
  void load(const NodeVector* impulses);  // b_ = f + N' impulses

  ElastonBlock* block_;
  const ElastonBoundary* boundary_;
  std::vector<double> mass_;  // that a point stands for [kg]
  std::vector<double> f_, b_;
  double dt_ = 0;
  BlockMatrixPart heavy_;
};

}  // namespace ymir
