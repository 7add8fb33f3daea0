#include "ymir/behaviors/constraints/collider.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/actions/collider_contact.h"
#include "ymir/actions/deforming_contact.h"
#include "ymir/actions/deforming_strand_contact.h"
#include "ymir/actions/elaston_contact.h"
#include "ymir/actions/mesh_contact.h"
#include "ymir/actions/points_inside.h"
#include "ymir/actions/rigid_contact.h"
#include "ymir/actions/strand_contact.h"
#include "ymir/actions/super_helix_contact.h"
#include "ymir/base/log.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/closed_surface.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/data/signed_distance_grid.h"
#include "ymir/objects/collider_object.h"

namespace ymir {
namespace {

// Voxels along the longest side of a mesh, unless the user says otherwise.
constexpr double mesh_resolution = 96;
constexpr int sphere_rings = 48;

Vec3d rotated(Vec3d v, Vec3d angles) { return rotate(quaternion_from_angles(angles), v); }

struct Solid {
  Collider collider;
  AnimatedSurface picture;  // empty for planes: frames are drawn over a ground anyway
};

Solid analytic(const ColliderShape& shape, Surface picture) {
  return {{[shape](Vec3d x) { return signed_distance(shape, x); }}, AnimatedSurface(std::move(picture))};
}

AnimatedSurface rigid_surface(const ColliderBehavior::Params& p, Scope& scope) {
  AnimatedSurface surface = scope.animated_surface(p.surface);
  if (surface.deforming())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the input '{}' deforms, which sheets cannot; use rigid motion, one file with "
                            "`motion:`, or a closed mesh with `shape: mesh`",
                            scope.path(), p.surface.name));
  return surface;
}

// A value given to the strands that contact would not use.
void refuse_restitution(const CurvesObject& curves, const Scope& scope) {
  for (const Channels* channels : {&curves.curves().vertices, &curves.curves().strands})
    if (channels->has("restitution"))
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: {} has a `restitution` of its own, but strands do not bounce; remove that channel or "
                      "override",
                      scope.path(), curves.path()));
}

AnimatedSurface mesh_surface(const ColliderBehavior::Params& p, Scope& scope) {
  if (p.surface.empty())
    throw Error(ExitCode::bad_input,
                scope.path() + ": a collider of shape mesh needs `surface:`, the name of an input");
  return scope.animated_surface(p.surface);
}

// A room is such a mesh, and most others are a mistake.
void tell_of_turned_faces(const ColliderBehavior::Params& p, Scope& scope, const Surface& surface) {
  if (enclosed_volume(surface) < 0)
    scope.warn(
        fmt::format("the faces of the surface '{}' point inward: what is in it is kept in, and what is outside "
                    "counts as inside of the solid; turn its faces over, unless it is a room",
                    p.surface.name));
}

// Whether the grid can do it; an error where it was asked for and cannot.
bool on_grid(const ColliderBehavior::Params& p, Scope& scope, const AnimatedSurface& surface) {
  const bool still_shape = surface.rigid_only(), with_inside = closed(surface.rest());
  if (with_inside) {
    require_volume(surface.rest(), scope.path() + ": " + p.surface.name);
    tell_of_turned_faces(p, scope, surface.rest());
  }
  if (p.sampling == MeshSampling::exact) return false;
  if (p.sampling == MeshSampling::grid && !still_shape)
    throw Error(ExitCode::bad_input,
                fmt::format("{}.sampling: a grid cannot follow the input '{}', which deforms; leave `sampling:` out",
                            scope.path(), p.surface.name));
  if (p.sampling == MeshSampling::grid && !with_inside)
    throw Error(ExitCode::bad_input,
                fmt::format("{}.sampling: the surface '{}' is not closed, so a grid does not know its inside; leave "
                            "`sampling:` out, or fill the holes",
                            scope.path(), p.surface.name));
  if (p.voxel && !(still_shape && with_inside))
    throw Error(ExitCode::bad_input,
                fmt::format("{}.voxel: the surface '{}' {}, so its distance is not sampled; leave `voxel:` out",
                            scope.path(), p.surface.name, still_shape ? "is not closed" : "deforms"));
  return still_shape && with_inside;
}

