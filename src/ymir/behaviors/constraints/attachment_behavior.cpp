#include "ymir/behaviors/constraints/attachment_behavior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "ymir/actions/attachment_set.h"
#include "ymir/actions/elastic_rod.h"
#include "ymir/actions/mesh_attachment.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/objects/super_helix_object.h"

namespace ymir {

Schema<AttachmentBehavior::Link> AttachmentBehavior::Link::schema() {
  return Schema<Link>("network", "One attachment, given explicitly.")
      .param(&Link::source_strand, "source_strand",
             "Strand, particle or body that is held, as the input counts it, from 0; a solid or a cloth is body 0.")
      .at_least(0)
      .param(&Link::source_vertex, "source_vertex",
             "Of a strand or a rigid body its vertex, of cloth and solids their node.")
      .at_least(0)
      .param(&Link::target, "target",
             "Triangle of the surface (its centre), or strand, particle or body of the target.")
      .at_least(0)
      .param(&Link::target_vertex, "target_vertex", "Vertex or node of the target, as source_vertex.")
      .at_least(0);
}

Schema<AttachmentBehavior::Params> AttachmentBehavior::schema() {
  return Schema<Params>("attachment",
                        "Holds points of strands, particles, solids, cloth and rigid bodies to an animated surface or "
                        "to each other.")
      .category(Category::constraint)
      .example("examples/ponytail.yaml")
      .param(&Params::surface, "surface", "Input with the surface to hold on to; it may move.")
      .accepts({InputKind::surface})
      .param(&Params::strands, "strands", "Instead of a surface: group whose strands are the targets.")
      .param(&Params::particles, "particles", "Instead of a surface: group whose particles are the targets.")
      .param(&Params::solids, "solids",
             "Instead of a surface: group whose solids, cloth, rigid bodies and plants are the targets.")
      .param(&Params::points, "points", "Which points of the strands in scope are held; of particles each is.")
      .enumerated<SourcePoints>(
          {{"roots", SourcePoints::roots}, {"tips", SourcePoints::tips}, {"all", SourcePoints::all}})
      .only_when("emission", {"closest", "within_range"})
      .acts_on({ActsOn::strands})
      .param(&Params::emission, "emission",
             "closest: each to the nearest point of the target; within_range: to every near edge or triangle; network: "
             "as listed.")
      .enumerated<EmissionKind>({{"closest", EmissionKind::closest},
                                 {"within_range", EmissionKind::within_range},
                                 {"network", EmissionKind::network}})
      .param(&Params::range, "range", unit::m,
             "Farthest distance at which an attachment is made; needed with strands:, particles: and solids:, and for "
             "solids, cloth and rigid bodies, whose nodes or vertices that near are held.")
      .positive()
      .only_when("emission", {"closest", "within_range"})
      .param(&Params::every_step, "every_step",
             "Attachments are made anew in every substep instead of once, at the beginning.")
      .only_when("emission", {"closest", "within_range"})
      .param(&Params::network, "network", Link::schema(), "Explicit attachments.")
      .only_when("emission", {"network"})
      .param(
          &Params::hard, "hard",
          "Held exactly: roots of clamped strands follow a surface, or the skin of a solid, in place and orientation, "
          "nodes of solids in place; all else is joined by multipliers. Otherwise by the stiffnesses below.")
      .param(
          &Params::flexibility, "flexibility", unit::none,
          "0 keeps the place relative to the target's frame (of a particle: that of the world), 1 the distance alone.")
      .range(0, 1)
      .param(&Params::normal_stiffness, "normal_stiffness", unit::newton_per_m, "Along the attachment: force 2 k C.")
      .at_least(0)
      .only_when("hard", {"false"})
      .param(&Params::tangent_stiffness, "tangent_stiffness", unit::newton_per_m, "Across it.")
      .at_least(0)
      .only_when("hard", {"false"})
      .param(&Params::orientation_stiffness, "orientation_stiffness", unit::joule,
             "Of the three axes of the source's frame (for strands: tangent and the two material directions).")
      .at_least(0)
      .only_when("hard", {"false"})
      .param(&Params::attachment_relaxation_time, "attachment_relaxation_time", unit::s,
             "Rayleigh damping of a soft attachment.")
      .at_least(0)
      .renamed_from("relaxation_time")
      .only_when("hard", {"false"});
}

namespace {

Error mistake(const Scope& scope, const std::string& what) {
  return Error(ExitCode::bad_input, scope.path() + ": " + what);
}

// Roots that the strands' own object holds in space cannot follow anything softly.
void warn_of_clamped_roots(Scope& scope, const RootedStrands& strands, const std::string& path,
                           const AttachmentBehavior::Params& p) {
  if (p.hard || p.points != SourcePoints::roots || p.emission == EmissionKind::network || !strands.clamped()) return;
  scope.warn(
      fmt::format("has no effect on {}: its roots are clamped where they are; set `clamp_roots: false` there, or "
                  "`hard: true` here",
                  path));
}

// Roots lie on the skin, or a little below it. Farther away they were meant for another surface, or another place.
constexpr double far_root = 0.01;  // [m]

void warn_of_far_roots(Scope& scope, const std::vector<double>& gaps, const std::string& surface) {
  const auto count = std::count_if(gaps.begin(), gaps.end(), [](double gap) { return gap > far_root; });
  if (count == 0) return;
  const auto farthest = std::max_element(gaps.begin(), gaps.end());
  scope.warn(
      fmt::format("{} of {} roots are more than {:g} cm from '{}' at time 0 (strand {}: {:.3g} m) and will be held "
                  "at that distance; bring groom and surface to the same place and scale",
                  count, gaps.size(), far_root * 100, surface, farthest - gaps.begin(), *farthest));
}

// Nodes that an earlier attachment holds exactly cannot follow this one too.
void refuse_shared_nodes(const Scope& scope, const MeshObject& object) {
  const MeshObject::NodeMotion& last = object.motions().back();
  for (const MeshObject::NodeMotion& before : object.motions()) {
    if (&before == &last) continue;
    std::vector<std::int32_t> both;
    std::set_intersection(before.nodes.begin(), before.nodes.end(), last.nodes.begin(), last.nodes.end(),
                          std::back_inserter(both));
    if (both.empty()) continue;
    const Vec3d at = object.start()[static_cast<std::size_t>(both.front())];
    throw Error(ExitCode::bad_input,
                fmt::format("{}: holds {} of its {} nodes of {} that {} holds already, such as node {} at [{:.3g}, "
                            "{:.3g}, {:.3g}] m, and a node can follow one of them alone; shorten the `range:` of one, "
                            "or leave one out",
                            scope.path(), both.size(), last.nodes.size(), object.path(), before.owner, both.front(),
                            at.x, at.y, at.z));
  }
}

// Three points in a line that keep all their distances exactly: to first order one distance follows from the others,
// and nothing but an infinite force keeps them from bending.
void warn_of_points_in_line(Scope& scope, const std::vector<SolidObject*>& objects) {
  constexpr double straight = 1e-6;  // sine of the angle
  using Point = std::tuple<const SolidObject*, std::int64_t, std::int32_t, double, double, double>;
  const auto key = [](const MaterialPoint& p) {
    return Point{p.object, p.piece, p.cell, p.weights.x, p.weights.y, p.weights.z};
  };
  std::map<std::pair<const SolidObject*, std::int64_t>, PieceShape> shapes;
  for (SolidObject* object : objects)
    for (PieceShape& shape : object->input_shapes()) shapes.emplace(std::pair(object, shape.piece), std::move(shape));
  std::map<Point, Vec3d> places;
  std::map<Point, std::set<Point>> joined;
  for (const auto& coupling : scope.solids().couplings())
    for (std::size_t e = 0; coupling->owner() == scope.path() && e < coupling->size(); ++e) {
      const MaterialPoint ends[2] = {coupling->point(e, 0), coupling->point(e, 1)};
      for (int end = 0; end < 2; ++end) {
        const auto shape = shapes.find({ends[end].object, ends[end].piece});
        if (shape == shapes.end()) return;
        places[key(ends[end])] = ends[end].object->point_of(shape->second, ends[end]).position;
        joined[key(ends[end])].insert(key(ends[1 - end]));
      }
    }
  for (const auto& [a, others] : joined)
    for (const Point& b : others)
      for (const Point& c : others) {
        if (!(b < c) || !joined[b].contains(c)) continue;
        const Vec3d ab = places[b] - places[a], ac = places[c] - places[a];
        if (norm(cross(ab, ac)) > straight * norm(ab) * norm(ac)) continue;
        scope.warn(fmt::format(
            "pieces {}, {} and {} lie in a line and keep all three of their distances exactly, so that no force "
            "can bend them and solves fail; leave one attachment out, or use `hard: false`",
            std::get<1>(a), std::get<1>(b), std::get<1>(c)));
        return;
      }
}

// Strands whose edges keep their lengths and whose every vertex is held exactly have more conditions than freedom, and
// no solve ends where targets deform.
void refuse_overheld_strands(Scope& scope, const CurvesObject& curves) {
  if (!is_inextensible(curves)) return;
  std::map<std::int64_t, std::set<std::int64_t>> held;  // vertices by strand
  for (const auto& coupling : scope.solids().couplings())
    for (std::size_t e = 0; coupling->owner() == scope.path() && e < coupling->size(); ++e)
      for (int end = 0; end < 2; ++end) {
        const MaterialPoint p = coupling->point(e, end);
        const double along = p.cell + p.weights.x;
        if (dynamic_cast<const CurvesObject*>(p.object) == &curves && along == std::round(along))
          held[p.piece].insert(std::llround(along));
      }
  const std::vector<std::int64_t>& first = curves.curves().first;
  const auto all = std::count_if(held.begin(), held.end(), [&](const auto& strand) {
    const auto s = static_cast<std::size_t>(strand.first);
    return static_cast<std::int64_t>(strand.second.size()) == first[s + 1] - first[s];
  });
  if (all > 0)
    throw mistake(scope,
                  fmt::format("holds every vertex of {} strand{} of {} exactly, whose edges keep their length "
                              "exactly too: both cannot be where targets deform. Hold their roots or tips alone "
                              "(`points:`), let them give (`hard: false`), or use `inextensible: false` in their "
                              "elastic_rod",
                              all, all == 1 ? "" : "s", curves.path()));
}

// A metre of steel across a square metre has 2e11 N/m. Beside far stiffer springs, what bodies do themselves is lost in
// round-off, and solves do not end.
constexpr double stiffest = 1e12;  // [N/m]

AttachmentResponse response_of(const AttachmentBehavior::Params& p) {
  return {p.flexibility,
          std::min(p.normal_stiffness.value, stiffest),
          std::min(p.tangent_stiffness.value, stiffest),
          p.orientation_stiffness,
          p.attachment_relaxation_time,
          p.hard};
}

void warn_of_stiffness(Scope& scope, const AttachmentBehavior::Params& p) {
  const double most = std::max(p.normal_stiffness.value, p.tangent_stiffness.value);
  if (!p.hard && most > stiffest)
    scope.warn(
        fmt::format("a stiffness of {:g} N/m is beyond what can be computed with; {:g} N/m is taken. Hold it "
                    "exactly with `hard: true`, or give less",
                    most, stiffest));
}

}  // namespace

EmissionRule AttachmentBehavior::rule(const Scope& scope) const {
  EmissionRule rule{params_.points, params_.emission, params_.range.value_or(0), params_.every_step, {}};
  for (const Link& link : params_.network)
    rule.network.push_back({link.source_strand, link.source_vertex, link.target, link.target_vertex});
  if (rule.kind == EmissionKind::network && rule.network.empty())
    throw mistake(scope, "emission: network needs `network:`, a list");
  if (rule.kind == EmissionKind::within_range && !params_.range)
    throw mistake(scope, "emission: within_range needs `range:`");
  return rule;
}

void AttachmentBehavior::create(Scope& scope) {
  const bool helices = !scope.super_helix_objects().empty();
  const bool strands = !scope.curves_objects().empty() || helices, particles = !scope.particle_objects().empty();
  const bool meshes = !scope.mesh_objects().empty(), rigid = !scope.rigid_objects().empty();
  if (!strands && !particles && !meshes && !rigid) return;
  if ((params_.surface.empty() ? 0 : 1) + (params_.strands.empty() ? 0 : 1) + (params_.particles.empty() ? 0 : 1) +
          (params_.solids.empty() ? 0 : 1) !=
      1)
    throw mistake(scope, "give either `surface:`, an input, or `strands:`, `particles:` or `solids:`, a group");
  warn_of_stiffness(scope, params_);
  const EmissionRule rule = this->rule(scope);
  if (strands && particles && rule.kind == EmissionKind::network)
    throw mistake(scope,
                  "a network holds either strands or particles; put the attachment into the group of one of them");
  if ((particles || !params_.particles.empty()) && norm(params_.orientation_stiffness.value) > 0)
    throw mistake(scope, "particles have no orientation; leave out orientation_stiffness");
  if (params_.surface.empty()) {
    // The objects of another group may not exist yet.
    scope.after_objects([this, &scope, rule] { attach_to_objects(scope, rule); });
    return;
  }
  if (meshes || rigid) attach_solids(scope, rule);
  if (strands || particles) attach_to_surface(scope, rule);
}

std::vector<Behavior::Unused> AttachmentBehavior::unused(ActsOn kind) const {
  const bool strands = kind == ActsOn::strands;
  std::vector<Unused> found;
  if (!strands || !params_.particles.empty())
    found.push_back({"orientation_stiffness", "particles have no orientation"});
  if (!params_.hard) return found;
  for (const char* channel :
       {"normal_stiffness", "tangent_stiffness", "orientation_stiffness", "attachment_relaxation_time"})
    found.push_back({channel, "the attachment is exact; set `hard: false` to soften it"});
  if (strands && !params_.surface.empty())
    found.push_back({"flexibility", "the attachment is exact; set `hard: false` to soften it"});
  return found;
}

void AttachmentBehavior::attach_solids(Scope& scope, const EmissionRule& rule) const {
  if (!params_.range && rule.kind != EmissionKind::network)
    throw mistake(scope, "attachment of solids needs `range:`; nodes that near the surface are held");
  const auto surface = std::make_shared<const AnimatedSurface>(scope.animated_surface(params_.surface));
  if (surface->rest().triangles.empty()) throw mistake(scope, "the surface has no triangles");
  const auto far = [&](const std::string& path, const std::vector<Vec3d>& points, const char* kind) {
    Surface begin = surface->rest();
    surface->pose(0, begin.positions);
    const TriangleBvh bvh(begin);
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3d& x : points) nearest = std::min(nearest, bvh.closest(x).distance);
    scope.warn(
        fmt::format("holds nothing of {}: no {} is within {:g} m of '{}' at time 0, the nearest is {:.3g} m away; "
                    "enlarge `range:`",
                    path, kind, *params_.range, params_.surface.name, nearest));
  };
  const auto coupled = [&](SolidObject& object, const std::vector<Vec3d>& points) {
    const std::size_t held =
        add_surface_attachments(scope.solids(), scope.path(), object, response_of(params_), rule, surface);
    if (held == 0 && !rule.every_step) far(object.name(), points, "point");
  };
  for (RigidObject* object : scope.rigid_objects()) coupled(*object, object->surface().positions);
  // Soft, or changing, or listed: as everything else. Otherwise the nodes are no longer unknowns.
  const bool exact = params_.hard && rule.kind == EmissionKind::closest && !rule.every_step;
  for (MeshObject* object : scope.mesh_objects())
    if (!exact)
      coupled(*object, object->start());
    else if (attach_nodes(*object, scope.path(), surface, *params_.range) == 0)
      far(object->path(), object->start(), "node");
    else
      refuse_shared_nodes(scope, *object);
}

