// Values painted on the surface that a solid is made of, as channels of its nodes and cells.
#pragma once

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Takes the real channels of the skin. Nodes and triangles of cloth have those of its vertices and triangles. A node of
// other cells has the value at the nearest point of the skin, interpolated between vertices; a cell that of the
// triangle nearest to its middle.
void take_skin_channels(SolidMesh& mesh);

}  // namespace ymir
