// Meshes as attachments look at them.
#include "ymir/data/mesh_skin.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

std::vector<PieceShape> MeshObject::shape_at(const std::vector<Vec3d>& nodes) {
  std::vector<PieceShape> shapes(1);
  PieceShape& shape = shapes[0];
  shape.object = this;
  shape.positions = nodes;
  shape.points.assign(nodes.size(), MaterialPoint{this, 0, 0, {0, 0, 0}});
  // Each node as a corner of the first cell that has it.
  const auto n = static_cast<std::size_t>(nodes_of(mesh_.shape));
  for (std::size_t k = mesh_.cells.size(); k-- > 0;) {
    MaterialPoint& at = shape.points[static_cast<std::size_t>(mesh_.cells[k])];
    at.cell = static_cast<std::int32_t>(k / n);
    at.weights = node_in_cell(mesh_.shape, k % n);
  }
  shape.skin.positions = skin(nodes);
  shape.skin.triangles = mesh_.skin.triangles;
  return shapes;
}

std::vector<PieceShape> MeshObject::input_shapes() { return shape_at(start()); }

std::vector<PieceShape> MeshObject::present_shapes() { return here_ ? shape_at(position_) : std::vector<PieceShape>{}; }

Embedding MeshObject::point_of(const PieceShape& shape, const MaterialPoint& at) const {
  return embedding_in(mesh_, {at.cell, at.weights}, shape.positions);
}

MaterialPoint MeshObject::on_skin(std::int64_t, std::int32_t triangle, Vec3d barycentric) {
  const CellPoint at = skin_point(triangle, barycentric);
  return {this, 0, at.cell, at.at};
}

}  // namespace ymir
