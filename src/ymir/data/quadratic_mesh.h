// Tetrahedra of 10 nodes made of those with 4: a node in the middle of every edge.
#pragma once

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Channels of the nodes are interpolated, the skin is that of the new cells; `name` is what errors call the mesh.
SolidMesh quadratic_mesh(const SolidMesh& linear, const std::string& name);

}  // namespace ymir
