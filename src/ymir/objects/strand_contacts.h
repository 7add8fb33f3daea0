// A group of strands as contacts see it: every vertex is a node.
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

  void follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights,
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

  StrandBlock* block_;
  std::variant<Plain, WithMultipliers> body_;
  std::vector<StrandReal> side_;
  HeavyStrands heavy_;
};

}  // namespace ymir
