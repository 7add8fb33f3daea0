// Points of rigid bodies that Forces act on, one list for all bodies of an object.
#pragma once

#include <string>
#include <vector>

#include "ymir/actions/panel_planes.h"
#include "ymir/objects/rigid_object.h"

namespace ymir {

// A panel of the surface, or a ball inside.
struct RigidPointPlace {
  Vec3d centre;       // in the axes of the body [m]
  double mass;        // [kg]
  Vec3d area;         // normal of a panel, as long as half of what air touches of it [m^2]
  double volume = 0;  // of a ball [m^3]
};

// points: of each body. The points belong to the object. Before ingest.
ForceTarget& add_rigid_points(RigidObject& object, const std::string& owner, const std::string& what,
                              const std::vector<std::vector<RigidPointPlace>>& points, PanelPlanes::Of kind);

}  // namespace ymir
