#include <algorithm>
#include <cmath>

#include "ymir/actions/inner_points.h"
#include "ymir/actions/rigid_points.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/objects/rigid_block.h"

namespace ymir {
namespace {

constexpr double most_points = 1e5;
constexpr std::size_t enough = 8;  // fewer do not show the shape of a body

// Middles of cubes, those that are inside.
std::vector<Vec3d> middles_inside(const RigidBody& body, double edge) {
  Surface surface;
  surface.positions = body.points;
  surface.triangles = body.triangles;
  surface.vertices.resize(surface.positions.size());
  surface.faces.resize(surface.triangles.size());
  const TriangleBvh bvh(surface);
  const Box box = bounds(surface.positions);
  Vec3i count;
  for (int a = 0; a < 3; ++a) count[a] = std::max(1, static_cast<int>(std::ceil(box.size()[a] / edge)));
  std::vector<Vec3d> inside;
  for (int k = 0; k < count.z; ++k)
    for (int j = 0; j < count.y; ++j)
      for (int i = 0; i < count.x; ++i) {
        const Vec3d size = box.size();
        const Vec3d x =
            box.low + Vec3d{size.x * (i + 0.5) / count.x, size.y * (j + 0.5) / count.y, size.z * (k + 0.5) / count.z};
        if (bvh.signed_distance(x) < 0) inside.push_back(x);
      }
  return inside;
}

}  // namespace

ForceTarget& add_inner_points(RigidObject& object, const std::string& owner, const std::string& what, double longest) {
  std::vector<std::vector<RigidPointPlace>> balls;
  for (const RigidBody& body : object.bodies()) {
    const Vec3d size = bounds(body.points).size();
    const double edge = std::max(std::min(longest, body.size / 2), std::cbrt(size.x * size.y * size.z / most_points));
    std::vector<Vec3d> centres = middles_inside(body, edge);
    if (centres.size() < enough) {
      centres.clear();
      const MassPoints points(body, {0, 0, 0}, Quaternion{}, {0, 0, 0}, {0, 0, 0});
      for (std::size_t i = 0; i < MassPoints::count; ++i) centres.push_back(points.arm(i));
    }
    // Their middle is the centre of mass: a body of one density is not turned by what it displaces.
    const double share = 1 / static_cast<double>(centres.size());
    Vec3d middle{0, 0, 0};
    for (const Vec3d& x : centres) middle += x * share;
    auto& of_body = balls.emplace_back();
    for (const Vec3d& x : centres)
      of_body.push_back({x - middle, body.mass * share, {0, 0, 0}, body.mass * share / object.description().density});
  }
  return add_rigid_points(object, owner, what, balls, PanelPlanes::Of::inside);
}

}  // namespace ymir
