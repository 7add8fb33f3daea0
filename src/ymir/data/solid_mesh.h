// A solid cut into cells, and the skin that is embedded in them: what a Mesh Object simulates and shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

// Nodes of a cell are numbered as in physics/elements.
enum class CellShape : std::uint8_t { tetrahedron, hexahedron, quadratic_tetrahedron, triangle };

constexpr int nodes_of(CellShape shape) {
  switch (shape) {
    case CellShape::tetrahedron: return 4;
    case CellShape::hexahedron: return 8;
    case CellShape::quadratic_tetrahedron: return 10;
    case CellShape::triangle: return 3;
  }
  return 0;
}
// Those of its nodes that are corners; they come first.
constexpr int corners_of(CellShape shape) {
  return shape == CellShape::hexahedron ? 8 : shape == CellShape::triangle ? 3 : 4;
}

// A point of a cell, in its reference coordinates.
struct CellPoint {
  std::int32_t cell = 0;
  Vec3d at{0, 0, 0};
};

struct SolidMesh {
  CellShape shape = CellShape::tetrahedron;
  std::vector<Vec3d> positions;     // of the nodes [m]
  std::vector<std::int32_t> cells;  // nodes of each, end to end
  std::vector<double> fill;         // share of each cell that is solid, 0 to 1
  std::vector<double> shares;       // the same at each quadrature point of each cell; empty: as the cell's
  double thickness = 0;             // of cells that are triangles [m]
  Surface skin;                     // in its rest shape
  std::vector<CellPoint> embedded;  // where each vertex of the skin is
  Channels vertices;                // of the nodes, as a file has them
  Channels elements;                // of the cells
  std::string warning;              // what a reader left out, to be shown; empty: nothing

  std::size_t cell_count() const { return cells.size() / static_cast<std::size_t>(nodes_of(shape)); }
};

}  // namespace ymir