// Of a point of the surface from the origin; of what has none, as planes, infinite [m].
double farthest(const Surface& surface) {
  double most = 0;
  for (const Vec3d& p : surface.positions) most = std::max(most, norm(p));
  return surface.positions.empty() ? std::numeric_limits<double>::infinity() : most;
}

constexpr double rounding = 1e-9;       // of places
constexpr double worth_telling = 1e-3;  // by which a body begins too near [m]

// Says how many points begin inside, and what becomes of them. together: contacts are solved with all others.
void tell_of_points_inside(Scope& scope, const std::function<double(Vec3d x)>& distance, double kept, bool together,
                           const std::string& particles_then, std::string strands_then) {
  const std::string let_out = "it is let out at 2 cm/s, on the side that is nearest";
  if (together) strands_then = "what is planted near held roots stays, the rest is let out at 2 cm/s";
  const auto tell = [&](const ForceTarget* object, const std::string& path, const std::string& then) {
    scope.when_placed([object, path, distance, then, communicator = &scope.domain().communicator()]() -> std::string {
      const PointsInside inside = points_inside(*object, distance, *communicator);
      if (inside.count == 0) return "";
      return fmt::format("{} of {} points of {} begin inside it, the deepest {:.3g} mm; {}", inside.count, inside.of,
                         path, inside.deepest * 1e3, then);
    });
  };
  for (const ParticleObject* particles : scope.particle_objects()) tell(particles, particles->path(), particles_then);
  for (const CurvesObject* curves : scope.curves_objects()) tell(curves, curves->path(), strands_then);
  for (const SuperHelixObject* strands : scope.super_helix_objects())
    tell(strands, strands->path(), together ? strands_then : "strands stay as deep as they begin");
  const auto tell_of_surface = [&](const std::string& path, std::function<std::vector<Vec3d>()> vertices,
                                   const std::string& then) {
    scope.when_placed([=, communicator = &scope.domain().communicator()]() -> std::string {
      PointsInside inside;
      std::int64_t near = 0;
      double nearest = kept;
      for (const Vec3d& x : vertices()) {
        const double away = distance(x);
        ++inside.of;
        if (-away > rounding * (1 + norm(x))) ++inside.count;
        if (away < kept - worth_telling) ++near;
        nearest = std::min(nearest, away);
        inside.deepest = std::max(inside.deepest, -away);
      }
      inside = {communicator->sum(inside.count), communicator->sum(inside.of), communicator->max(inside.deepest)};
      near = communicator->sum(near);
      nearest = communicator->min(nearest);
      if (inside.count == 0 && near > 0)
        return fmt::format(
            "{} of {} vertices of {} begin nearer to it than its strand_thickness of {:.3g} mm, the "
            "nearest {:.3g} mm; they are {}: move the body, or make "
            "strand_thickness smaller",
            near, inside.of, path, kept * 1e3, std::max(nearest, 0.0) * 1e3,
            together ? "moved away at 2 cm/s" : "kept as near as they begin");
      if (inside.count == 0) return "";
      return fmt::format("{} of {} vertices of {} begin inside it, the deepest {:.3g} mm; {}", inside.count, inside.of,
                         path, inside.deepest * 1e3, then);
    });
  };
  const std::string deep =
      together ? let_out : "what begins inside stays as deep, and may fall through: move the body or the collider";
  for (const MeshObject* mesh : scope.mesh_objects())
    tell_of_surface(
        mesh->path(),
        [mesh] { return mesh->element_count() > 0 ? mesh->skin(mesh->positions()) : std::vector<Vec3d>{}; }, deep);
  for (const RigidObject* bodies : scope.rigid_objects())
    tell_of_surface(
        bodies->path(), [bodies] { return bodies->surface_now(); }, deep);
  for (const ElastonObject* plants : scope.elaston_objects())
    tell_of_surface(
        plants->path(), [plants] { return plants->skin_now(); }, "they stay as deep as they begin; roots may well be");
}

