#include "ymir/behaviors/constraints/collider.h"

#include <algorithm>
#include <cmath>

#include "ymir/actions/collider_contact.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/data/signed_distance_grid.h"
#include "ymir/objects/collider_object.h"

namespace ymir {
namespace {

// Voxels along the longest side of a mesh, unless the user says otherwise.
constexpr double mesh_resolution = 96;
constexpr int sphere_rings = 48;

Vec3d rotated(Vec3d v, Vec3d angles) {
  const auto turn = [](double& a, double& b, double angle) {
    const double c = std::cos(angle), s = std::sin(angle), a0 = a;
    a = c * a0 - s * b;
    b = s * a0 + c * b;
  };
  turn(v.y, v.z, angles.x);
  turn(v.z, v.x, angles.y);
  turn(v.x, v.y, angles.z);
  return v;
}

struct Solid {
  Collider collider;
  Surface picture;  // empty for planes: frames are drawn over a ground anyway
};

Solid analytic(const ColliderShape& shape, Surface picture) {
  return {{[shape](Vec3d x) { return signed_distance(shape, x); }}, std::move(picture)};
}

Solid make_solid(const ColliderBehavior::Params& p, Scope& scope) {
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
    case SolidShape::mesh: break;
  }
  if (p.surface.empty())
    throw Error(ExitCode::bad_input,
                scope.path() + ": a collider of shape mesh needs `surface:`, the name of an input");
  Surface surface = scope.surface(p.surface);
  const Vec3d size = bounds(surface.positions).size();
  const double voxel = p.voxel.value_or(std::max({size.x, size.y, size.z}) / mesh_resolution);
  const auto grid = std::make_shared<const SignedDistanceGrid>(surface, voxel, 3 * voxel, p.surface.name);
  return {{[grid](Vec3d x) { return grid->sample(x); }, std::sqrt(3.0), voxel}, std::move(surface)};
}

}  // namespace

Schema<ColliderBehavior::Params> ColliderBehavior::schema() {
  return Schema<Params>("collider", "A solid that the objects in scope collide with.")
      .category(Category::constraint)
      .example("examples/embers.yaml")
      .param(&Params::shape, "shape", "Plane, sphere, box, or a closed mesh.")
      .enumerated<SolidShape>({{"plane", SolidShape::plane},
                               {"sphere", SolidShape::sphere},
                               {"box", SolidShape::box},
                               {"mesh", SolidShape::mesh}})
      .param(&Params::center, "center", unit::m, "Centre of the sphere or box; a point of the plane.")
      .param(&Params::normal, "normal", unit::none, "plane: direction out of the solid.")
      .param(&Params::radius, "radius", unit::m, "sphere: its radius.")
      .positive()
      .param(&Params::size, "size", unit::m, "box: its edges.")
      .positive()
      .param(&Params::rotation, "rotation", unit::radian, "plane, box: angles about x, then y, then z.")
      .param(&Params::hollow, "hollow", "sphere, box: objects are kept inside instead of outside.")
      .param(&Params::surface, "surface", "mesh: input with a closed surface.")
      .accepts({InputKind::surface})
      .param(&Params::voxel, "voxel", unit::m,
             "mesh: spacing of its sampled distance; 1/96 of its longest side when absent.")
      .positive()
      .advanced()
      .param(&Params::restitution, "restitution", unit::none, "Speed after an impact by speed before.")
      .range(0, 1)
      .param(&Params::friction, "friction", unit::none, "Coulomb coefficient.")
      .at_least(0);
}

void ColliderBehavior::create(Scope& scope) {
  Solid solid = make_solid(params_, scope);
  for (ParticleObject* object : scope.particle_objects())
    object->add_contact(
        collider_contact(scope.path(), solid.collider,
                         {params_.restitution, params_.friction, object->override_channel<double>("restitution"),
                          object->override_channel<double>("friction")}));
  if (!solid.picture.triangles.empty())
    scope.add_object(std::make_unique<ColliderObject>(scope.path(), scope.group(), std::move(solid.picture),
                                                      scope.domain().communicator().root()));
}

}  // namespace ymir