void AttachmentBehavior::attach_to_objects(Scope& scope, const EmissionRule& rule) const {
  const auto particles = scope.particle_objects();
  const auto curves = scope.curves_objects();
  std::vector<SolidObject*> sources, targets;
  if (!params_.strands.empty()) {
    for (CurvesObject* object : scope.curves_objects_of(params_.strands)) targets.push_back(object);
    for (SuperHelixObject* object : scope.super_helix_objects_of(params_.strands)) targets.push_back(object);
    if (targets.empty()) throw mistake(scope, "the group of `strands:` has no curves_object or super_helix_object");
  } else if (!params_.particles.empty()) {
    for (ParticleObject* object : scope.particle_objects_of(params_.particles)) targets.push_back(object);
    if (targets.empty()) throw mistake(scope, "the group of `particles:` has no particle_object");
  } else {
    for (MeshObject* object : scope.mesh_objects_of(params_.solids)) targets.push_back(object);
    for (RigidObject* object : scope.rigid_objects_of(params_.solids)) targets.push_back(object);
    for (ForceTarget* object : scope.force_targets_of(params_.solids))
      if (auto* plants = dynamic_cast<ElastonObject*>(object)) targets.push_back(plants);
    if (targets.empty())
      throw mistake(scope, "the group of `solids:` has no solid_object, cloth_object, rigid_object or elaston_object");
  }
  if (rule.kind != EmissionKind::network && !params_.range)
    throw mistake(scope, "attachment to strands, particles or solids needs `range:`");
  const bool rooted = !params_.solids.empty() && params_.hard && params_.points == SourcePoints::roots &&
                      rule.kind == EmissionKind::closest && !rule.every_step;
  const auto helices = scope.super_helix_objects();
  for (const CurvesObject* object : curves) warn_of_clamped_roots(scope, *object, object->path(), params_);
  for (const SuperHelixObject* object : helices) warn_of_clamped_roots(scope, *object, object->path(), params_);
  if (rooted && !(curves.empty() && helices.empty())) {
    root_in(scope, targets);
  } else {
    sources.insert(sources.end(), curves.begin(), curves.end());
    sources.insert(sources.end(), helices.begin(), helices.end());
  }
  for (ParticleObject* object : particles) sources.push_back(object);
  for (MeshObject* object : scope.mesh_objects()) sources.push_back(object);
  for (RigidObject* object : scope.rigid_objects()) sources.push_back(object);
  if (sources.empty()) return;
  const std::size_t held = add_attachments(scope.solids(), scope.path(), sources, targets, response_of(params_), rule);
  if (params_.hard && params_.flexibility.value < 1)
    for (const CurvesObject* object : curves)
      scope.after_all([&scope, object] { refuse_overheld_strands(scope, *object); });
  if (params_.hard && params_.flexibility.value == 1 && !rule.every_step) {
    std::vector<SolidObject*> objects = sources;
    objects.insert(objects.end(), targets.begin(), targets.end());
    warn_of_points_in_line(scope, objects);
  }
  if (held == 0 && !rule.every_step)
    scope.warn(
        fmt::format("holds nothing: no point of what is in scope is within {:g} m of the targets when everything "
                    "begins; enlarge `range:`",
                    params_.range.value_or(0)));
}

