#include "ymir/behaviors/constraints/follow.h"

#include <fmt/format.h>

#include "ymir/actions/follow_animation.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<Follow::Params> Follow::schema() {
  return Schema<Params>("follow", "Soft bodies are pulled towards where an animation puts them.")
      .category(Category::constraint)
      .example("examples/muscle.yaml")
      .param(&Params::body, "body", "Input with the animated volume mesh, with the nodes and cells of the body.")
      .accepts({InputKind::body})
      .param(&Params::surface, "surface", "Input with the animated surface, with the vertices of the body's skin.")
      .accepts({InputKind::surface})
      .only_without({"body"})
      .param(&Params::stiffness, "stiffness", unit::newton_per_m4,
             "Force per volume and distance: gravity pulls it density * 9.81 / stiffness away from the animation.")
      .at_least(0)
      .acts_on({ActsOn::solids});
}

void Follow::create(Scope& scope) {
  const std::vector<MeshObject*> objects = scope.mesh_objects();
  if (objects.empty()) return;
  if (params_.body.empty() && params_.surface.empty())
    throw Error(ExitCode::bad_input,
                scope.path() + ": needs `body:` or `surface:`, the name of an input with the animated mesh");
  const std::string& name = params_.body.empty() ? params_.surface.name : params_.body.name;
  for (MeshObject* object : objects) {
    const bool nodes = !params_.body.empty();
    const int order = object->mesh().shape == CellShape::quadratic_tetrahedron ? 2 : 0;
    AnimatedSurface target = nodes ? scope.animated_body(params_.body, order) : scope.animated_surface(params_.surface);
    const Surface own = nodes ? Scope::nodes_of_body(object->mesh()) : object->mesh().skin;
    if (target.rest().positions.size() != own.positions.size() || target.rest().triangles != own.triangles)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: '{}' has {} {}, {} has {}, or they are connected in other ways; animate the mesh "
                              "that the body is made of",
                              scope.path(), name, target.rest().positions.size(), nodes ? "nodes" : "vertices",
                              object->path(), own.positions.size()));
    (nodes ? follow_nodes : follow_skin)(*object, scope.path(), std::move(target), params_.stiffness);
  }
}

}  // namespace ymir