Solid make_solid(const ColliderBehavior::Params& p, AnimatedSurface surface) {
  ColliderShape shape;
  switch (p.shape) {
    case SolidShape::plane:
      shape.kind = ShapeKind::plane;
      shape.plane = {p.center, normalized(rotated(p.normal, p.rotation), Vec3d{0, 1, 0})};
      return analytic(shape, {});
    case SolidShape::sphere:
      shape.kind = ShapeKind::sphere;
      shape.sphere = {p.center, p.radius, p.hollow};
      return analytic(shape, p.hollow ? Surface{} : sphere_mesh(p.center, p.radius, sphere_rings));
    case SolidShape::box: {
      shape.kind = ShapeKind::box;
      const Vec3d x = rotated({1, 0, 0}, p.rotation), y = rotated({0, 1, 0}, p.rotation),
                  z = rotated({0, 0, 1}, p.rotation);
      shape.box = {p.center, p.size * 0.5, x, y, z, 0, p.hollow};
      return analytic(shape, p.hollow ? Surface{} : box_mesh(p.center, p.size * 0.5, x, y, z));
    }
    case SolidShape::mesh:
    case SolidShape::sheet: break;
  }
  const Vec3d size = bounds(surface.rest().positions).size();
  const double voxel = p.voxel.value_or(std::max({size.x, size.y, size.z}) / mesh_resolution);
  const auto grid = std::make_shared<const SignedDistanceGrid>(surface.rest(), voxel, 3 * voxel, p.surface.name);
  return {{[grid](Vec3d x) { return grid->sample(x); }, std::sqrt(3.0), voxel}, std::move(surface)};
}

}  // namespace

