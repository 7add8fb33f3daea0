// A group of strands as a block of the solid system: its block is the band matrix of strand_newton.h.
#pragma once

#include "ymir/objects/strand_newton.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class CurvesObject;

class StrandBlock final : public SolidBlock {
 public:
  StrandBlock(CurvesObject& object, int group);

  const NewtonSettings& settings() const override;
  int pieces() const override;
  void begin(const Step& step) override;
  void place() override;  // rigidly with the roots
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
  void entries(std::int32_t first, std::vector<Triplet>& lower) const override;
  void set_step(const double* step) override;
  double step_size() const override;
  double reach() const override;
  void move(double share) override;
  void end() override;

 private:
  int half_bandwidth() const;

  CurvesObject* object_;
  int group_;
  StrandNewton newton_;
  RootPose pose_;
  std::vector<StrandReal> matrix_;  // not factored
  mutable std::vector<StrandReal> padded_;
};

}  // namespace ymir
