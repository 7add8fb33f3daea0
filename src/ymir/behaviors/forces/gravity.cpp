#include "ymir/behaviors/forces/gravity.h"

#include "ymir/actions/gravity_force.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<Gravity::Params> Gravity::schema() {
  return Schema<Params>("gravity", "Uniform body force per unit mass.")
      .category(Category::force)
      .once()
      .example("examples/embers.yaml")
      .param(&Params::acceleration, "acceleration", unit::m_per_s2, "Acceleration of every object in scope.");
}

void Gravity::create(Scope& scope) {
  for (ForceTarget* object : scope.force_targets())
    object->add_force(gravity_force(scope.path(), params_.acceleration, object->vector_field("acceleration")));
}

}  // namespace ymir
