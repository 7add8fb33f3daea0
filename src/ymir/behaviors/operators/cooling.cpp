#include "ymir/behaviors/operators/cooling.h"

#include "ymir/actions/gas_forces.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<Cooling::Params> Cooling::schema() {
  return Schema<Params>("cooling", "Hot gas loses heat by radiation, the hotter the faster.")
      .category(Category::operator_)
      .once()
      .example("examples/smoke_plume.yaml")
      .param(&Params::rate, "rate", unit::kelvin_per_s, "Cooling at the peak temperature.")
      .at_least(0)
      .param(&Params::peak_temperature, "peak_temperature", unit::kelvin, "Temperature that the rate is given for.")
      .positive();
}

void Cooling::create(Scope& scope) {
  for (VolumeObject* gas : scope.volume_objects()) {
    if (params_.peak_temperature <= gas->description().temperature)
      throw Error(ExitCode::bad_input, scope.path() + ": `peak_temperature:` must exceed that of the air around");
    add_cooling(*gas, scope.path(), {params_.rate, params_.peak_temperature});
  }
}

}  // namespace ymir
