// The skin of a solid that is its cells and no more: the faces that belong to one cell alone.
#pragma once

#include <string>

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Fills skin and embedded from positions and cells, whose nodes exist and whose orientation is upright. Triangles point
// outwards, quadrilaterals are cut in two, faces of quadratic tetrahedra in four; vertices are the nodes of the
// boundary in the order of their numbers, each embedded at its place in the first cell that has it. Throws Error,
// naming the mesh, when a face has three cells or two cells lie on one side of it.
void fill_skin(SolidMesh& mesh, const std::string& name);

// Reference coordinates of a node of a cell.
Vec3d node_in_cell(CellShape shape, std::size_t node);

}  // namespace ymir
