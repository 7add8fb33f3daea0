// TetGen's .node and .ele: nodes and tetrahedra, numbered from 0 or 1, # begins a comment. [Si2015]
//
// Attributes become the channels attribute_1, attribute_2... of nodes and of cells, boundary markers the channel
// marker.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ymir/data/solid_mesh.h"

namespace ymir {

struct NamedBytes {
  std::span<const std::byte> bytes;
  std::string name;
};
SolidMesh read_tetgen(const NamedBytes& node, const NamedBytes& ele);

}  // namespace ymir
