#include "ymir/behaviors/constraints/collision.h"

#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<CollisionBehavior::Params> CollisionBehavior::schema() {
  return Schema<Params>(
             "collision",
             "Strands, cloth, rigid and soft bodies in scope touch each other and themselves, with exact Coulomb "
             "friction: they stick "
             "until the force along their surfaces exceeds friction times that between them.")
      .category(Category::constraint)
      .example("examples/touching_hair.yaml")
      .param(
          &Params::friction, "friction", unit::none,
          "Coulomb coefficient. Where two touch: the root of the product of theirs, at the points that touch. Painted, "
          "it is also that of exact contact with colliders.")
      .at_least(0)
      .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
      .param(&Params::thickness, "thickness", unit::m,
             "Distance kept free beyond the radii of strands and between surfaces. Guides that stand for many hairs "
             "want the thickness of their lock.")
      .at_least(0)
      .acts_on({ActsOn::strands, ActsOn::solids})
      .param(&Params::adhesion, "adhesion", unit::newton,
             "Force that a contact bears before it opens: hair that is wet or styled.")
      .at_least(0)
      .param(&Params::self_contact, "self_contact", "Strands, cloth and bodies touch themselves.")
      .param(&Params::tolerance, "tolerance", unit::none,
             "Error of relative velocities at contacts, by those without contact.")
      .positive()
      .advanced();
}

void CollisionBehavior::create(Scope& scope) {
  const std::vector<SolidObject*> objects = scope.touching_objects();
  if (objects.empty()) return;
  TouchParams params;
  params.friction = params_.friction.value;
  params.thickness = params_.thickness.value;
  params.adhesion = params_.adhesion;
  params.self_contact = params_.self_contact;
  params.tolerance = params_.tolerance;
  scope.solids().contacts().add_family(objects, params, scope.group());
}

}  // namespace ymir
