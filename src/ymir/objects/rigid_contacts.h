// A rigid body as contacts see it: its nodes are copies of its velocity at the corners of a box around it.
#pragma once

#include "ymir/solids/condensed_block.h"
#include "ymir/solids/contact/contact_block.h"
#include "ymir/solvers/nodal_contact/rigid_copies_body.h"

namespace ymir {

class RigidBlock;

class RigidContacts final : public ContactBlock {
 public:
  explicit RigidContacts(RigidBlock& block);

  void follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d arm,
              std::vector<NodeShare>& shares) const override;
  Vec3d way(std::int32_t node) const override;
  void push(std::span<const NodeVector> impulses, double per_dt) override;
  void add_levers(std::span<const NodeVector> impulses, double per_dt) override;
  void columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const override;
  NodalBody& body() override { return body_; }
  bool refresh(double dt) override;
  void spread(std::span<const NodeVector> impulses, double times, double* rows) const override;
  void collect(const double* rows, double times, std::span<NodeVector> nodes) const override;
  MatrixPart& with_masses(std::span<const double> d, double dt) override;
  bool rigid() const override { return true; }

 private:
  Vec3d corner(std::int32_t node) const;  // in the axes of the body [m]
  RigidCopiesBody placed() const;

  RigidBlock* block_;
  Vec3d centre_, half_;  // of the box, in the axes of the body [m]
  RigidCopiesBody body_;
  DensePart heavy_{6};
};

}  // namespace ymir
