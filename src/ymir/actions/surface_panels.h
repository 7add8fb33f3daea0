// The surface of a solid as points that Forces act on: pieces of its triangles, each with a normal and an area.
//
// What the air does to a surface is a PointForce on the centres of such panels. The force on one is handed to the nodes
// of the cell it is in, or to the body it is part of. Normal and area are those when the substep begins. Cloth has
// both sides in the air, bodies the outside of their skin.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "ymir/objects/mesh_object.h"
#include "ymir/objects/rigid_object.h"

namespace ymir {

struct Panel {
  std::int32_t triangle;
  Vec3d barycentric;  // of its centre
  double share;       // of the triangle
};

// Triangles are cut into n^2 equal panels with edges of `longest` [m] at most, or longer ones where that would make
// more than a million.
std::vector<Panel> cut_into_panels(const std::vector<Vec3d>& positions,
                                   const std::vector<std::array<std::int32_t, 3>>& triangles, double longest);

// The panels belong to the object, which knows them by owner and what they are for. Before ingest. Bodies are cut at
// least so fine that wind turns them as it should, a quarter of their size.
ForceTarget& add_panels(MeshObject& object, const std::string& owner, const std::string& what,
                        double longest = std::numeric_limits<double>::infinity());
ForceTarget& add_panels(RigidObject& object, const std::string& owner, const std::string& what,
                        double longest = std::numeric_limits<double>::infinity());

}  // namespace ymir
