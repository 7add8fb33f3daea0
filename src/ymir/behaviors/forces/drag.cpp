#include "ymir/behaviors/forces/drag.h"

#include "ymir/actions/drag_force.h"

namespace ymir {

Schema<DragBehavior::Params> DragBehavior::schema() {
  return Schema<Params>("drag", "Pulls particles and strands along with the air, by their radius and density.")
      .category(Category::force)
      .example("examples/embers.yaml")
      .param(&Params::law, "law", "Linear (Stokes, slow and small), quadratic (fast and large), or the sum of both.")
      .enumerated<DragLaw>({{"linear", DragLaw::linear}, {"quadratic", DragLaw::quadratic}, {"both", DragLaw::both}})
      .param(&Params::viscosity, "viscosity", unit::pascal_second, "Dynamic viscosity of the air.")
      .at_least(0)
      .only_when("law", {"linear", "both"})
      .param(&Params::fluid_density, "fluid_density", unit::kg_per_m3, "Density of the air.")
      .at_least(0)
      .only_when("law", {"quadratic", "both"})
      .param(&Params::drag_coefficient, "drag_coefficient", unit::none,
             "Of fast flow; when absent, that of a smooth sphere, 0.47, and on strands of a round fibre, 1.")
      .at_least(0)
      .param(&Params::wind, "wind", FieldParams::schema("wind", unit::m_per_s),
             "Velocity of the air; still when absent.")
      .param(&Params::turbulence, "turbulence", FieldParams::schema("turbulence", unit::m_per_s), "Added to the wind.");
}

void DragBehavior::create(Scope& scope) {
  PrescribedField air;
  if (params_.wind) add_field(air, *params_.wind, scope);
  if (params_.turbulence) add_field(air, *params_.turbulence, scope);
  constexpr double sphere = 0.47, fibre = 1;
  DragParams law{params_.viscosity, params_.fluid_density, params_.drag_coefficient.value_or(sphere)};
  Gas around{params_.fluid_density, params_.viscosity};
  if (params_.law == DragLaw::linear) around.density = 0;
  if (params_.law == DragLaw::quadratic) around.viscosity = 0;
  if (params_.law == DragLaw::linear) law.drag_coefficient = 0;
  if (params_.law == DragLaw::quadratic) law.viscosity = 0;
  for (ParticleObject* object : scope.particle_objects()) object->add_force(drag_force(scope.path(), law, air));
  for (CurvesObject* curves : scope.curves_objects())
    curves->add_force(fibre_drag_force(scope.path(), around, params_.drag_coefficient.value_or(fibre), air));
}

}  // namespace ymir
