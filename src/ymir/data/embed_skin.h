// A surface shown instead of the boundary of a solid mesh: each of its vertices moves with the cell it is in.
#pragma once

#include <memory>
#include <mutex>

#include "ymir/data/solid_mesh.h"

namespace ymir {

struct SkinFit {
  std::size_t outside = 0;  // vertices that are in no cell
  double farthest = 0;      // distance of such a vertex from the nearest cell [m]
  std::size_t vertex = 0;   // which one that is
};

// Replaces the skin, which has to be the boundary of the cells. A vertex outside of all cells goes to the nearest.
SkinFit embed_skin(SolidMesh& mesh, Surface skin);

class CellGrid;

// Finds points of triangles of the skin in the cells that they are in, or least outside of.
class SkinLocator {
 public:
  explicit SkinLocator(const SolidMesh& mesh);  // must stay
  ~SkinLocator();
  CellPoint point(std::int32_t triangle, Vec3d barycentric);

 private:
  const SolidMesh* mesh_;
  std::once_flag made_;
  std::unique_ptr<CellGrid> grid_;  // once a triangle is larger than its cells
};

}  // namespace ymir
