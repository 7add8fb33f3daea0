// Drag between gas and whatever is in it. [Lesser2022, 6.2, Fluid Drag Force]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

enum class CouplingWay : std::uint8_t { both, gas_to_objects, objects_to_gas };

struct CoupledDragBehavior final : Behavior {
  struct Params {
    CouplingWay way = CouplingWay::both;
    double viscosity = 1.81e-5;  // [Pa s]
    Varying<double> drag_strength{1};
    int passes = 3;
  };
  static Schema<Params> schema();

  explicit CoupledDragBehavior(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
