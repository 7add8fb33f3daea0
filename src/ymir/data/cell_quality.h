// How far a tetrahedron is from a regular one.
#pragma once

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Longest edge by shortest height, of the corners: 1.22 for a regular tetrahedron, infinite for a flat one. Of a
// hexahedron, longest by shortest edge.
double aspect_of(const SolidMesh& mesh, std::size_t cell);

}  // namespace ymir
