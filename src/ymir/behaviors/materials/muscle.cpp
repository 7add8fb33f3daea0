#include "ymir/behaviors/materials/muscle.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/actions/muscle_fibres.h"
#include "ymir/behaviors/scope.h"
#include "ymir/behaviors/smooth_course.h"

namespace ymir {
Schema<Muscle::Key> Muscle::Key::schema() {
  return Schema<Key>("course", "How active the muscle is at a time.")
      .param(&Key::time, "time", unit::s, "When it is so.")
      .param(&Key::share, "share", unit::none, "Part of the activation: 0 slack, 1 all of it.")
      .range(0, 1);
}

Schema<Muscle::Params> Muscle::schema() {
  return Schema<Params>("muscle", "Fibres inside soft bodies pull along their direction, more or less over time.")
      .category(Category::material)
      .example("examples/muscle.yaml")
      .param(&Params::activation, "activation", unit::pascal,
             "Tension of the active fibres, per area at rest; muscles reach 100 to 300 kPa.")
      .at_least(0)
      .acts_on({ActsOn::solids})
      .param(&Params::fibre, "fibre", unit::none,
             "Direction of the fibres at rest; of a channel `fibre`, cells with none have no fibres.")
      .acts_on({ActsOn::solids})
      .param(&Params::stiffness, "stiffness", unit::pascal, "Of fibres that are longer than at rest, active or not.")
      .at_least(0)
      .param(
          &Params::course, "course", Key::schema(),
          "How the activation changes: shares in the order of their times, with a smooth course between them; always "
          "all of it when absent.");
}

void Muscle::create(Scope& scope) {
  std::vector<CourseKey> course;
  double most_share = params_.course.empty() ? 1 : 0;
  for (const Key& key : params_.course) {
    course.push_back({key.time, key.share});
    most_share = std::max(most_share, key.share);
  }
  require_increasing(course, scope.path() + ".course");
  if (!(norm(params_.fibre.value) > 0))
    throw Error(ExitCode::bad_input, scope.path() + ".fibre: has no length; give a direction such as [1, 0, 0]");
  for (MeshObject* object : scope.mesh_objects()) {
    if (object->cloth())
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: {} is cloth, which has no fibres inside; keep muscle in the group of a solid_object",
                              scope.path(), object->path()));
    add_muscle_fibres(*object, scope.path(),
                      {params_.activation, params_.stiffness, params_.fibre,
                       [course](double time) { return value_at(course, time, 1); }, most_share});
  }
}

}  // namespace ymir
