#include "ymir/behaviors/objects/cloth_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/behaviors/materials/second_material.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/cloth_mesh.h"

namespace ymir {

Schema<ClothObjectBehavior::Params> ClothObjectBehavior::schema() {
  return Schema<Params>("cloth_object", "A cloth or thin shell: a surface whose triangles stretch and bend.")
      .category(Category::object)
      .example("examples/flag.yaml")
      .param(&Params::surface, "surface",
             "Input with the surface in its rest shape, open or closed; its vertices are what moves, so it must be as "
             "fine as the folds are to be.")
      .accepts({InputKind::surface})
      .required()
      .param(&Params::thickness, "thickness", unit::m,
             "Of the cloth; shirts: 0.2 to 0.5 mm, jeans: 1 mm, paper: 0.1 mm. Solids are kept off by half of it.")
      .range(1e-6, 1)
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the material; fabrics: 200 to 600 kg/m^3.")
      .positive()
      .acts_on({ActsOn::cloth})
      .only_without({"area_density"})
      .param(&Params::area_density, "area_density", unit::kg_per_m2,
             "Instead of the density: mass per area; shirts: 0.1 to 0.2 kg/m^2, jeans: 0.4 kg/m^2.")
      .positive()
      .param(&Params::tolerance, "tolerance", unit::none,
             "Newton stops when residuals move no vertex by more than this part of an edge.")
      .range(1e-12, 0.1)
      .advanced()
      .param(&Params::newton_iterations, "newton_iterations",
             "Newton iterations per substep, at most; a substep that needs more is halved.")
      .range(1, 1000)
      .advanced();
}

std::vector<Behavior::Unused> ClothObjectBehavior::unused(ActsOn) const {
  if (!params_.area_density) return {};
  return {{"density", "`area_density:` is given instead; leave that out"}};
}

void ClothObjectBehavior::create(Scope& scope) {
  const Surface surface = scope.surface(params_.surface);
  const Vec3d size = bounds(surface.positions).size();
  const std::string name = fmt::format("{}: {}", scope.path(), params_.surface.name);
  SolidMesh mesh = cloth_of(surface, params_.thickness, name);
  if (!mesh.warning.empty()) scope.warn(mesh.warning);
  scope.add_paintings(mesh, params_.surface);
  MeshObject::Description d;
  d.density = params_.area_density ? *params_.area_density / params_.thickness : params_.density.value;
  d.newton = {params_.tolerance, static_cast<int>(params_.newton_iterations)};
  scope.ask_bucket_size(std::max({size.x, size.y, size.z}));
  SolidSystem& solids = scope.solids();
  MeshObject& object =
      scope.add_object(std::make_unique<MeshObject>(scope.path(), scope.group(), scope.domain(), d, std::move(mesh)));
  solids.add(object);
  warn_without_material(scope, object, "elastic_shell");
}

}  // namespace ymir
