#include "ymir/behaviors/operators/diffusion.h"

#include "ymir/actions/gas_diffusion.h"
#include "ymir/behaviors/gas_channel.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<DiffusionBehavior::Params> DiffusionBehavior::schema() {
  return Schema<Params>("diffusion", "A material channel of a gas spreads by itself; walls let nothing through.")
      .category(Category::operator_)
      .example("examples/convection.yaml")
      .param(&Params::channel, "channel", "Name of the channel.")
      .param(&Params::diffusivity, "diffusivity", unit::m2_per_s, "How fast it spreads; 2e-5 m^2/s is heat in air.")
      .at_least(0)
      .param(&Params::tolerance, "tolerance", unit::none, "Residual of a solve by its right side, at the end.")
      .range(1e-12, 0.1)
      .advanced();
}

void DiffusionBehavior::create(Scope& scope) {
  GasDiffusion diffusion;
  diffusion.channel = params_.channel;
  diffusion.diffusivity = params_.diffusivity;
  diffusion.options.tolerance = params_.tolerance;
  for (VolumeObject* gas : scope.volume_objects()) {
    require_channel(scope, *gas, params_.channel);
    add_diffusion(*gas, scope.path(), diffusion);
  }
}

}  // namespace ymir
