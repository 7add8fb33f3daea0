// Particles as a block of the solid system: one that couplings hold, or all that contacts join. [Lesser2022, 6.1, 6.5]
//
//   m (v - v_n) / dt - f(x_n, v) + sum J'y = 0,   v = d / dt
//
// The unknowns are their displacements d since the substep began [m]; the matrix has a block m/dt^2 I - (df/dv)/dt for
// each. As for loose particles, forces are those at x_n. A particle has no orientation: its frame is that of the world.
#pragma once

#include <memory>
#include <vector>

#include "ymir/objects/particle_contacts.h"
#include "ymir/objects/point_block.h"
#include "ymir/physics/planes.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class ParticleObject;

class ParticleBlock final : public SolidBlock {
 public:
  // points: their numbers on this rank.
  ParticleBlock(ParticleObject& object, std::vector<int> points) : object_(&object), numbers_(std::move(points)) {}

  const NewtonSettings& settings() const override;
  int pieces() const override { return static_cast<int>(numbers_.size()); }
  void begin(const Step& step) override;
  void place() override;
  std::size_t size() const override { return 3 * numbers_.size(); }
  Embedding embedded(int place, const MaterialPoint& at) const override;
  std::ptrdiff_t row(int place, const MaterialPoint&, int local) const override { return 3 * place + local; }
  void assemble() override;
  void add_force(std::size_t row, double force, double stiffness) override;
  double residual(double violation) const override;
  bool factor() override;
  void right_side(double* b) const override;
  void solve(const double* r, double* z) const override;
  void product(const double* x, double* y) const override;
  bool indefinite() const override { return false; }
  std::int32_t nodes() const override { return pieces(); }
  void visit_blocks(const BlockVisitor& visit) const override;
  void set_step(const double* step) override;
  double step_size() const override;
  double reach() const override { return 1; }
  void move(double share) override;
  void end() override;
  ContactBlock* contacts() override;

 private:
  friend class ParticleContacts;
  struct Point {
    PointBlock seen{};
    double mass = 0;
    double length = 1;  // that residuals are measured in [m]
    Vec3d start, start_velocity, displacement{0, 0, 0}, step{0, 0, 0};
    Vec3d velocity, constant_force{0, 0, 0};
    Symmetric3<double> constant_derivative{};
    Symmetric3<double> matrix;
    Vec3d residual, scale;
  };
  Point& of_row(std::size_t row) { return points_[row / 3]; }
  // Force and derivative of those forces that depend on the velocity, or of the others.
  void accumulate(std::size_t point, bool on_velocity, Vec3d& force, Symmetric3<double>& derivative);
  void begin_point(const Step& step, std::size_t point);
  void assemble_point(std::size_t point);

  ParticleObject* object_;
  std::vector<int> numbers_;
  double dt_ = 0;
  std::vector<Point> points_;
  std::vector<Vec3d> samples_;  // per point and force
  std::unique_ptr<ParticleContacts> contacts_;
};

}  // namespace ymir
