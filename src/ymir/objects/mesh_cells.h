// What a mesh of nodes asks of its cells, whatever their shape: masses, edges, points inside them.
#pragma once

#include <span>
#include <vector>

#include "ymir/data/solid_mesh.h"
#include "ymir/solids/embedding.h"

namespace ymir {

// Of the nodes; density of each cell in [kg/m^3].
std::vector<double> node_masses(const SolidMesh& mesh, std::span<const double> density);
double mean_edge(const SolidMesh& mesh);  // [m]
// Cells that have less than a hundredth of their volume at rest in their middle, or a negative one, when the nodes are
// at x; of triangles none.
std::size_t crushed_cells(const SolidMesh& mesh, const std::vector<Vec3d>& x);
// Of the nodes of its cell, for a point: nodes_of(mesh.shape) of them.
void weights_in(const SolidMesh& mesh, const CellPoint& at, double* weight);
// Where a point of a cell is when the nodes are at x.
Vec3d point_in(const SolidMesh& mesh, const CellPoint& at, const std::vector<Vec3d>& x);
// The same with its frame, the rotation of the cell there; degrees of freedom are the nodes of the cell, 3 each.
Embedding embedding_in(const SolidMesh& mesh, const CellPoint& at, const std::vector<Vec3d>& x);

}  // namespace ymir
