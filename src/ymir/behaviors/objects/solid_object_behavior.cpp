#include "ymir/behaviors/objects/solid_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/behaviors/scope.h"
#include "ymir/data/lattice.h"

namespace ymir {
namespace {

// Cells along the longest side, unless the user says otherwise; and cells of the box around the surface, at most.
constexpr double cells_along = 16;
constexpr std::size_t most_cells = 2'000'000;

}  // namespace

Schema<SolidObjectBehavior::Params> SolidObjectBehavior::schema() {
  return Schema<Params>("solid_object", "A soft body: a closed surface filled with cells that deform.")
      .category(Category::object)
      .example("examples/jelly.yaml")
      .param(
          &Params::surface, "surface",
          "Input with the surface of the body in its rest shape, closed; it is shown, and moves with the cells around "
          "it.")
      .accepts({InputKind::surface})
      .required()
      .param(&Params::cell, "cell", unit::m, "Edge of the cubes that fill it; 1/16 of its longest side when absent.")
      .positive()
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the material.")
      .positive()
      .param(&Params::tolerance, "tolerance", unit::none,
             "Newton stops when residuals move no node by more than this part of an edge.")
      .range(1e-12, 0.1)
      .advanced()
      .param(&Params::newton_iterations, "newton_iterations",
             "Newton iterations per substep, at most; a substep that needs more is halved.")
      .range(1, 1000)
      .advanced();
}

void SolidObjectBehavior::create(Scope& scope) {
  const Surface surface = scope.surface(params_.surface);
  const Vec3d size = bounds(surface.positions).size();
  const double longest = std::max({size.x, size.y, size.z});
  const std::string name = fmt::format("{}: {}", scope.path(), params_.surface.name);
  SolidMesh mesh = lattice_of(surface, params_.cell.value_or(longest / cells_along), name, most_cells);
  MeshObject::Description d;
  d.density = params_.density;
  d.newton = {params_.tolerance, static_cast<int>(params_.newton_iterations)};
  if (longest > 0) scope.ask_bucket_size(longest);
  SolidSystem& solids = scope.solids();
  solids.add(
      scope.add_object(std::make_unique<MeshObject>(scope.path(), scope.group(), scope.domain(), d, std::move(mesh))));
}

}  // namespace ymir
