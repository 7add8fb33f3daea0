// Legacy .vtk: UNSTRUCTURED_GRID, ASCII, both layouts of CELLS (before and from version 5). [Schroeder2006]
//
// SCALARS, VECTORS, NORMALS and arrays of FIELD with 1 or 3 components become channels of the nodes or the cells.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ymir/data/solid_mesh.h"

namespace ymir {

SolidMesh read_vtk(std::span<const std::byte> bytes, const std::string& name);

}  // namespace ymir
