// A group of strands as contacts see it: every vertex is a node. Where strands turn and roll, points beside the axis of
// their edges are nodes, too (edge_arms.h).
#pragma once

#include <variant>
#include <vector>

#include "ymir/objects/heavy_strands.h"
#include "ymir/solids/contact/contact_block.h"
#include "ymir/solvers/nodal_contact/band_body.h"

namespace ymir {

class StrandBlock;

class StrandContacts final : public ContactBlock {
 public:
  explicit StrandContacts(StrandBlock& block);

  void begin();  // of a substep, after SolidBlock::place()

  void follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d arm,
              std::vector<NodeShare>& shares) const override;
  Vec3d way(std::int32_t node) const override;
  void push(std::span<const NodeVector> impulses, double per_dt) override;
  void columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const override;
  NodalBody& body() override;
  bool refresh(double dt) override;
  void spread(std::span<const NodeVector> impulses, double times, double* rows) const override;
  void collect(const double* rows, double times, std::span<NodeVector> nodes) const override;
  MatrixPart& with_masses(std::span<const double> d, double dt) override;

 private:
  using Plain = BandBody<PlainLayout::block, PlainLayout::half_bandwidth>;
  using WithMultipliers = BandBody<MultiplierLayout::block, MultiplierLayout::half_bandwidth>;

  int per_lane() const;  // nodes
  // The share of a point at this arm off the axis, among shares from `first` on.
  void follow_arm(int lane, int edge, Vec3d arm, std::size_t first, std::vector<NodeShare>& shares) const;

  StrandBlock* block_;
  std::variant<Plain, WithMultipliers> body_;
  std::vector<StrandReal> side_;
  bool rolls_ = false;
  EdgeArms arms_;                         // where they do
  std::vector<StrandReal> placed_;        // what edges turned when they followed their roots [rad]
  mutable std::vector<StrandReal> rows_;  // of what is beside the axis
  HeavyStrands heavy_;
};

}  // namespace ymir