Schema<ColliderBehavior::Params> ColliderBehavior::schema() {
  return with_motion(
      Schema<Params>("collider", "A solid that the objects in scope collide with.")
          .category(Category::constraint)
          .example("examples/embers.yaml")
          .param(
              &Params::shape, "shape",
              "Plane, sphere, box, a mesh that encloses something, or a sheet: a surface without thickness, which acts "
              "on gas only.")
          .enumerated<SolidShape>({{"plane", SolidShape::plane},
                                   {"sphere", SolidShape::sphere},
                                   {"box", SolidShape::box},
                                   {"mesh", SolidShape::mesh},
                                   {"sheet", SolidShape::sheet}})
          .param(&Params::center, "center", unit::m,
                 "Centre of the sphere, box or rectangular sheet; a point of the plane.")
          .only_when("shape", {"plane", "sphere", "box", "sheet"})
          .only_without({"surface"})
          .param(&Params::normal, "normal", unit::none, "Direction out of the solid.")
          .direction()
          .only_when("shape", {"plane"})
          .param(&Params::radius, "radius", unit::m, "Its radius.")
          .positive()
          .only_when("shape", {"sphere"})
          .param(&Params::size, "size", unit::m,
                 "Edges of the box; of a sheet that is a rectangle, those along x and z.")
          .positive()
          .only_when("shape", {"box", "sheet"})
          .only_without({"surface"})
          .param(&Params::rotation, "rotation", unit::radian, "Angles about x, then y, then z.")
          .only_when("shape", {"plane", "box", "sheet"})
          .only_without({"surface"})
          .param(&Params::hollow, "hollow", "Objects are kept inside instead of outside.")
          .only_when("shape", {"sphere", "box"})
          .param(&Params::surface, "surface",
                 "mesh: input with a surface, which may deform and have holes; sheet: with any that does not deform.")
          .accepts({InputKind::surface})
          .only_when("shape", {"mesh", "sheet"})
          .param(&Params::sampling, "sampling",
                 "How its distance is known. grid: sampled once, for closed meshes that move rigidly; exact: from "
                 "its triangles at every time, for fingers, ears, holes and what deforms; auto: grid where that is "
                 "possible.")
          .enumerated<MeshSampling>(
              {{"auto", MeshSampling::automatic}, {"grid", MeshSampling::grid}, {"exact", MeshSampling::exact}})
          .advanced()
          .only_when("shape", {"mesh"})
          .param(&Params::push_out, "push_out", unit::m_per_s,
                 "Speed at which what begins inside is brought out; of a mesh whose distance is exact.")
          .at_least(0)
          .advanced()
          .only_when("shape", {"mesh"})
          .only_when("sampling", {"auto", "exact"})
          .acts_on({ActsOn::particles, ActsOn::strands})
          .param(&Params::voxel, "voxel", unit::m,
                 "Spacing of its distance on a grid; 1/96 of its longest side when absent.")
          .positive()
          .advanced()
          .only_when("shape", {"mesh"})
          .only_when("sampling", {"auto", "grid"})
          .param(&Params::restitution, "restitution", unit::none,
                 "Speed after an impact by speed before. Not of particles that something else pushes, too, by "
                 "`collision`.")
          .range(0, 1)
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::particles})
          .param(&Params::friction, "friction", unit::none,
                 "Coulomb coefficient. With `response: penalty` bodies and cloth have that of the collider, whatever "
                 "their data says.")
          .at_least(0)
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::particles, ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(&Params::adhesion, "adhesion", unit::newton,
                 "Force that a contact bears before it opens: wet hair, sticky walls. Where what touches it takes part "
                 "in a `collision`, the mean of both.")
          .at_least(0)
          .only_when("response", {"exact"})
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(
              &Params::response, "response",
              "How strands, cloth, rigid and soft bodies and plants are kept out. exact: they stick and slip by "
              "Coulomb's law, "
              "solved together with all other contacts; barrier: a force that grows without bound as the gap closes, "
              "solved likewise; penalty: a force that grows in a thin layer, each by itself; "
              "with `slip_speed` a spring and smooth friction, solved with all other contacts.")
          .enumerated<ContactResponse>({{"exact", ContactResponse::exact},
                                        {"penalty", ContactResponse::penalty},
                                        {"barrier", ContactResponse::barrier}})
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(&Params::continuous, "continuous",
                 "What would pass through it within a substep is found on its way, by the speeds it has when the "
                 "substep begins. Penalties without `slip_speed` see to that by themselves.")
          .advanced()
          .only_when("response", {"exact", "barrier"})
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(&Params::slip_speed, "slip_speed", unit::m_per_s,
                 "Speed along the collider from which friction is all there; below it is less, and what rests on a "
                 "slope creeps. 1 mm/s for a barrier; for a penalty without it friction holds what rests.")
          .positive()
          .only_when("response", {"penalty", "barrier"})
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(
              &Params::activation, "activation", unit::m,
              "Gap beyond `strand_thickness` at which a barrier, or a penalty with `slip_speed`, begins to push; 0.5 "
              "mm when absent.")
          .positive()
          .only_when("response", {"penalty", "barrier"})
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(&Params::stiffness, "stiffness", unit::newton_per_m,
                 "Stiffness of a contact itself, instead of `strand_stiffness`; of a barrier, and of a penalty with "
                 "`slip_speed`.")
          .positive()
          .advanced()
          .only_when("response", {"penalty", "barrier"})
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(&Params::wall, "wall",
                 "How gas meets it: free_slip, no_slip, or non_stick (gas may leave the wall). Sheets are free_slip.")
          .enumerated<Wall>(
              {{"free_slip", Wall::free_slip}, {"no_slip", Wall::no_slip}, {"non_stick", Wall::non_stick}})
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::gas})
          .param(&Params::strand_stiffness, "strand_stiffness", unit::none,
                 "Stiffness of the force that keeps strands and solids out, by inertia: k dt^2/m of a vertex; for "
                 "solids dt counts as 1/24 s at most. Bodies and cloth have that of the collider, whatever their data "
                 "says.")
          .positive()
          .advanced()
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth})
          .param(
              &Params::strand_thickness, "strand_thickness", unit::m,
              "Distance kept between the collider and strands or solids. Bodies and cloth have that of the collider, "
              "whatever their data says.")
          .positive()
          .advanced()
          .only_when("shape", {"plane", "sphere", "box", "mesh"})
          .acts_on({ActsOn::strands, ActsOn::solids, ActsOn::cloth}),
      "Point that turns in place; `center`, or the origin of a mesh, when absent.");
}

