// A mesh as contacts see it: the vertices of its skin are nodes, which follow those of the cells they are embedded in.
//
//   M + N'DN: a vertex of the skin adds D w_i w_j to the block of nodes i, j of its cell, which the matrix has anyway
#pragma once

#include <vector>

#include "ymir/objects/mesh_object.h"
#include "ymir/solids/block_matrix_part.h"
#include "ymir/solids/contact/contact_block.h"

namespace ymir {

class MeshBlock;

class MeshContacts final : public ContactBlock, private NodalBody {
 public:
  explicit MeshContacts(MeshBlock& block);

  void follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d arm,
              std::vector<NodeShare>& shares) const override;
  Vec3d way(std::int32_t node) const override;
  void push(std::span<const NodeVector> impulses, double per_dt) override;
  void columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const override;
  bool thin() const override;
  NodalBody& body() override { return *this; }
  bool refresh(double dt) override;
  void spread(std::span<const NodeVector> impulses, double times, double* rows) const override;
  void collect(const double* rows, double times, std::span<NodeVector> nodes) const override;
  MatrixPart& with_masses(std::span<const double> d, double dt) override;

 private:
  int nodes() const override { return static_cast<int>(first_.size()) - 1; }
  void describe(std::span<NodeMetric> nodes) const override;
  bool threaded() const override { return true; }
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override;
  void solve_metric(NodeVector* x) override;

  struct Part {
    std::int32_t node;
    double weight;
  };
  std::span<const Part> parts(std::int32_t vertex) const {
    return {parts_.data() + first_[static_cast<std::size_t>(vertex)],
            parts_.data() + first_[static_cast<std::size_t>(vertex) + 1]};
  }
  void add_masses(std::span<const double> d);  // to the metric matrix
  void load(const NodeVector* impulses);       // b_ = f + N' impulses

  MeshBlock* block_;
  std::vector<std::size_t> first_;  // of each vertex of the skin
  std::vector<Part> parts_;         // N; nodes that are given are left out
  std::vector<double> mass_;        // that a vertex stands for [kg]
  std::vector<double> f_, b_;
  double dt_ = 0;
  BlockMatrixPart heavy_;
};

}  // namespace ymir
