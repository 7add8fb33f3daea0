// Panels of the surface of rigid bodies.
#include <algorithm>

#include "ymir/actions/rigid_points.h"
#include "ymir/actions/surface_panels.h"

namespace ymir {

ForceTarget& add_panels(RigidObject& object, const std::string& owner, const std::string& what, double longest) {
  std::vector<std::vector<RigidPointPlace>> panels;
  for (const RigidBody& body : object.bodies()) {
    auto& of_body = panels.emplace_back();
    double whole = 0;
    for (const Panel& panel : cut_into_panels(body.points, body.triangles, std::min(longest, body.size / 4))) {
      const auto& t = body.triangles[static_cast<std::size_t>(panel.triangle)];
      const Vec3d a = body.points[static_cast<std::size_t>(t[0])], b = body.points[static_cast<std::size_t>(t[1])],
                  c = body.points[static_cast<std::size_t>(t[2])];
      const Vec3d at = panel.barycentric;
      of_body.push_back({a * at.x + b * at.y + c * at.z, body.mass, cross(b - a, c - a) * (0.25 * panel.share)});
      whole += norm(of_body.back().area);
    }
    for (RigidPointPlace& panel : of_body) panel.mass *= norm(panel.area) / whole;
  }
  return add_rigid_points(object, owner, what, panels, PanelPlanes::Of::surface);
}

}  // namespace ymir
