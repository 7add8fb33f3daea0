// A surface shown instead of the boundary of a solid mesh: each of its vertices moves with the cell it is in.
#pragma once

#include "ymir/data/solid_mesh.h"

namespace ymir {

struct SkinFit {
  std::size_t outside = 0;  // vertices that are in no cell
  double farthest = 0;      // distance of such a vertex from the nearest cell [m]
  std::size_t vertex = 0;   // which one that is
};

// Replaces the skin, which has to be the boundary of the cells. A vertex outside of all cells goes to the nearest.
SkinFit embed_skin(SolidMesh& mesh, Surface skin);

// A point of a triangle of the skin, in the cell that it is in, or least outside of among those of its corners.
CellPoint skin_point(const SolidMesh& mesh, std::int32_t triangle, Vec3d barycentric);

}  // namespace ymir
