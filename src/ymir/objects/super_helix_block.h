// A super-helix as a block of the solid system: backward Euler in the positions of its points of integration.
//
//   sum_g H_g' [ m_g (r_g(q) - r_g,n - dt v_g,n)/dt^2 - f_g ] + l K (u - ubar + tau (u - u_n)/dt) = 0
//
// r_g,n and v_g,n are those of the points when the substep began, H_g = dr_g/dq. Velocities of points are the state,
// the part of (r_g - r_g,n)/dt that the strand can have: the momentum that points have is the momentum the equation
// counts, and a root that moves needs no terms of its own, it is in r_g. Matrix: H'(m/dt^2 + df/dv/dt)H + lK(1 +
// tau/dt), definite, and the geometric part d2r of all that acts; where a pivot says that the sum is indefinite, by the
// size of its curvature.
#pragma once

#include <vector>

#include "ymir/objects/super_helix_contacts.h"
#include "ymir/objects/super_helix_object.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class SuperHelixBlock final : public SolidBlock {
 public:
  explicit SuperHelixBlock(SuperHelixObject& object) : object_(&object) {}
  void choose(int group, int lane);  // the strand, before begin()

  struct Outcome {
    int iterations = 0;
    int halvings = 0;  // of the substep
    double residual = 0;
    bool converged = false;
    bool above = false;  // accepted above the tolerance
  };
  Outcome advance_alone(const Step& step);

  const NewtonSettings& settings() const override { return object_->description().newton; }
  int pieces() const override { return 1; }
  void begin(const Step& step) override;
  void place() override;  // with its root
  std::size_t size() const override { return static_cast<std::size_t>(helix_.dofs()); }
  Embedding embedded(int place, const MaterialPoint& at) const override;
  std::ptrdiff_t row(int, const MaterialPoint&, int local) const override { return local; }
  void assemble() override;
  void add_force(std::size_t row, double force, double stiffness) override;
  void add_lever(int place, const MaterialPoint& at, Vec3d pull) override;
  double residual(double violation) const override;
  bool factor() override;
  void right_side(double* b) const override;
  void solve(const double* r, double* z) const override;
  void product(const double* x, double* y) const override;
  bool indefinite() const override { return false; }
  std::int32_t nodes() const override { return helix_.dofs() / 3; }
  void visit_blocks(const BlockVisitor& visit) const override;
  void set_step(const double* step) override;
  double step_size() const override;
  double reach() const override;
  void move(double share) override;
  void end() override;
  ContactBlock* contacts() override;

 private:
  friend class SuperHelixContacts;
  Outcome solve_part(const Step& step);  // without end()
  static constexpr int most = SuperHelix::max_dofs;
  int count() const { return helix_.elements * object_->gauss().count; }
  double entry(int r, int c) const;
  bool try_factor(double firmer);
  double unit(int row) const;  // by which a change of an unknown has none
  void find_points();
  void add_forces();
  void add_points();
  void add_elasticity();
  void add_section_inertia();
  PointBlock point_block(const double* planes) const;

  SuperHelixObject* object_;
  int group_ = 0, lane_ = 0;
  double dt_ = 0, time_ = 0;  // time: at its end [s]
  SuperHelix helix_;
  HelixFrame root_at_end_;
  Vec3d rest_[SuperHelix::max_elements], begin_u_[SuperHelix::max_elements], stiffness_[SuperHelix::max_elements];
  // Of points.
  std::vector<Vec3d> begin_, velocity_, now_, tangent_, gradient_;
  std::vector<Mat3d> point_stiffness_;
  std::vector<double> mass_, radius_, along_;
  std::vector<Vec3d> shift_;              // H of each point, rows of `most`
  std::vector<double> planes_, samples_;  // of forces
  double residual_[most], scale_[most], step_[most];
  double matrix_[most * most], geometric_[most * most], factor_[most * most];
  std::unique_ptr<SuperHelixContacts> contacts_;
};

}  // namespace ymir
