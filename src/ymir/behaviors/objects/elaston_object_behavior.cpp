#include "ymir/behaviors/objects/elaston_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/behaviors/idle_channels.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/closed_surface.h"
#include "ymir/grooms/bark.h"
#include "ymir/grooms/plant.h"
#include "ymir/grooms/polyline.h"
#include "ymir/objects/elaston_object.h"

namespace ymir {
namespace {

// Segments of the longest strand, unless the user says how long they are.
constexpr double default_segments = 16;
// Nodes beyond which setting up takes minutes and the matrix gigabytes.
constexpr double most_nodes = 200'000;
// An elaston adds a block for every pair of nodes in its reach, many in leaves: seconds of a core, by the
// square of that number, for each Newton iteration; what is worth a warning, and what to make of it.
constexpr double seconds_per_pair = 1.3e-7, slow_iteration = 1.0, fair_iteration = 0.2;
constexpr std::size_t most_samples = 200;
// Cubes around trunks, each an elaston: more take minutes for an iteration.
constexpr std::size_t most_cubes = 50'000;

// Radius of a branch by the spacing of its nodes, at most: points farther from nodes follow them badly, or not at all.
constexpr double most_radius = 2;

double largest_radius(const Curves& curves, double otherwise) {
  for (const Channels* channels : {&curves.vertices, &curves.strands})
    if (const Array* r = channels->find("radius"); r != nullptr && r->holds<double>() && r->count() > 0)
      return *std::max_element(r->as<double>().begin(), r->as<double>().end());
  return otherwise;
}

double longest_part(const Curves& curves, const Surface& trunks) {
  double longest = 0;
  for (std::size_t s = 0; s < curves.strand_count(); ++s)
    longest = std::max(longest, polyline_length(points_of(curves, s)));
  if (trunks.positions.empty()) return longest;
  const Vec3d size = bounds(trunks.positions).size();
  return std::max({longest, size.x, size.y, size.z});
}

double seconds_per_iteration(const ElastonCloud& cloud) {
  const ElastonReach reach(cloud);
  const std::size_t all = cloud.elastons.size(), stride = all / most_samples + 1;
  double pairs = 0, samples = 0;
  for (std::size_t e = 0; e < all; e += stride, ++samples) {
    const auto nodes = static_cast<double>(reach.at(cloud.elastons[e].centre, cloud.elastons[e].node).nodes.size());
    pairs += nodes * nodes;
  }
  return samples > 0 ? seconds_per_pair * pairs / samples * static_cast<double>(all) : 0;
}

}  // namespace

Schema<ElastonObjectBehavior::Params> ElastonObjectBehavior::schema() {
  return Schema<Params>(
             "elaston_object",
             "Plants: branches along curves, leaves on surfaces, trunks and fruit inside of surfaces in one elastic "
             "body, made of elastons.")
      .category(Category::object)
      .example("examples/tree.yaml")
      .param(
          &Params::curves, "curves",
          "Input with the branches, from root to tip; one that begins on another, or on a trunk, grows out of it. What "
          "is drawn inside of a trunk is cut off at its bark.")
      .accepts({InputKind::curves})
      .param(&Params::leaves, "leaves",
             "Input with the leaves; each part of the surface that hangs together is a leaf, and grows out of the "
             "branch or trunk it touches.")
      .accepts({InputKind::surface})
      .param(&Params::trunks, "trunks",
             "Input with a closed surface around what is as thick as it is wide; each part that hangs together hangs "
             "on the branch it touches, as fruit, or is a trunk, whose foot is where it is lowest in y.")
      .accepts({InputKind::surface})
      .param(&Params::radius, "radius", unit::m, "Radius of branches where the input has no channel `radius`.")
      .positive()
      .param(&Params::leaf_thickness, "leaf_thickness", unit::m, "Thickness of leaves.")
      .positive()
      .only_with({"leaves"})
      .param(&Params::spacing, "spacing", unit::m,
             "Distance of nodes. Branches bend within 2 % when it is 5 radii, within 8 % when it is 16. A sixteenth "
             "of the longest strand when absent.")
      .positive()
      .param(&Params::clamp_roots, "clamp_roots",
             "Branches that begin on no other are held at their root, in place and orientation, and trunks at their "
             "foot; otherwise plants are free.")
      .param(&Params::youngs_modulus, "youngs_modulus", unit::pascal, "Stiffness of the material.")
      .positive()
      .param(&Params::poisson_ratio, "poisson_ratio", unit::none, "Lateral contraction by extension.")
      .range(0, 0.45)
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the material.")
      .positive()
      .param(&Params::damping, "damping", unit::s,
             "Relaxation time of the strain: swinging at a frequency f decays by a damping ratio of pi f times this.")
      .at_least(0)
      .param(&Params::gravity_compensation, "gravity_compensation", unit::none,
             "Share of gravity and other constant forces that stresses inside bear where the plant begins: 1 holds its "
             "shape, 0 lets it sag. Only roots that are clamped carry it.")
      .range(0, 1)
      .param(&Params::velocity, "velocity", unit::m_per_s, "With which everything begins.")
      .param(&Params::tolerance, "tolerance", unit::none,
             "Newton stops when residuals move no node by more than this part of the spacing.")
      .range(1e-13, 0.1)
      .advanced()
      .param(&Params::newton_iterations, "newton_iterations",
             "Newton iterations per substep, at most; a substep that needs more is halved.")
      .range(1, 1000)
      .advanced();
}

double ElastonObjectBehavior::find_spacing(const Scope& scope, const Curves& curves, const Surface& trunks) const {
  double whole = 0;
  for (std::size_t s = 0; s < curves.strand_count(); ++s) whole += polyline_length(points_of(curves, s));
  const double longest = longest_part(curves, trunks);
  const double thickest = curves.strand_count() > 0 ? largest_radius(curves, params_.radius) : 0;
  const double spacing = params_.spacing.value_or(std::max(longest / default_segments, thickest / most_radius));
  if (thickest > most_radius * spacing * (1 + 1e-9))
    throw Error(ExitCode::bad_input,
                fmt::format("{}.spacing: {:g} m is too small for branches of {:g} m radius, whose bark would be out of "
                            "reach of their nodes; make it {:.2g} m or more, or let `trunks` have what is so thick",
                            scope.path(), spacing, thickest, thickest / most_radius));
  if (const double nodes = whole / spacing; nodes > most_nodes)
    throw Error(ExitCode::bad_input,
                fmt::format("{}.spacing: {:g} m makes {:.0f} nodes, more than {:.0f}; make it larger", scope.path(),
                            spacing, nodes, most_nodes));
  if (spacing > longest)
    throw Error(ExitCode::bad_input,
                fmt::format("{}.spacing: {:g} m is more than the longest strand or trunk, {:g} m; make it a few times "
                            "smaller than that",
                            scope.path(), spacing, longest));
  return spacing;
}

Curves ElastonObjectBehavior::out_of_trunks(Scope& scope, const Curves& curves, const Surface& trunks) const {
  if (trunks.triangles.empty() || !why_not_closed(trunks).empty()) return curves;
  std::size_t inside = 0;
  Curves cut = begun_at_bark(curves, trunks, inside);
  if (inside > 0)
    scope.warn(
        fmt::format("{} of {} strands of '{}' lie inside of '{}' and are left out; remove them, or let them come "
                    "out of the trunk",
                    inside, curves.strand_count(), params_.curves.name, params_.trunks.name));
  return cut;
}

ElastonCloud ElastonObjectBehavior::grow(Scope& scope, double& longest) const {
  if (params_.curves.empty() && params_.trunks.empty())
    throw Error(ExitCode::bad_input, scope.path() + ": a plant needs `curves:`, `trunks:` or both, names of inputs");
  const Curves curves = params_.curves.empty() ? Curves{} : scope.curves(params_.curves);
  const Surface trunks = params_.trunks.empty() ? Surface{} : scope.surface(params_.trunks);
  longest = longest_part(curves, trunks);
  const double spacing = find_spacing(scope, curves, trunks);
  constexpr const char* remedy = "plants take only the radius of branches; give the value in the setup, or remove it";
  const auto named = [&](const InputRef& input) { return fmt::format("{}: input '{}'", scope.path(), input.name); };
  Plant plant(spacing);
  if (!params_.curves.empty()) {
    warn_of_idle_channels(scope, {&curves.vertices, &curves.strands}, params_.curves.name, "elaston_object", "radius",
                          remedy);
    plant.add_branches(out_of_trunks(scope, curves, trunks), params_.radius, named(params_.curves));
  }
  if (!params_.trunks.empty()) {
    warn_of_idle_channels(scope, {&trunks.vertices, &trunks.faces}, params_.trunks.name, "elaston_object", "", remedy);
    plant.add_trunks(trunks, named(params_.trunks), most_cubes);
  }
  if (!params_.leaves.empty()) {
    const Surface leaves = scope.surface(params_.leaves);
    warn_of_idle_channels(scope, {&leaves.vertices, &leaves.faces}, params_.leaves.name, "elaston_object", "", remedy);
    plant.add_leaves(leaves, params_.leaf_thickness, named(params_.leaves));
  }
  ElastonCloud cloud = plant.grown(params_.clamp_roots);
  if (params_.clamp_roots && cloud.held.empty())
    scope.warn(
        fmt::format("nothing holds the plants: every strand of '{}' begins on another; begin one apart from them",
                    params_.curves.name));
  if (plant.loose() > 0)
    scope.warn(
        fmt::format("{} leaves of '{}' touch no branch or trunk and fall; move them to within half a spacing "
                    "({:g} m) of one",
                    plant.loose(), params_.leaves.name, spacing / 2));
  return cloud;
}

void ElastonObjectBehavior::create(Scope& scope) {
  double longest = 0;
  ElastonCloud cloud = grow(scope, longest);
  if (const double seconds = seconds_per_iteration(cloud); seconds > slow_iteration)
    scope.warn(fmt::format(
        "a Newton iteration will take about {:.2g} s of a core, most of it where leaves or trunks are much larger than "
        "the spacing of {:g} m; a spacing of {:.2g} m takes about {:g} s",
        seconds, cloud.spacing, cloud.spacing * std::sqrt(seconds / fair_iteration), fair_iteration));
  ElastonObject::Description d;
  d.material = {params_.youngs_modulus, params_.poisson_ratio, params_.density, params_.damping};
  d.newton = {params_.tolerance, static_cast<int>(params_.newton_iterations)};
  d.velocity = params_.velocity;
  scope.ask_bucket_size(longest);
  SolidSystem& solids = scope.solids();
  ElastonObject& plants = scope.add_object(
      std::make_unique<ElastonObject>(scope.path(), scope.group(), scope.domain(), d, std::move(cloud)));
  solids.add(plants);
  // Once it is known what pulls at the plants.
  if (params_.gravity_compensation > 0) scope.after_all([this, &scope, &plants] { compensate(scope, plants); });
}

void ElastonObjectBehavior::compensate(Scope& scope, ElastonObject& plants) const {
  if (plants.cloud().held.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}.gravity_compensation: no root is held, and what falls has no shape to keep; set "
                            "`clamp_roots: true`, or leave it out",
                            scope.path()));
  const double factor = plants.bear_load(params_.gravity_compensation);
  if (factor > 1)
    scope.warn(
        fmt::format("{} is too soft to stand as it begins, and will buckle; make youngs_modulus {} times larger, "
                    "or compensate less",
                    plants.path(), std::isfinite(factor) ? fmt::format("about {:.2g}", factor) : "a thousand"));
}

}  // namespace ymir
