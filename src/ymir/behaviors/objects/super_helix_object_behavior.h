// Strands in reduced coordinates: super-helices. [Bertails2006]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct SuperHelixObjectBehavior final : Behavior {
  struct Params {
    InputRef curves;
    std::int64_t elements = 5;
    std::int64_t vertices = 32;
    Varying<double> density{1300};  // [kg/m^3]
    Varying<double> radius{40e-6};  // [m]
    Varying<double> flattening{1};
    double youngs_modulus = 3.5e9, shear_modulus = 1.3e9;  // [Pa]
    double relaxation_time = 0;                            // [s]
    bool clamp_roots = true;
    std::int64_t points = 0;
    double tolerance = 1e-8;
    std::int64_t newton_iterations = 60;
  };
  static Schema<Params> schema();

  explicit SuperHelixObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
