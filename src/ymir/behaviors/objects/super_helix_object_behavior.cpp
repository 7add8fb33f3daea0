#include "ymir/behaviors/objects/super_helix_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/log.h"
#include "ymir/behaviors/scope.h"
#include "ymir/objects/super_helix_object.h"

namespace ymir {
namespace {

// Of the length of a strand; what is farther from its groom is worth a warning.
constexpr double far_from_groom = 0.02;

}  // namespace

Schema<SuperHelixObjectBehavior::Params> SuperHelixObjectBehavior::schema() {
  return Schema<Params>("super_helix_object",
                        "Strands that cannot stretch, each a chain of a few helical elements: hair with curls, in "
                        "reduced coordinates.")
      .category(Category::object)
      .example("examples/super_helix.yaml")
      .param(&Params::curves, "curves", "Input with the strands; the helices nearest to them are their natural shape.")
      .accepts({InputKind::curves})
      .required()
      .param(&Params::elements, "elements",
             "Helical elements of each strand, three degrees of freedom each; 14 at most where roots are free.")
      .range(1, SuperHelix::max_elements)
      .param(&Params::vertices, "vertices", "Vertices of each strand in frames, evenly along it.")
      .range(2, 10000)
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the material.")
      .positive()
      .param(&Params::radius, "radius", unit::m, "Radius of a strand; of a flat one, along its wider side.")
      .positive()
      .param(&Params::flattening, "flattening", unit::none, "Narrow by wide side of the elliptical cross-section.")
      .range(0.01, 1)
      .param(&Params::youngs_modulus, "youngs_modulus", unit::pascal, "Stiffness against bending.")
      .positive()
      .param(&Params::shear_modulus, "shear_modulus", unit::pascal, "Stiffness against twist.")
      .positive()
      .param(&Params::relaxation_time, "relaxation_time", unit::s,
             "Rayleigh damping of bending and twist: forces of strain rates by those of strains.")
      .at_least(0)
      .param(&Params::clamp_roots, "clamp_roots",
             "The root of every strand is held, in place and orientation; otherwise strands are free.")
      .param(&Params::points, "points",
             "Points of integration per element, where mass, forces and contact are; 0: 4, and more where elements "
             "wind.")
      .range(0, SuperHelixObject::most_points)
      .advanced()
      .param(&Params::tolerance, "tolerance", unit::none,
             "Newton stops when residuals turn no element by more than this [rad].")
      .range(1e-13, 0.1)
      .advanced()
      .param(&Params::newton_iterations, "newton_iterations",
             "Newton iterations per strand, at most; a strand that needs more is advanced in smaller steps of its own.")
      .range(1, 1000)
      .advanced();
}

void SuperHelixObjectBehavior::create(Scope& scope) {
  SuperHelixObject::Description d;
  d.elements = static_cast<int>(params_.elements);
  d.vertices = static_cast<int>(params_.vertices);
  d.points = static_cast<int>(params_.points);
  d.density = params_.density;
  d.radius = params_.radius;
  d.flattening = params_.flattening;
  d.youngs_modulus = params_.youngs_modulus;
  d.shear_modulus = params_.shear_modulus;
  d.relaxation_time = params_.relaxation_time;
  d.clamped = params_.clamp_roots;
  d.newton = {params_.tolerance, static_cast<int>(params_.newton_iterations)};
  const Curves curves = scope.curves(params_.curves);
  const Vec3d extent = bounds(curves.positions).size();
  // Eight buckets along the longest side to begin with; the simulation adapts them.
  const double longest = std::max({extent.x, extent.y, extent.z});
  if (longest > 0) scope.ask_bucket_size(longest / 8);
  auto& object = scope.add_object(std::make_unique<SuperHelixObject>(scope.path(), scope.group(), scope.domain(), d));
  object.set_curves(curves);
  const double error = object.fit_error();
  if (scope.domain().communicator().root())
    log::info(fmt::format("{}: helices are within {:.2g} % of the length of their strands, {} points per element",
                          scope.path(), 100 * error, object.gauss().count));
  if (error > far_from_groom)
    scope.warn(
        fmt::format("helices come no nearer to the strands of '{}' than {:.2g} % of their length; give more "
                    "`elements:`",
                    params_.curves.name, 100 * error));
}

}  // namespace ymir