void ColliderBehavior::create(Scope& scope) {
  if (const std::string problem = motion_problem(params_); !problem.empty())
    throw Error(ExitCode::bad_input, fmt::format("{}.motion: {}", scope.path(), problem));
  if ((params_.stiffness || params_.activation) && !together())
    throw Error(ExitCode::bad_input,
                fmt::format("{}.{}: of a penalty it counts with `slip_speed` only; give that too, or `{}` instead",
                            scope.path(), params_.stiffness ? "stiffness" : "activation",
                            params_.stiffness ? "strand_stiffness" : "strand_thickness"));
  if (params_.shape == SolidShape::sheet) return create_sheet(scope);
  AnimatedSurface surface;
  if (params_.shape == SolidShape::mesh) {
    surface = mesh_surface(params_, scope);
    if (!on_grid(params_, scope, surface)) return create_exact(scope, std::move(surface));
  }
  Solid solid = make_solid(params_, std::move(surface));
  const bool placed = params_.shape != SolidShape::mesh;
  solid.picture.add_motion(make_motion(params_, placed ? params_.center : Vec3d{0, 0, 0}));
  if (!solid.picture.motions().empty())
    solid.collider.pose = [motions = solid.picture.motions()](double time) { return pose_at(motions, time); };
  for (ParticleObject* object : scope.particle_objects())
    object->add_contact(
        collider_contact(scope.path(), solid.collider,
                         {params_.restitution, params_.friction, object->override_channel<double>("restitution"),
                          object->override_channel<double>("friction")}));
  for (const CurvesObject* curves : scope.curves_objects()) refuse_restitution(*curves, scope);
  const auto during = [collider = solid.collider, size = farthest(solid.picture.rest())](double begin, double end) {
    const RigidTransform still;
    return rigid_collider(collider.distance, collider.pose ? collider.pose(begin) : still,
                          collider.pose ? collider.pose(end) : still, size,
                          std::isfinite(collider.smallest_feature) ? collider.smallest_feature : 0);
  };
  touch_particles(scope, during);
  if (together()) {
    touch(scope, during);
  } else {
    for (CurvesObject* curves : scope.curves_objects())
      add_strand_contact(*curves, scope.path(), solid.collider,
                         {params_.strand_stiffness, params_.friction, params_.strand_thickness});
    for (MeshObject* object : scope.mesh_objects())
      add_mesh_contact(*object, scope.path(), solid_during(solid.collider),
                       {params_.strand_stiffness, params_.friction, params_.strand_thickness});
    for (RigidObject* object : scope.rigid_objects())
      add_rigid_contact(*object, scope.path(), solid_during(solid.collider),
                        {params_.strand_stiffness, params_.friction, params_.strand_thickness});
    for (SuperHelixObject* object : scope.super_helix_objects())
      add_super_helix_contact(*object, scope.path(), solid_during(solid.collider),
                              {params_.strand_stiffness, params_.friction, params_.strand_thickness});
    for (ElastonObject* object : scope.elaston_objects())
      add_elaston_contact(*object, scope.path(), solid_during(solid.collider),
                          {params_.strand_stiffness, params_.friction, params_.strand_thickness});
  }
  for (VolumeObject* gas : scope.volume_objects())
    gas->add_solid({solid.collider.distance, solid.collider.lipschitz, solid.collider.pose, params_.wall});
  tell_of_points_inside(
      scope,
      [distance = solid.collider.distance, pose = solid.collider.pose](Vec3d x) {
        return distance(pose ? pose(0).to_body(x) : x).distance;
      },
      params_.strand_thickness, together(),
      "they are put on its surface in the first substep; move them or the collider, or change its size",
      "strands stay as deep as they begin");
  if (!solid.picture.rest().triangles.empty())
    scope.add_object(std::make_unique<ColliderObject>(scope.path(), scope.group(), std::move(solid.picture),
                                                      scope.domain().communicator().root()));
}