// Roots of strands in the skin of solids, in place and orientation.
void AttachmentBehavior::root_in(Scope& scope, const std::vector<SolidObject*>& targets) const {
  if (params_.flexibility > 0)
    throw mistake(scope,
                  "flexibility: has no effect on roots that are held exactly; leave it out, or use `hard: false`");
  const auto root = [&](auto& strands) {
    const std::size_t held = attach_roots(scope.solids(), scope.path(), strands, targets, *params_.range);
    const std::size_t all = strands.input_strands();
    if (held < all)
      scope.warn(
          fmt::format("{} of {} roots of {} are farther than {:g} m from the solids and are not held; enlarge "
                      "`range:`, or bring groom and solids to the same place",
                      all - held, all, strands.path(), *params_.range));
  };
  for (CurvesObject* curves : scope.curves_objects()) root(*curves);
  for (SuperHelixObject* helices : scope.super_helix_objects()) root(*helices);
}

void AttachmentBehavior::attach_to_surface(Scope& scope, const EmissionRule& rule) const {
  const auto surface = std::make_shared<const AnimatedSurface>(scope.animated_surface(params_.surface));
  if (surface->rest().triangles.empty()) throw mistake(scope, "the surface has no triangles");
  const AttachmentResponse response = response_of(params_);
  for (ParticleObject* particles : scope.particle_objects())
    add_surface_attachments(scope.solids(), scope.path(), *particles, response, rule, surface);
  const auto attach = [&](auto& strands, auto&& softly) {
    if (params_.hard &&
        (params_.points != SourcePoints::roots || params_.emission != EmissionKind::closest || params_.every_step))
      throw mistake(scope,
                    "hard attachment of strands to a surface is for roots, closest, once; use `hard: false` with "
                    "stiffnesses otherwise");
    if (params_.hard && (params_.flexibility > 0 || params_.range))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}.{}: has no effect on roots of strands that a surface holds exactly; leave it out, or "
                              "use `hard: false`",
                              scope.path(), params_.range ? "range" : "flexibility"));
    if (params_.hard && !strands.clamped())
      throw mistake(scope, "hard attachment of roots needs clamp_roots: true in the object of the strands");
    if (params_.hard)
      warn_of_far_roots(scope, attach_roots(strands, scope.path(), surface), params_.surface.name);
    else
      softly();
    warn_of_clamped_roots(scope, strands, strands.path(), params_);
  };
  for (CurvesObject* curves : scope.curves_objects())
    attach(*curves, [&] { add_surface_attachments(*curves, scope.path(), response, rule, surface); });
  for (SuperHelixObject* helices : scope.super_helix_objects())
    attach(*helices, [&] { add_surface_attachments(scope.solids(), scope.path(), *helices, response, rule, surface); });
}

}  // namespace ymir
