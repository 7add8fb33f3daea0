// Particles as contacts see them: each is a node, and where forces do not depend on velocities, or are the same in all
// directions, contacts act on its velocity itself.
#pragma once

#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/physics/planes.h"
#include "ymir/solids/contact/contact_block.h"

namespace ymir {

class ParticleBlock;

class ParticleContacts final : public ContactBlock, private NodalBody {
 public:
  explicit ParticleContacts(ParticleBlock& block) : block_(&block), heavy_(*this) {}

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
  // A + D/dt^2
  class Heavy final : public MatrixPart {
   public:
    explicit Heavy(const ParticleContacts& of) : of_(&of) {}
    std::size_t size() const override { return 3 * of_->heavy_matrix_.size(); }
    std::int32_t nodes() const override { return static_cast<std::int32_t>(of_->heavy_matrix_.size()); }
    void visit_blocks(const BlockVisitor& visit) const override;
    bool indefinite() const override { return false; }

   private:
    const ParticleContacts* of_;
  };

  int nodes() const override;
  int pieces() const override { return nodes(); }
  int first_node(int piece) const override { return piece; }
  void describe(std::span<NodeMetric> nodes) const override;
  bool measure(std::span<NodeMetric> nodes) const override;
  Adapt adapt() const override { return Adapt::often; }
  bool exact() const override { return exact_; }
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override;
  void solve_metric(NodeVector* x) override;

  ParticleBlock* block_;
  double dt_ = 0;
  bool exact_ = false;
  std::vector<double> mass_;  // that answers to impulses, where it is the same in all directions [kg]
  std::vector<Vec3d> free_;   // velocities of this iteration, without contact [m/s]
  std::vector<Symmetric3<double>> heavy_matrix_;
  Heavy heavy_;
};

}  // namespace ymir
