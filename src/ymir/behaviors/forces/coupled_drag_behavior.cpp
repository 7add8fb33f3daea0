#include "ymir/behaviors/forces/coupled_drag_behavior.h"

#include "ymir/actions/coupled_drag.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<CoupledDragBehavior::Params> CoupledDragBehavior::schema() {
  return Schema<Params>("coupled_drag",
                        "Drag between gas and all that is in it, felt by both: particles, strands, cloth, bodies.")
      .category(Category::force)
      .once()
      .example("examples/hair_in_wind.yaml")
      .param(&Params::way, "way", "Who feels it: both, or one side only.")
      .enumerated<CouplingWay>({{"both", CouplingWay::both},
                                {"gas_to_objects", CouplingWay::gas_to_objects},
                                {"objects_to_gas", CouplingWay::objects_to_gas}})
      .param(&Params::viscosity, "viscosity", unit::pascal_second, "Dynamic viscosity of the gas.")
      .positive()
      .param(&Params::drag_strength, "drag_strength", unit::none, "Factor of the drag; 1 is physical.")
      .at_least(0)
      .acts_on({ActsOn::particles, ActsOn::strands, ActsOn::solids, ActsOn::cloth})
      .renamed_from("strength")
      .param(&Params::passes, "passes", "Times that solids are solved per substep.")
      .range(2, 8)
      .advanced()
      .only_when("way", {"both"});
}

void CoupledDragBehavior::create(Scope& scope) {
  const std::vector<VolumeObject*> gases = scope.volume_objects();
  const std::vector<ForceTarget*> targets =
      gases.empty() ? std::vector<ForceTarget*>{} : scope.exposed_targets("coupled drag", *scope.smallest_voxel());
  if (gases.empty() || targets.empty()) return scope.switch_off();
  CoupledDragParams p;
  p.viscosity = params_.viscosity;
  p.strength = params_.drag_strength;
  p.passes = params_.passes;
  p.on_objects = params_.way != CouplingWay::objects_to_gas;
  p.on_gas = params_.way != CouplingWay::gas_to_objects;
  for (VolumeObject* gas : gases) couple_drag(*gas, targets, scope.path(), p);
}

}  // namespace ymir
