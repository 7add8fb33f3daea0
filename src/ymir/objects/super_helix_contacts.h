// A super-helix as contacts see it: the vertices that frames show are nodes, which follow its curvatures.
//
//   v = H M^-1 (f + H'g),  M + H'DH, H = dr/dq: dense, as the block itself
//
// Places are not linear in curvatures: what contacts press with has a part in the stiffness, d2r.
#pragma once

#include <vector>

#include "ymir/objects/super_helix_object.h"
#include "ymir/solids/condensed_block.h"
#include "ymir/solids/contact/contact_block.h"

namespace ymir {

class SuperHelixBlock;

class SuperHelixContacts final : public ContactBlock, private NodalBody {
 public:
  explicit SuperHelixContacts(SuperHelixBlock& block);

  void find();  // where vertices are at the iterate

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
  static constexpr int most = SuperHelix::max_dofs;
  int nodes() const override { return static_cast<int>(now_.size()); }
  void describe(std::span<NodeMetric> nodes) const override;
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override;
  void solve_metric(NodeVector* x) override;
  void load(const NodeVector* impulses, double* b) const;
  SuperHelixObject::Place place_of(std::size_t vertex) const;
  const Vec3d* shifts(std::size_t node) const { return shift_.data() + node * most; }

  SuperHelixBlock* block_;
  double dt_ = 0;
  std::vector<double> mass_;        // that a vertex stands for [kg]
  std::vector<Vec3d> begin_, now_;  // of vertices [m]
  std::vector<Vec3d> shift_;        // H, rows of `most`
  double f_[most];
  DensePart heavy_;
  double factor_[most * most];  // L L' of it
};

}  // namespace ymir
