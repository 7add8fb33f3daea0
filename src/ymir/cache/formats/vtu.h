// .vtu: UnstructuredGrid of VTK's XML, one piece, ascii arrays. [Schroeder2006]
//
// Arrays of PointData and CellData with 1 or 3 components become channels of the nodes or the cells.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ymir/data/solid_mesh.h"

namespace ymir {

SolidMesh read_vtu(std::span<const std::byte> bytes, const std::string& name);

}  // namespace ymir
