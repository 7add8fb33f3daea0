// Drag of points against a prescribed wind, implicit. [Lesser2022, 6.2, Fluid Drag Force]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/behaviors/forces/field_params.h"

namespace ymir {

enum class DragLaw : std::uint8_t { linear, quadratic, both };

struct DragBehavior final : Behavior {
  struct Params {
    DragLaw law = DragLaw::both;
    double viscosity = 1.81e-5;    // [Pa s]
    double fluid_density = 1.225;  // [kg/m^3]
    std::optional<Varying<double>> drag_coefficient;
    Varying<double> drag_strength{1};
    std::optional<FieldParams> wind;        // [m/s]
    std::optional<FieldParams> turbulence;  // [m/s]
  };
  static Schema<Params> schema();

  explicit DragBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;
  std::vector<Unused> unused(ActsOn kind) const override;

 private:
  Params params_;
};

}  // namespace ymir