void ColliderBehavior::touch(Scope& scope, std::function<ContactCollider(double begin, double end)> during) const {
  std::vector<SolidObject*> objects = scope.touching_objects();
  if (objects.empty()) return;
  TouchedCollider collider;
  collider.during = [during = std::move(during), thickness = params_.strand_thickness.value](double begin, double end) {
    ContactCollider c = during(begin, end);
    c.thickness = thickness;
    return c;
  };
  collider.friction = params_.friction.value;
  collider.adhesion = params_.adhesion;
  collider.objects = std::move(objects);
  collider.continuous = params_.continuous;
  collider.response = {params_.response, params_.strand_stiffness.value, params_.stiffness.value_or(0),
                       params_.activation.value_or(TouchResponse{}.activation),
                       params_.slip_speed.value_or(TouchResponse{}.slip_speed)};
  scope.solids().contacts().add_collider(std::move(collider));
}

// Those that touch others, by `collision`, are held between them and the collider, without restitution.
void ColliderBehavior::touch_particles(Scope& scope,
                                       std::function<ContactCollider(double begin, double end)> during) const {
  if (scope.particle_objects().empty()) return;
  scope.after_all([&scope, during = std::move(during), friction = params_.friction.value] {
    TouchedCollider collider{during, friction, {}, {}};
    for (ParticleObject* particles : scope.particle_objects())
      if (particles->system() != nullptr && scope.solids().contacts().families_of(*particles) != 0)
        collider.objects.push_back(particles);
    if (!collider.objects.empty()) scope.solids().contacts().add_collider(std::move(collider));
  });
}

std::vector<Behavior::Unused> ColliderBehavior::unused(ActsOn kind) const {
  const bool strands = kind == ActsOn::strands;
  std::vector<Unused> found;
  if (params_.shape == SolidShape::sheet)
    for (const char* channel : {"restitution", "friction"})
      found.push_back({channel, "a sheet acts on gas only; use a thin `shape: box` or a closed mesh"});
  if (strands && together() && params_.shape != SolidShape::sheet)
    for (const char* channel : {"strand_stiffness", "strand_thickness"})
      found.push_back({channel, params_.response == ContactResponse::exact
                                    ? "exact contact takes it from the collider; give it there, or `response: penalty`"
                                    : "contact solved with all others takes it from the collider; give it there, or "
                                      "`response: penalty` without `slip_speed`"});
  if (!strands || params_.shape == SolidShape::sheet)
    for (const char* channel : {"strand_stiffness", "strand_thickness"})
      found.push_back({channel, "it is of strands that meet a solid; give it to those"});
  if ((kind == ActsOn::solids || kind == ActsOn::cloth) && params_.shape != SolidShape::sheet && !together())
    found.push_back({"friction",
                     "soft bodies and cloth have the friction of the collider; give it there, or use "
                     "`response: exact`"});
  return found;
}

