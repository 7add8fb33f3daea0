// Keeps gas incompressible. [Lesser2022, Figure 5, Pressure Material]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"
#include "ymir/solvers/poisson/pressure_solver.h"

namespace ymir {

struct PressureBehavior final : Behavior {
  struct Params {
    PressureMethod method = PressureMethod::automatic;
    double tolerance = 1e-4;
    int iterations = 200;
  };
  static Schema<Params> schema();

  explicit PressureBehavior(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
