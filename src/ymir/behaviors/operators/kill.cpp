#include "ymir/behaviors/operators/kill.h"

#include "ymir/actions/removal.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<Kill::Bounds> Kill::Bounds::schema() {
  return Schema<Bounds>("bounds", "Box that points may not leave.")
      .param(&Bounds::low, "low", unit::m, "Lower corner.")
      .param(&Bounds::high, "high", unit::m, "Upper corner.");
}

Schema<Kill::Params> Kill::schema() {
  return Schema<Params>("kill", "Removes points that leave a box or grow too old.")
      .category(Category::operator_)
      .example("examples/embers.yaml")
      .param(&Params::bounds, "bounds", Bounds::schema(), "Points outside are removed.")
      .param(&Params::max_age, "max_age", unit::s, "Points as old as this are removed.")
      .positive()
      .param(&Params::age_variation, "age_variation", unit::none, "Lifetimes differ by up to this fraction of max_age.")
      .range(0, 1)
      .only_with({"max_age"});
}

void Kill::create(Scope& scope) {
  if (!params_.bounds && !params_.max_age) scope.warn("removes nothing; give `bounds:` or `max_age:`");
  for (int axis = 0; params_.bounds && axis < 3; ++axis)
    if (!(params_.bounds->low[axis] < params_.bounds->high[axis]))
      throw Error(ExitCode::bad_input, scope.path() + ".bounds: `low:` must be below `high:` along every axis");
  for (ParticleObject* object : scope.particle_objects()) {
    if (params_.bounds)
      object->add_removal(remove_outside(scope.path(), Box{params_.bounds->low, params_.bounds->high}));
    if (params_.max_age) object->add_removal(remove_old(scope.path(), *params_.max_age, params_.age_variation));
  }
}

}  // namespace ymir
