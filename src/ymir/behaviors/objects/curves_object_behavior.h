// Strands from a file: hair, fur, threads, cords. [Lesser2022, 6.1, Curves Object]
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct CurvesObjectBehavior final : Behavior {
  struct Params {
    InputRef curves;
    Varying<double> density{1300};  // [kg/m^3]
    Varying<double> radius{40e-6};  // [m]
    Varying<double> flattening{1};
    bool clamp_roots = true;
    Varying<double> gravity_compensation{0};
    double tolerance = 1e-4;
    std::int64_t newton_iterations = 30;
  };
  static Schema<Params> schema();

  explicit CurvesObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
