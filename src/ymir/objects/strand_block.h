// A group of strands as a block of the solid system: its block is the band matrix of strand_newton.h.
#pragma once

#include "ymir/objects/strand_band.h"
#include "ymir/objects/strand_contacts.h"
#include "ymir/objects/strand_newton.h"
#include "ymir/solids/condensable.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class CurvesObject;

class StrandBlock final : public SolidBlock, public Condensable {
 public:
  StrandBlock(CurvesObject& object, int group);

  const NewtonSettings& settings() const override;
  int pieces() const override;
  void begin(const Step& step) override;
  void place() override;  // rigidly with the roots, where those are given or fly
  std::size_t size() const override;
  Embedding embedded(int place, const MaterialPoint& at) const override;
  std::ptrdiff_t row(int place, const MaterialPoint& at, int local) const override;
  void assemble() override;
  void add_force(std::size_t row, double force, double stiffness) override;
  double residual(double violation) const override;
  bool factor() override;
  void right_side(double* b) const override;
  void solve(const double* r, double* z) const override;
  void product(const double* x, double* y) const override;
  bool indefinite() const override { return newton_.step().multipliers; }
  std::int32_t nodes() const override { return band().nodes(); }
  std::int32_t slot(std::size_t row) const override { return band().slot(row); }
  void visit_blocks(const BlockVisitor& visit) const override { band().visit_blocks(visit); }
  // Elastic strands; where lengths are held, a multiplier may be left with nothing to act on.
  Condensable* condensable() override { return this; }
  bool factor_without(std::span<const std::size_t> rows) override;
  void set_step(const double* step) override;
  double step_size() const override;
  double reach() const override;
  void move(double share) override;
  void end() override;
  ContactBlock* contacts() override;

 private:
  friend class StrandContacts;
  bool factor(std::span<const std::size_t> without);
  StrandBand band() const { return {kept(), newton_.rows(), newton_.step().multipliers}; }

  CurvesObject* object_;
  int group_;
  StrandNewton newton_;
  RootPose pose_;
  // The matrix as assembled, also when its factor has taken its place.
  const StrandReal* kept() const { return factored_ ? matrix_.data() : newton_.step().matrix; }
  std::vector<StrandReal> matrix_;
  bool factored_ = false;
  int assemblies_ = 0;  // in this substep
  std::unique_ptr<StrandContacts> contacts_;
  mutable std::vector<StrandReal> padded_;
};

}  // namespace ymir