void ColliderBehavior::create_exact(Scope& scope, AnimatedSurface surface) {
  surface.add_motion(make_motion(params_));
  const bool root = scope.domain().communicator().root();
  const auto exact =
      std::make_shared<const DeformingSurface>(surface, fmt::format("{}: {}", scope.path(), params_.surface.name));
  if (const std::int64_t holes = exact->hierarchy().boundary_edges(); holes > 0)
    scope.warn(
        fmt::format("the surface '{}' is not closed, {} edges have no neighbour: inside is where its winding "
                    "number exceeds 1/2, and near its holes nothing is kept out for certain; fill the holes if "
                    "something comes near them",
                    params_.surface.name, holes));
  for (ParticleObject* object : scope.particle_objects())
    object->add_contact(
        deforming_contact(scope.path(), exact,
                          {params_.restitution, params_.friction, object->override_channel<double>("restitution"),
                           object->override_channel<double>("friction")},
                          params_.push_out));
  for (const CurvesObject* curves : scope.curves_objects()) refuse_restitution(*curves, scope);
  const Vec3d size = bounds(exact->surface().rest().positions).size();
  const auto during = [exact, depth = 0.5 * std::max({size.x, size.y, size.z})](double begin, double end) {
    return moving_collider(exact->during(begin, end), depth);
  };
  touch_particles(scope, during);
  if (together()) {
    touch(scope, during);
  } else {
    for (CurvesObject* curves : scope.curves_objects())
      add_deforming_strand_contact(*curves, scope.path(), exact,
                                   {params_.strand_stiffness, params_.friction, params_.strand_thickness},
                                   params_.push_out);
    for (MeshObject* object : scope.mesh_objects())
      add_mesh_contact(*object, scope.path(), solid_during(exact),
                       {params_.strand_stiffness, params_.friction, params_.strand_thickness});
    for (RigidObject* object : scope.rigid_objects())
      add_rigid_contact(*object, scope.path(), solid_during(exact),
                        {params_.strand_stiffness, params_.friction, params_.strand_thickness});
    for (SuperHelixObject* object : scope.super_helix_objects())
      add_super_helix_contact(*object, scope.path(), solid_during(exact),
                              {params_.strand_stiffness, params_.friction, params_.strand_thickness});
    for (ElastonObject* object : scope.elaston_objects())
      add_elaston_contact(*object, scope.path(), solid_during(exact),
                          {params_.strand_stiffness, params_.friction, params_.strand_thickness});
  }
  for (VolumeObject* gas : scope.volume_objects()) gas->add_solid({{}, 1, {}, params_.wall, exact});
  scope.add_object(std::make_unique<ColliderObject>(scope.path(), scope.group(), std::move(surface), root));
  const std::string then = fmt::format(
      "what is planted between a held root and the surface stays, the rest is brought out at {:g} m/s (`push_out:`)",
      params_.push_out);
  tell_of_points_inside(
      scope, [exact](Vec3d x) { return exact->during(0, 0)->sample(x, 0).distance; }, params_.strand_thickness,
      together(), then, then);
}

void ColliderBehavior::create_sheet(Scope& scope) {
  const bool rectangle = params_.surface.empty();
  AnimatedSurface surface =
      rectangle
          ? AnimatedSurface(rectangle_mesh(params_.center, params_.size.x * 0.5, params_.size.z * 0.5,
                                           rotated({1, 0, 0}, params_.rotation), rotated({0, 0, 1}, params_.rotation)))
          : rigid_surface(params_, scope);
  surface.add_motion(make_motion(params_, rectangle ? params_.center : Vec3d{0, 0, 0}));
  std::function<RigidTransform(double)> pose;
  if (!surface.motions().empty()) pose = [motions = surface.motions()](double time) { return pose_at(motions, time); };
  const std::size_t others = scope.particle_objects().size() + scope.curves_objects().size() +
                             scope.mesh_objects().size() + scope.rigid_objects().size();
  if (others > 0 && scope.domain().communicator().root())
    log::warn(
        fmt::format("{}: a sheet acts on gas only; particles, strands and solids in its scope pass through it: use a "
                    "thin `shape: box` or a closed mesh for them",
                    scope.path()));
  for (VolumeObject* gas : scope.volume_objects()) gas->add_sheet({surface.rest(), pose});
  scope.add_object(std::make_unique<ColliderObject>(scope.path(), scope.group(), std::move(surface),
                                                    scope.domain().communicator().root()));
}

}  // namespace ymir
