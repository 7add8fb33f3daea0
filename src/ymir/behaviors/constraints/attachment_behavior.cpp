#include "ymir/behaviors/constraints/attachment_behavior.h"

#include "ymir/actions/attachment_set.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<AttachmentBehavior::Link> AttachmentBehavior::Link::schema() {
  return Schema<Link>("network", "One attachment, given explicitly.")
      .param(&Link::source_strand, "source_strand", "Strand that is held, counted from 0.")
      .at_least(0)
      .param(&Link::source_vertex, "source_vertex", "Its vertex.")
      .at_least(0)
      .param(&Link::target, "target", "Triangle of the surface (its centre), or strand of the target.")
      .at_least(0)
      .param(&Link::target_vertex, "target_vertex", "Vertex of the target strand.")
      .at_least(0);
}

Schema<AttachmentBehavior::Params> AttachmentBehavior::schema() {
  return Schema<Params>("attachment", "Holds points of strands to an animated surface or to other strands.")
      .category(Category::constraint)
      .example("examples/ponytail.yaml")
      .param(&Params::surface, "surface", "Input with the surface to hold on to; it may move.")
      .accepts({InputKind::surface})
      .param(&Params::strands, "strands", "Instead of a surface: group whose strands are the targets.")
      .param(&Params::points, "points", "Which points of the strands in scope are held.")
      .enumerated<SourcePoints>(
          {{"roots", SourcePoints::roots}, {"tips", SourcePoints::tips}, {"all", SourcePoints::all}})
      .param(&Params::emission, "emission",
             "closest: each to the nearest point of the target; within_range: to every near edge or triangle; network: "
             "as listed.")
      .enumerated<EmissionKind>({{"closest", EmissionKind::closest},
                                 {"within_range", EmissionKind::within_range},
                                 {"network", EmissionKind::network}})
      .param(&Params::range, "range", unit::m, "Farthest distance at which an attachment is made.")
      .positive()
      .param(&Params::every_step, "every_step", "Attachments are made anew in every substep instead of once.")
      .param(&Params::network, "network", Link::schema(), "Explicit attachments, for emission: network.")
      .param(
          &Params::hard, "hard",
          "Held exactly: roots of clamped strands follow the surface in place and orientation, strands are joined by "
          "multipliers. Otherwise by the stiffnesses below.")
      .param(&Params::flexibility, "flexibility", unit::none,
             "0 keeps the place relative to the target's frame, 1 the distance alone.")
      .range(0, 1)
      .param(&Params::normal_stiffness, "normal_stiffness", unit::newton_per_m, "Along the attachment: force 2 k C.")
      .at_least(0)
      .param(&Params::tangent_stiffness, "tangent_stiffness", unit::newton_per_m, "Across it.")
      .at_least(0)
      .param(&Params::orientation_stiffness, "orientation_stiffness", unit::joule,
             "Of the three axes of the source's frame (for strands: tangent and the two material directions).")
      .at_least(0)
      .param(&Params::relaxation_time, "relaxation_time", unit::s, "Rayleigh damping of a soft attachment.")
      .at_least(0);
}

void AttachmentBehavior::create(Scope& scope) {
  const std::vector<CurvesObject*> sources = scope.curves_objects();
  if (sources.empty()) return;
  const auto fail = [&](const char* what) { return Error(ExitCode::bad_input, scope.path() + ": " + what); };
  if (params_.surface.empty() == params_.strands.empty())
    throw fail("give either `surface:`, an input, or `strands:`, a group");
  EmissionRule rule{params_.points, params_.emission, params_.range.value_or(0), params_.every_step, {}};
  for (const Link& link : params_.network)
    rule.network.push_back({link.source_strand, link.source_vertex, link.target, link.target_vertex});
  if (rule.kind == EmissionKind::network && rule.network.empty())
    throw fail("emission: network needs `network:`, a list");
  if (rule.kind == EmissionKind::within_range && !params_.range) throw fail("emission: within_range needs `range:`");
  if (rule.kind == EmissionKind::network && rule.every_step) throw fail("a network is made once; leave out every_step");
  AttachmentResponse response;
  response.flexibility = params_.flexibility;
  response.normal_stiffness = params_.normal_stiffness;
  response.tangent_stiffness = params_.tangent_stiffness;
  response.orientation_stiffness = params_.orientation_stiffness;
  response.relaxation_time = params_.relaxation_time;
  response.hard = params_.hard;

  if (!params_.strands.empty()) {
    const std::vector<CurvesObject*> targets = scope.curves_objects_of(params_.strands);
    if (targets.empty()) throw fail("the group of `strands:` has no curves_object");
    if (rule.kind == EmissionKind::closest && !params_.range) throw fail("attachment to strands needs `range:`");
    add_strand_attachments(sources, targets, response, rule);
    return;
  }
  const auto surface = std::make_shared<const AnimatedSurface>(scope.animated_surface(params_.surface));
  if (surface->rest().triangles.empty()) throw fail("the surface has no triangles");
  if (params_.hard &&
      (params_.points != SourcePoints::roots || params_.emission != EmissionKind::closest || params_.every_step))
    throw fail(
        "hard attachment to a surface is for roots, closest, once; use `hard: false` with stiffnesses otherwise");
  for (CurvesObject* curves : sources) {
    if (params_.hard && !curves->description().clamped)
      throw fail("hard attachment of roots needs clamp_roots: true in the curves_object");
    if (params_.hard)
      attach_roots(*curves, scope.path(), surface);
    else
      add_surface_attachments(*curves, scope.path(), response, rule, surface);
  }
}

}  // namespace ymir
