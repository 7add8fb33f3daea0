// A plant as a block of the solid system: four 3x3-block nodes per node, factored directly.
//
//   kinetic   rho V/2 (|v|^2 + sum_k a_k^2/12 |v,k|^2)
//   elastic   V [w(E) + sum_k a_k^2/12 w_r(E_k)]  (elaston.h), damped by tau dC/dt on its rows
//   held      k/2 |x - X|^2 + k_F/2 |F - 1|^2 at the roots, far stiffer than what they carry
#pragma once

#include "ymir/objects/elaston_contacts.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/physics/elastons/elaston.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class ElastonBlock final : public SolidBlock {
 public:
  ElastonBlock(ElastonObject& object, std::size_t piece);

  const NewtonSettings& settings() const override { return object_->description().newton; }
  int pieces() const override { return 1; }
  void begin(const Step& step) override;
  void place() override;
  std::size_t size() const override { return 12 * piece_->nodes; }
  Embedding embedded(int place, const MaterialPoint& at) const override;
  std::ptrdiff_t row(int place, const MaterialPoint& at, int local) const override;
  void assemble() override;
  void add_force(std::size_t row, double force, double stiffness) override;
  double residual(double violation) const override;
  bool factor() override;
  void right_side(double* b) const override;
  void solve(const double* r, double* z) const override { piece_->solver.solve(r, z); }
  void product(const double* x, double* y) const override { piece_->matrix.multiply(x, y); }
  bool indefinite() const override { return false; }
  std::int32_t nodes() const override { return piece_->matrix.nodes(); }
  void visit_blocks(const BlockVisitor& visit) const override;
  void set_step(const double* step) override;
  double step_size() const override;
  double reach() const override;
  void move(double share) override;
  void end() override;
  ContactBlock* contacts() override;

  // Stresses and forces at the roots take on `share` of the constant forces at rest; s.begin is the rest shape. Returns
  // how much stiffer the plant would have to be to stand so, in steps of 1.25; infinity: it does not however stiff.
  double bear(double share);

 private:
  friend class ElastonContacts;
  using Elements = ElastonElements;
  using Real = Elements::Real;
  static constexpr int strains = 9, strain_dofs = 3 * strains;  // vectors that strain depends on: x,a and x,ab

  void assemble_statics();
  void bear_step();
  static Elaston::Geometry<Real> geometry(const Elements::Field& field);
  // W of the strain (part 0) or its derivative along an axis, of a pack: 6x6.
  void find_weights(const Elements::Pack& pack, int part, Real* w) const;
  // Stiffness of what holds x (p = 0) or a column of F at a root.
  double grip_of(std::size_t held, int p) const;
  ElastonCentres centres() const;
  void find_centres(std::span<const Vec3d> slots, std::vector<Vec3d>& to) const;
  void add_forces();
  void assemble_all(bool exact);
  void add_inertia(const Elements::Pack& pack, Elements::Local& local) const;
  void add_elasticity(const Elements::Pack& pack, const Elements::Field& now, bool exact, Elements::Local& local) const;
  void add_centre(const Elements::Pack& pack, Elements::Local& local) const;
  void add_hold(const Elements::Pack& pack, const Elements::Field& now, Elements::Local& local) const;

  ElastonObject* object_;
  int number_;
  ElastonPiece* piece_;
  std::unique_ptr<ElastonContacts> contacts_;
  double dt_ = 0, time_ = 0;                      // time: at the end of the substep [s]
  std::array<std::array<double, 36>, 4> moduli_;  // of strains; of their gradients by kind [Pa]
};

}  // namespace ymir
