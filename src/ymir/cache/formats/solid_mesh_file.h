// Volume meshes for soft bodies, chosen by extension: .msh (Gmsh 2.2 and 4.1, ASCII), .vtk (legacy, ASCII), .vtu (ascii
// arrays), .node and .ele (TetGen; the other file lies beside it).
#pragma once

#include <filesystem>

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Tetrahedra of 4 or 10 nodes or hexahedra of 8 nodes, all filled, with their boundary
// as the skin. Point data, cell data (scalars and vectors of 3) and named groups become channels, a group 1 in its
// nodes or cells and 0 elsewhere. Coordinates come back as stored; the caller scales them.
SolidMesh read_solid_mesh(const std::filesystem::path& path);

}  // namespace ymir
