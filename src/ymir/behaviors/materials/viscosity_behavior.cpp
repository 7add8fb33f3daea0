#include "ymir/behaviors/materials/viscosity_behavior.h"

#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<ViscosityBehavior::Params> ViscosityBehavior::schema() {
  return Schema<Params>("viscosity", "Makes gas viscous: it sticks to no_slip walls and its swirls die out.")
      .category(Category::material)
      .once()
      .example("examples/convection.yaml")
      .param(&Params::viscosity, "viscosity", unit::pascal_second, "Dynamic viscosity; that of air is 1.8e-5 Pa*s.")
      .at_least(0)
      .param(&Params::tolerance, "tolerance", unit::none, "Residual of a solve by its right side, at the end.")
      .range(1e-12, 0.1)
      .advanced();
}

void ViscosityBehavior::create(Scope& scope) {
  for (VolumeObject* gas : scope.volume_objects()) {
    DiffusionOptions options;
    options.tolerance = params_.tolerance;
    gas->set_viscosity(params_.viscosity, options);
  }
}

}  // namespace ymir
