#include "ymir/behaviors/operators/vorticity_confinement.h"

#include "ymir/actions/gas_forces.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<VorticityConfinement::Params> VorticityConfinement::schema() {
  return Schema<Params>("vorticity_confinement", "Keeps small eddies turning that the grid would damp.")
      .category(Category::operator_)
      .example("examples/smoke_plume.yaml")
      .param(&Params::strength, "strength", unit::none, "0 does nothing; above 1 gas begins to boil.")
      .at_least(0);
}

void VorticityConfinement::create(Scope& scope) {
  for (VolumeObject* gas : scope.volume_objects()) add_vorticity_confinement(*gas, scope.path(), params_.strength);
}

}  // namespace ymir
