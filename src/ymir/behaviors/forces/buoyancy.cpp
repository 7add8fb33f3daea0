#include "ymir/behaviors/forces/buoyancy.h"

#include "ymir/actions/gas_forces.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<Buoyancy::Params> Buoyancy::schema() {
  return Schema<Params>("buoyancy", "Lifts hot gas, and lets heavy smoke sink.")
      .category(Category::force)
      .once()
      .example("examples/smoke_plume.yaml")
      .param(&Params::gravity, "gravity", unit::m_per_s2, "Acceleration of free fall.")
      .param(&Params::smoke_weight, "smoke_weight", unit::none,
             "How much heavier than air pure smoke (density 1) is, by the density of air.");
}

void Buoyancy::create(Scope& scope) {
  for (VolumeObject* gas : scope.volume_objects())
    add_buoyancy(*gas, scope.path(), {params_.gravity, params_.smoke_weight});
}

}  // namespace ymir
