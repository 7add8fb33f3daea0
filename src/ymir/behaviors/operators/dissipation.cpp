#include "ymir/behaviors/operators/dissipation.h"

#include "ymir/actions/gas_forces.h"
#include "ymir/behaviors/gas_channel.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<Dissipation::Params> Dissipation::schema() {
  return Schema<Params>("dissipation", "A material channel returns to its ambient value.")
      .category(Category::operator_)
      .example("examples/smoke_plume.yaml")
      .param(&Params::channel, "channel", "Name of the channel.")
      .param(&Params::rate, "rate", unit::per_second, "Share that goes per time.")
      .at_least(0);
}

void Dissipation::create(Scope& scope) {
  for (VolumeObject* gas : scope.volume_objects()) {
    require_channel(scope, *gas, params_.channel);
    add_dissipation(*gas, scope.path(), params_.channel, params_.rate);
  }
}

}  // namespace ymir
