#include "ymir/behaviors/constraints/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/actions/follow_animation.h"
#include "ymir/actions/follow_groom.h"
#include "ymir/actions/follow_pose.h"
#include "ymir/behaviors/scope.h"
#include "ymir/behaviors/smooth_course.h"

namespace ymir {
namespace {

Error mistake(const Scope& scope, const std::string& what) { return Error(ExitCode::bad_input, scope.path() + what); }

// Part of its size that a body may be away from its animation when both begin.
constexpr double far_away = 1e-3;

// Largest turn of the motions of a surface within a substep of the run, summed over parts of it [rad].
double turn_per_substep(const AnimatedSurface& surface, const TimeParams& time) {
  constexpr int parts = 16;
  constexpr std::int64_t most = 100000;  // substeps that are looked at, spread over the run
  const std::int64_t all = time.frame_count() * time.substeps, looked_at = std::min(all, most);
  const double dt = time.frame_duration() / time.substeps;
  double largest = 0;
  for (std::int64_t k = 0; k < looked_at; ++k) {
    const double begin = dt * static_cast<double>(all / looked_at * k);
    Quaternion before = surface.rigid(begin).rotation;
    double turn = 0;
    for (int part = 1; part <= parts; ++part) {
      const Quaternion now = surface.rigid(begin + dt * part / parts).rotation;
      turn += norm(quaternion_log(now * conjugate(before)));
      before = now;
    }
    largest = std::max(largest, turn);
  }
  return largest;
}

// What is carried exactly has one place: another animation with weight 1 at the same time would have none.
void refuse_second_carrier(Scope& scope, const RigidObject& object, const std::function<double(double time)>& weight) {
  const TimeParams& time = scope.simulation().time_params();
  const std::int64_t last = time.frame_count() * time.substeps;
  for (const auto& constraint : object.constraints()) {
    const auto* other = dynamic_cast<const FollowsPose*>(constraint.get());
    if (other == nullptr) continue;
    for (std::int64_t k = 0; k <= last; ++k) {
      const double now = time.frame_duration() / static_cast<double>(time.substeps) * static_cast<double>(k);
      if (weight(now) == 1 && other->weight_at(now) == 1)
        throw mistake(scope, fmt::format(".weight: {} is carried by {} already at {:.3g} s, and two weights of 1 "
                                         "contradict each other; give one of them less than 1 there, by `weight:` or "
                                         "`course:`",
                                         object.path(), constraint->owner(), now));
    }
  }
}

}  // namespace

Schema<Follow::Key> Follow::Key::schema() {
  return Schema<Key>("course", "How much of the animation there is at a time.")
      .param(&Key::time, "time", unit::s, "When it is so.")
      .param(&Key::weight, "weight", unit::none, "As `weight`.")
      .range(0, 1);
}

Schema<Follow::Params> Follow::schema() {
  return Schema<Params>("follow",
                        "Soft bodies, cloth, strands and rigid bodies are pulled towards where an animation puts them; "
                        "rigid bodies may be carried by it.")
      .category(Category::constraint)
      .example("examples/muscle.yaml")
      .param(&Params::body, "body",
             "Of soft bodies: input with the animated volume mesh, with the nodes and cells of the body.")
      .accepts({InputKind::body})
      .param(
          &Params::surface, "surface",
          "Input with the animated surface: of soft bodies and cloth with the vertices of their skin, of rigid "
          "bodies with those of their surface; of strands any surface, which carries their groom along at the roots.")
      .accepts({InputKind::surface})
      .only_without({"body"})
      .param(&Params::curves, "curves",
             "Of strands: input with the groom to follow, of the same strands and vertices, which may be a sequence; "
             "the groom they begin as when absent.")
      .accepts({InputKind::curves})
      .only_without({"body"})
      .param(&Params::stiffness, "stiffness", unit::newton_per_m4,
             "Force per volume and distance: gravity pulls them density * 9.81 / stiffness away from the animation.")
      .at_least(0)
      .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
      .param(&Params::weight, "weight", unit::none,
             "0: free, 0.5: pulled with the stiffness, in general with w/(1 - w) times as much; 1: rigid bodies are "
             "carried exactly.")
      .range(0, 1)
      .only_without({"course"})
      .param(&Params::course, "course", Key::schema(),
             "How the weight changes: weights in the order of their times, with a smooth course between them. A rigid "
             "body that is let go has the velocity and spin it was carried with.");
}

void Follow::create(Scope& scope) {
  const std::vector<MeshObject*> meshes = scope.mesh_objects();
  const std::vector<CurvesObject*> strands = scope.curves_objects();
  const std::vector<RigidObject*> bodies = scope.rigid_objects();
  if (meshes.empty() && strands.empty() && bodies.empty()) return;
  if ((!meshes.empty() || !bodies.empty()) && params_.body.empty() && params_.surface.empty())
    throw mistake(scope, ": needs `body:` or `surface:`, the name of an input with the animated mesh");
  if (strands.empty() && !params_.curves.empty())
    throw mistake(scope, ".curves: there are no strands in its group or below to follow a groom; leave it out");
  std::vector<CourseKey> course;
  for (const Key& key : params_.course) course.push_back({key.time, key.weight});
  require_increasing(course, scope.path() + ".course");
  double most = params_.weight;
  for (const CourseKey& key : course) most = std::max(&key == &course.front() ? 0.0 : most, key.value);
  if (most == 1 && (!meshes.empty() || !strands.empty()))
    throw mistake(scope,
                  ": a weight of 1 carries rigid bodies alone; give soft bodies and strands less, such as 0.99, or "
                  "hold them by an `attachment`");
  const Weight weight = [course, constant = params_.weight](double time) { return value_at(course, time, constant); };
  const Weight factor = [weight](double time) {
    const double w = weight(time);
    return w / (1 - w);
  };
  for (MeshObject* object : meshes) follow_mesh(scope, *object, factor);
  for (RigidObject* object : bodies)
    if (params_.body.empty())
      follow_bodies(scope, *object, weight);
    else
      scope.warn(
          fmt::format("does not act on {}: `body:` is for soft bodies, rigid ones need `surface:`", object->path()));
  for (CurvesObject* object : strands)
    if (params_.body.empty())
      follow_curves(scope, *object, factor);
    else
      scope.warn(
          fmt::format("does not act on {}: `body:` is for soft bodies, strands need `curves:`, `surface:` or "
                      "none",
                      object->path()));
}

void Follow::follow_mesh(Scope& scope, MeshObject& object, const Weight& factor) const {
  const bool nodes = !params_.body.empty();
  const std::string& name = nodes ? params_.body.name : params_.surface.name;
  const int order = object.mesh().shape == CellShape::quadratic_tetrahedron ? 2 : 0;
  AnimatedSurface target = nodes ? scope.animated_body(params_.body, order) : scope.animated_surface(params_.surface);
  const Surface own = nodes ? Scope::nodes_of_body(object.mesh()) : object.mesh().skin;
  if (target.rest().positions.size() != own.positions.size() || target.rest().triangles != own.triangles)
    throw mistake(scope, fmt::format(": '{}' has {} {}, {} has {}, or they are connected in other ways; animate the "
                                     "mesh that the body is made of",
                                     name, target.rest().positions.size(), nodes ? "nodes" : "vertices", object.path(),
                                     own.positions.size()));
  (nodes ? follow_nodes : follow_skin)(object, scope.path(), std::move(target), params_.stiffness, factor);
}

void Follow::follow_curves(Scope& scope, CurvesObject& object, const Weight& factor) const {
  std::vector<Vec3d> shape;
  if (!params_.curves.empty()) {
    AnimatedSurface groom = scope.animated_curves(params_.curves);
    const std::vector<std::int64_t>& first = object.curves().first;
    const auto& marks = groom.rest().triangles;  // first and last vertex of each strand
    bool same = marks.size() + 1 == first.size();
    for (std::size_t s = 0; same && s < marks.size(); ++s)
      same = marks[s][0] == first[s] && marks[s][2] + 1 == first[s + 1];
    if (!same)
      throw mistake(scope, fmt::format(".curves: '{}' has {} strands with {} vertices, {} has {} with {}, or other "
                                       "numbers of vertices per strand; give the groom that the strands are made of, "
                                       "with its vertices moved",
                                       params_.curves.name, marks.size(), groom.rest().positions.size(), object.path(),
                                       first.size() - 1, first.back()));
    if (groom.deforming()) {
      if (!params_.surface.empty())
        throw mistake(scope, fmt::format(".surface: '{}' is animated by itself; leave the surface out, or name one "
                                         "file of the groom",
                                         params_.curves.name));
      follow_animated_groom(object, scope.path(), std::move(groom), params_.stiffness, factor);
      return;
    }
    shape = groom.rest().positions;
  }
  std::shared_ptr<const AnimatedSurface> surface;
  if (!params_.surface.empty()) {
    surface = std::make_shared<const AnimatedSurface>(scope.animated_surface(params_.surface));
    if (surface->moving() && object.description().clamped)
      scope.after_all([&scope, &object, name = params_.surface.name] {
        if (object.description().clamped && !object.moving_roots())
          scope.warn(
              fmt::format("the roots of {} stay where they are while '{}' carries their groom away; add "
                          "`attachment: {{surface: {}}}`",
                          object.path(), name, name));
      });
  }
  follow_groom(object, scope.path(), std::move(shape), std::move(surface), params_.stiffness, factor);
}

void Follow::follow_bodies(Scope& scope, RigidObject& object, const Weight& weight) const {
  AnimatedSurface target = scope.animated_surface(params_.surface);
  const Surface& own = object.surface();
  if (target.rest().positions.size() != own.positions.size() || target.rest().triangles != own.triangles)
    throw mistake(
        scope, fmt::format(".surface: '{}' has {} vertices, {} has {}, or they are connected in other ways; "
                           "animate the surface that the bodies are made of, all copies of it",
                           params_.surface.name, target.rest().positions.size(), object.path(), own.positions.size()));
  refuse_second_carrier(scope, object, weight);
  std::vector<Vec3d> begin;
  target.pose(0, begin);
  double away = 0;
  for (std::size_t v = 0; v < begin.size(); ++v) away = std::max(away, norm(begin[v] - own.positions[v]));
  if (weight(0) > 0 && away > far_away * norm(bounds(own.positions).size()))
    scope.warn(
        fmt::format("{} begins {:.3g} m away from where '{}' puts it at time 0, and jumps or flies there; let "
                    "both begin in one place",
                    object.path(), away, params_.surface.name));
  constexpr double most_turn = 2.8;  // as of hinges: half a turn cannot be told from half a turn back [rad]
  const TimeParams& time = scope.simulation().time_params();
  if (const double turn = turn_per_substep(target, time); turn > most_turn)
    scope.warn(
        fmt::format("'{}' turns by {:.3g} rad in a substep: {} would seem to turn less, or back, and be let go "
                    "with another spin; give `time:` at least {} substeps",
                    params_.surface.name, turn, object.path(),
                    static_cast<std::int64_t>(std::ceil(turn / most_turn * time.substeps))));
  follow_pose(object, scope.path(), std::move(target), params_.stiffness, weight);
}

}  // namespace ymir
