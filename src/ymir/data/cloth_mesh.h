// The triangles of a surface as the cells of a cloth.
#pragma once

#include <string>
#include <vector>

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Vertices of no triangle are left out, which `warning` then says. Throws Error, naming the surface, when a triangle
// has no area or is a sliver.
SolidMesh cloth_of(const Surface& surface, double thickness, const std::string& name);

// Along the warp of each triangle of a cloth: where its texture coordinate u grows and v does not. Empty without
// texture coordinates, or where they have no area.
std::vector<Vec3d> texture_directions(const SolidMesh& mesh);
// `direction`, or where that is normal to a triangle (within 1 degree) one of its edges.
std::vector<Vec3d> warp_along(const SolidMesh& mesh, Vec3d direction);

}  // namespace ymir
