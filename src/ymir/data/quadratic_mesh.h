// Tetrahedra of 10 nodes made of those with 4: a node in the middle of every edge.
#pragma once

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Channels of the nodes are interpolated, the skin is that of the new cells; `name` is what errors call the mesh.
SolidMesh quadratic_mesh(const SolidMesh& linear, const std::string& name);

// Puts the last six nodes of a cell of 10 in our order, each to the edge whose middle it is nearest to: formats number
// edges in different ways, and the middles say it.
void order_middles(const std::vector<Vec3d>& positions, std::int32_t* cell);

}  // namespace ymir
