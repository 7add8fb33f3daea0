// Gmsh .msh, versions 2.2 and 4.1, ASCII. [Geuzaine2009]
//
// A named physical group of volumes becomes a channel of the cells, of surfaces, curves or points one of the nodes.
// $NodeData and $ElementData of 1 or 3 components become channels; of several time steps the first is taken.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ymir/data/solid_mesh.h"

namespace ymir {

SolidMesh read_gmsh(std::span<const std::byte> bytes, const std::string& name);

}  // namespace ymir
