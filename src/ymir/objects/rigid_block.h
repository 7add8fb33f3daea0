// A rigid body as a block of the solid system: six unknowns, factored densely.
#pragma once

#include <vector>

#include "ymir/objects/rigid_contacts.h"
#include "ymir/objects/rigid_object.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

// Where Forces act on a body: at +-sqrt(3 spread_k/m) along each principal axis, a sixth of the mass each. Together
// they have its mass, centre and inertia.
class MassPoints {
 public:
  static constexpr std::size_t count = RigidObject::mass_points;

  MassPoints(const RigidBody& body, Vec3d position, const Quaternion& rotation, Vec3d velocity, Vec3d spin);
  PointBlock block(int body, double time, double dt) const;
  Vec3d arm(std::size_t i) const { return arm_[i]; }  // from the centre, in the world [m]

 private:
  Vec3d arm_[count];
  double position_[3][count], velocity_[3][count], mass_[count], radius_[count];
};

class RigidBlock final : public SolidBlock {
 public:
  RigidBlock(RigidObject& object, std::size_t body) : object_(&object), body_(body) {}

  const NewtonSettings& settings() const override { return object_->description().newton; }
  int pieces() const override { return 1; }
  void begin(const Step& step) override;
  void place() override;  // as in free flight, or as it is carried
  std::size_t size() const override { return RigidStep::size; }
  Embedding embedded(int place, const MaterialPoint& at) const override;
  std::ptrdiff_t row(int, const MaterialPoint&, int local) const override { return carried_ ? -1 : local; }
  void assemble() override;
  void add_force(std::size_t row, double force, double stiffness) override;
  void add_lever(int place, const MaterialPoint& at, Vec3d pull) override;
  double residual(double violation) const override;
  bool factor() override;
  void right_side(double* b) const override;
  void solve(const double* r, double* z) const override;
  void product(const double* x, double* y) const override;
  bool indefinite() const override { return false; }
  std::int32_t nodes() const override { return 2; }
  void visit_blocks(const BlockVisitor& visit) const override;
  void set_step(const double* step) override;
  double step_size() const override;
  double reach() const override;
  void move(double share) override;
  void end() override;
  ContactBlock* contacts() override;

 private:
  friend class RigidContacts;
  const RigidBody& body() const { return object_->bodies()[body_]; }
  void add_forces();
  double entry(int r, int c) const;
  bool try_factor();

  RigidObject* object_;
  std::size_t body_;
  RigidStep step_;
  RigidPose begin_;
  Quaternion free_;                // rotation of free flight at the end of the substep
  Vec3d torque_of_inertia_;        // [N m]
  std::vector<Vec3d> samples_;     // of forces, at their points
  double scale_[RigidStep::size];  // [N/m, N m]
  double newton_[RigidStep::size] = {};
  double factor_[RigidStep::size][RigidStep::size];
  bool levers_ = true;  // they are part of the matrix
  bool carried_ = false;
  RigidTransform carried_to_;  // pose at the end of the substep
  std::unique_ptr<RigidContacts> contacts_;
};

}  // namespace ymir
