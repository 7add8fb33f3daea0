#include "ymir/behaviors/objects/curves_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/machine_memory.h"
#include "ymir/behaviors/scope.h"

namespace ymir {
namespace {

constexpr double gigabyte = 1e9;
// Of the machine's memory that strands may take.
constexpr double share_of_memory = 0.7;
// State, rest shape, material and what solving adds, per vertex.
constexpr double bytes_per_vertex = 1000;

}  // namespace

Schema<CurvesObjectBehavior::Params> CurvesObjectBehavior::schema() {
  return Schema<Params>("curves_object", "Strands from a file: hair, fur, threads, cords.")
      .category(Category::object)
      .example("examples/curls.yaml")
      .param(&Params::curves, "curves", "Input with the strands; their shape there is their natural shape.")
      .accepts({InputKind::curves})
      .required()
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the material.")
      .positive()
      .param(&Params::radius, "radius", unit::m, "Radius of a strand; of a flat one, along its wider side.")
      .positive()
      .param(&Params::flattening, "flattening", unit::none, "Narrow by wide side of the elliptical cross-section.")
      .range(0.01, 1)
      .param(&Params::clamp_roots, "clamp_roots",
             "The first vertex of every strand is held, in place and orientation; otherwise strands are free.")
      .param(
          &Params::gravity_compensation, "gravity_compensation", unit::none,
          "Adapts rest shapes so that the groom holds under gravity and other constant forces: 1 fully, 0 not at all.")
      .range(0, 1)
      .param(&Params::tolerance, "tolerance", unit::none,
             "Newton stops when residuals move no vertex by more than this part of an edge.")
      .range(1e-13, 0.1)
      .advanced()
      .param(&Params::newton_iterations, "newton_iterations",
             "Newton iterations per strand, at most; a strand that needs more is advanced in smaller steps of its own.")
      .range(1, 1000)
      .advanced();
}

void CurvesObjectBehavior::create(Scope& scope) {
  if (const std::int64_t vertices = scope.generated_vertices(params_.curves); vertices > 0) {
    const double bytes = static_cast<double>(vertices) * bytes_per_vertex, most = share_of_memory * machine_memory();
    if (bytes > most)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: {} vertices of the input '{}' need about {:.1f} GB, more than {:.0f} % of the "
                              "machine's {:.1f} GB; make fewer strands, or fewer vertices of each",
                              scope.path(), vertices, params_.curves.name, bytes / gigabyte, 100 * share_of_memory,
                              machine_memory() / gigabyte));
  }
  CurvesObject::Description d;
  d.density = params_.density;
  d.radius = params_.radius;
  d.flattening = params_.flattening;
  d.clamped = params_.clamp_roots;
  d.newton = {params_.tolerance, static_cast<int>(params_.newton_iterations)};
  d.gravity_compensation = params_.gravity_compensation;
  Curves curves = scope.curves(params_.curves);
  const Vec3d extent = bounds(curves.positions).size();
  // Eight buckets along the longest side to begin with; the simulation adapts them.
  const double longest = std::max({extent.x, extent.y, extent.z});
  if (longest > 0) scope.ask_bucket_size(longest / 8);
  auto& object = scope.add_object(std::make_unique<CurvesObject>(scope.path(), scope.group(), scope.domain(), d));
  object.set_curves(std::move(curves));
}

}  // namespace ymir
