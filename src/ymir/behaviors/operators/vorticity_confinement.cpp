#include "ymir/behaviors/operators/vorticity_confinement.h"

#include "ymir/actions/gas_confinement.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<VorticityConfinement::Params> VorticityConfinement::schema() {
  return Schema<Params>("vorticity_confinement", "Keeps small eddies turning that the grid would damp.")
      .category(Category::operator_)
      .once()
      .example("examples/smoke_plume.yaml")
      .param(&Params::strength, "strength", unit::none,
             "0 does nothing, 0.3 is plenty; it never gives back more than half of what eddies lose to the grid.")
      .at_least(0);
}

void VorticityConfinement::create(Scope& scope) {
  for (VolumeObject* gas : scope.volume_objects()) add_vorticity_confinement(*gas, scope.path(), params_.strength);
}

}  // namespace ymir
