// Meshes as attachments look at them.
#include "ymir/data/mesh_skin.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/solids/detection/boundary.h"

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

// Cloth is as thick as it says, bodies have an inside.
void MeshObject::show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) {
  if (!here_) return;
  const std::vector<Vec3d> positions = skin(position_);
  std::vector<std::uint8_t> held(positions.size(), 0);
  for (std::size_t v = 0; v < held.size(); ++v) {
    const auto nodes = static_cast<std::size_t>(nodes_of(mesh_.shape));
    std::vector<double> weight(nodes);
    weights_in(mesh_, mesh_.embedded[v], weight.data());
    bool all = true;
    for (std::size_t a = 0; a < nodes; ++a)
      all = all && (weight[a] == 0 ||
                    held_[static_cast<std::size_t>(
                        mesh_.cells[nodes * static_cast<std::size_t>(mesh_.embedded[v].cell) + a])] != 0);
    held[v] = all ? 1 : 0;
  }
  PieceTraits own = traits;
  own.solid = !cloth() && closed(mesh_.skin);
  std::vector<std::array<std::int32_t, 3>> corners;
  for (const auto& t : mesh_.skin.triangles) corners.push_back({t[0], t[1], t[2]});
  boundary.add_mesh({object, 0}, positions, corners, thickness, held, own);
}

void MeshObject::move_boundary(int, int, double dt, std::span<BoundaryVertex> vertices) const {
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    vertices[v].x = point_in(mesh_, mesh_.embedded[v], position_);
    vertices[v].way = point_in(mesh_, mesh_.embedded[v], velocity_) * dt;
  }
}

}  // namespace ymir
