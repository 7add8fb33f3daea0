// A particle as a block of the solid system. [Lesser2022, 6.1 and 6.5]
//
//   m (v - v_n) / dt - f(x_n, v) + sum J'y = 0,   v = d / dt
//
// The unknown is its displacement d since the substep began [m]; its block m/dt^2 I - (df/dv)/dt. As for loose
// particles, forces are those at x_n. A particle has no orientation: its frame is that of the world.
#pragma once

#include "ymir/objects/point_block.h"
#include "ymir/physics/planes.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class ParticleObject;

class ParticleBlock final : public SolidBlock {
 public:
  ParticleBlock(ParticleObject& object, int seat) : object_(&object), seat_(seat) {}

  const NewtonSettings& settings() const override;
  int pieces() const override { return 1; }
  void begin(const Step& step) override;
  void place() override { displacement_ = start_velocity_ * dt_; }
  std::size_t size() const override { return 3; }
  Embedding embedded(int place, const MaterialPoint& at) const override;
  std::ptrdiff_t row(int, const MaterialPoint&, int local) const override { return local; }
  void assemble() override;
  void add_force(std::size_t row, double force, double stiffness) override;
  double residual(double violation) const override;
  bool factor() override;
  void right_side(double* b) const override;
  void solve(const double* r, double* z) const override;
  void product(const double* x, double* y) const override;
  bool indefinite() const override { return false; }
  std::int32_t nodes() const override { return 1; }
  void visit_blocks(const BlockVisitor& visit) const override;
  void set_step(const double* step) override { step_ = {step[0], step[1], step[2]}; }
  double step_size() const override { return norm(step_) / length_; }
  double reach() const override { return 1; }
  void move(double share) override { displacement_ += step_ * share; }
  void end() override;

 private:
  // Force and derivative of those forces that depend on the velocity, or of the others.
  void accumulate(bool on_velocity, Vec3d& force, Symmetric3<double>& derivative);

  ParticleObject* object_;
  int seat_;
  double mass_ = 0, dt_ = 0;
  double length_ = 1;  // that residuals are measured in [m]
  Vec3d start_, start_velocity_, displacement_, step_{0, 0, 0};
  Vec3d velocity_, constant_force_;
  Symmetric3<double> constant_derivative_;
  PointBlock block_{};
  std::vector<Vec3d> samples_;  // per force
  Symmetric3<double> matrix_;
  Vec3d residual_, scale_;
};

}  // namespace ymir
