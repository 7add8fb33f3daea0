#include "ymir/behaviors/forces/force_field.h"

#include "ymir/actions/field_force.h"

namespace ymir {

Schema<ForceField::Params> ForceField::schema() {
  return Schema<Params>("force_field", "Force from a prescribed field, per unit mass or per unit volume.")
      .category(Category::force)
      .example("examples/fountain.yaml")
      .param(&Params::acceleration, "acceleration", FieldParams::schema("acceleration", unit::m_per_s2),
             "Force per unit mass.")
      .param(&Params::force_density, "force_density", FieldParams::schema("force_density", unit::newton_per_m3),
             "Force per unit volume of a point.");
}

void ForceField::create(Scope& scope) {
  if (!params_.acceleration && !params_.force_density)
    scope.warn("does nothing; give `acceleration:` or `force_density:`");
  const std::vector<ForceTarget*> objects = scope.force_targets();
  const auto add = [&](const std::optional<FieldParams>& params, ForcePer per) {
    if (!params || objects.empty()) return;
    PrescribedField field;
    add_field(field, *params, scope);
    for (ForceTarget* object : objects) object->add_force(field_force(scope.path(), field, per));
  };
  add(params_.acceleration, ForcePer::mass);
  add(params_.force_density, ForcePer::volume);
}

}  // namespace ymir
