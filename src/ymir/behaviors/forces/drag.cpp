#include "ymir/behaviors/forces/drag.h"

#include "ymir/actions/drag_force.h"
#include "ymir/actions/surface_panels.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/objects/super_helix_object.h"

namespace ymir {

Schema<DragBehavior::Params> DragBehavior::schema() {
  return Schema<Params>(
             "drag", "Pulls everything along with the air: particles, strands, cloth, plants, soft and rigid bodies.")
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
             "Of fast flow; when absent, that of a smooth sphere, 0.47, on strands of a round fibre, 1, and on cloth, "
             "plants and the surfaces of bodies that of a plate across the wind, 1.2, which makes 0.6 of a ball.")
      .at_least(0)
      .acts_on({ActsOn::particles, ActsOn::strands, ActsOn::solids, ActsOn::cloth})
      .param(&Params::drag_strength, "drag_strength", unit::none, "Factor of the drag; 1 is physical.")
      .at_least(0)
      .acts_on({ActsOn::particles, ActsOn::strands, ActsOn::solids, ActsOn::cloth})
      .param(&Params::wind, "wind", FieldParams::schema("wind", unit::m_per_s),
             "Velocity of the air; still when absent.")
      .param(&Params::turbulence, "turbulence", FieldParams::schema("turbulence", unit::m_per_s), "Added to the wind.");
}

void DragBehavior::create(Scope& scope) {
  PrescribedField air;
  if (params_.wind) add_field(air, *params_.wind, scope);
  if (params_.turbulence) add_field(air, *params_.turbulence, scope);
  if (params_.wind) warn_of_speed(scope, "wind", strength_of(*params_.wind));
  if (params_.turbulence) warn_of_speed(scope, "turbulence", strength_of(*params_.turbulence));
  constexpr double sphere = 0.47, fibre = 1, plate_across = 1.2;
  const auto coefficient = [&](double otherwise) {
    return params_.drag_coefficient ? params_.drag_coefficient->value : otherwise;
  };
  DragParams law{params_.viscosity, params_.fluid_density, coefficient(sphere)};
  Gas around{params_.fluid_density, params_.viscosity};
  if (params_.law == DragLaw::linear) around.density = law.fluid_density = 0;
  if (params_.law == DragLaw::quadratic) around.viscosity = law.viscosity = 0;
  const auto strength = [&](ForceTarget& target) {
    return DragStrength{params_.drag_strength, target.scalar_field("drag_coefficient"),
                        target.scalar_field("drag_strength")};
  };
  for (ParticleObject* object : scope.particle_objects())
    object->add_force(drag_force(scope.path(), law, air, strength(*object)));
  for (CurvesObject* curves : scope.curves_objects())
    curves->add_force(fibre_drag_force(scope.path(), around, coefficient(fibre), air, strength(*curves)));
  for (SuperHelixObject* strands : scope.super_helix_objects())
    strands->add_force(fibre_drag_force(scope.path(), around, coefficient(fibre), air, strength(*strands)));
  for (ElastonObject* plants : scope.elaston_objects()) {
    DragStrength areas{params_.drag_strength, plants->drag_coefficients(coefficient(plate_across)), {}};
    plants->add_force(drag_force(scope.path(), law, air, std::move(areas)));
  }
  PlateLaw plate;
  plate.density = params_.fluid_density;
  plate.pressure = coefficient(plate.pressure);
  const auto on_surface = [&](auto& object) {
    if (params_.law == DragLaw::linear) {
      scope.warn("does not act on " + object.path() + ": surfaces have no linear drag; leave out `law: linear`");
      return;
    }
    ForceTarget& panels = add_panels(object, scope.path(), "drag");
    panels.add_force(plate_drag_force(scope.path(), plate, air, strength(panels)));
  };
  for (MeshObject* object : scope.mesh_objects()) on_surface(*object);
  for (RigidObject* object : scope.rigid_objects()) on_surface(*object);
}

std::vector<Behavior::Unused> DragBehavior::unused(ActsOn kind) const {
  const bool strands = kind == ActsOn::strands;
  // A fibre's coefficient has a part in its slow drag too.
  if (strands || params_.law != DragLaw::linear) return {};
  std::vector<Unused> found{{"drag_coefficient", "a linear law has none; leave out `law: linear`"}};
  if (kind != ActsOn::particles)
    found.push_back({"drag_strength", "surfaces have no linear drag; leave out `law: linear`"});
  return found;
}

}  // namespace ymir
