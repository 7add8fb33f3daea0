#include "ymir/behaviors/operators/coupled_buoyancy_behavior.h"

#include "ymir/actions/coupled_buoyancy.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<CoupledBuoyancyBehavior::Params> CoupledBuoyancyBehavior::schema() {
  return Schema<Params>("coupled_buoyancy", "Particles and strands take room in gas, and its pressure lifts them.")
      .category(Category::operator_)
      .example("examples/hair_in_wind.yaml")
      .param(&Params::gravity, "gravity", unit::m_per_s2, "Acceleration of free fall.")
      .param(&Params::inertia, "inertia",
             "Objects give way to the pressure, also those lighter than the gas; otherwise they stand like pillars. "
             "With non_stick walls this is approximate for light ones.")
      .param(&Params::on_objects, "on_objects", "The pressure pushes objects; otherwise they only take room.")
      .param(
          &Params::added_mass, "added_mass",
          "Objects carry gas along: a ball in gas of the same density feels half its mass more. Otherwise gas passes "
          "as between columns along its way, and light objects accelerate too much.");
}

void CoupledBuoyancyBehavior::create(Scope& scope) {
  const std::vector<VolumeObject*> gases = scope.volume_objects();
  const std::vector<ForceTarget*> targets = scope.force_targets();
  if (gases.empty() || targets.empty()) return scope.switch_off();
  for (VolumeObject* gas : gases)
    couple_buoyancy(*gas, targets, scope.path(),
                    {params_.gravity, params_.inertia, params_.on_objects, params_.added_mass});
}

}  // namespace ymir
