#include "ymir/behaviors/operators/coupled_buoyancy_behavior.h"

#include <fmt/format.h>

#include "ymir/actions/coupled_buoyancy.h"
#include "ymir/behaviors/scope.h"
#include "ymir/physics/fluid/added_mass.h"

namespace ymir {

Schema<CoupledBuoyancyBehavior::Params> CoupledBuoyancyBehavior::schema() {
  return Schema<Params>("coupled_buoyancy",
                        "Particles, strands, soft and rigid bodies take room in gas, and its pressure lifts them.")
      .category(Category::operator_)
      .once()
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

// Known before the first of them meets gas, hours into a run.
void CoupledBuoyancyBehavior::refuse_too_large(const ParticleObject& particles, const VolumeObject& gas,
                                               const Scope& scope) {
  const double radius = particles.largest_radius(), voxels = radius / gas.grid().voxel();
  if (voxels <= added_mass::largest_radius) return;
  throw Error(ExitCode::bad_input,
              fmt::format("{}: a point of radius {:.3g} m of {} is {:.3g} voxels large in {}, at most {:.0f} can be "
                          "coupled; use a collider for bodies of that size, or a larger voxel",
                          scope.path(), radius, particles.path(), voxels, gas.path(), added_mass::largest_radius));
}

void CoupledBuoyancyBehavior::create(Scope& scope) {
  const std::vector<VolumeObject*> gases = scope.volume_objects();
  if (gases.empty()) return scope.switch_off();
  const std::vector<ForceTarget*> targets = scope.immersed_targets("coupled buoyancy", *scope.smallest_voxel());
  if (targets.empty()) return scope.switch_off();
  if (params_.added_mass)
    for (const ParticleObject* particles : scope.particle_objects())
      for (const VolumeObject* gas : gases) refuse_too_large(*particles, *gas, scope);
  for (VolumeObject* gas : gases)
    couple_buoyancy(*gas, targets, scope.path(),
                    {params_.gravity, params_.inertia, params_.on_objects, params_.added_mass});
}

}  // namespace ymir
