// Meshes as contacts see them: their skin.
#include "ymir/data/mesh_values.h"
#include "ymir/data/refined_surface.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {

// A corner that carries a body by itself would be crushed: what lies on it is as many cells as it has come to lie on.
const MeshObject::Touching& MeshObject::touching() const {
  constexpr double apart = 1.5, most_parts = 32;  // edges of cells; of an edge of the skin
  std::call_once(touching_made_, [&] {
    touching_ = {mesh_.skin.triangles, mesh_.embedded};
    if (cloth()) return;
    const RefinedSurface fine = refined(mesh_.skin, apart * mean_edge_, most_parts);
    touching_.triangles = fine.triangles;
    for (const RefinedSurface::Place& place : fine.added)
      touching_.points.push_back(skin_point(place.triangle, place.barycentric));
  });
  return touching_;
}

// Bodies have an inside. A vertex of the skin is held where all nodes that it follows are.
void MeshObject::show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) {
  if (!here_) return;
  const Touching& all = touching();
  std::vector<Vec3d> positions;
  for (const CellPoint& at : all.points) positions.push_back(point_in(mesh_, at, position_));
  const auto nodes = static_cast<std::size_t>(nodes_of(mesh_.shape));
  std::vector<double> weight(nodes);
  std::vector<std::uint8_t> held(positions.size(), 1);
  for (std::size_t v = 0; v < held.size(); ++v) {
    const CellPoint& at = all.points[v];
    weights_in(mesh_, at, weight.data());
    for (std::size_t a = 0; a < nodes; ++a) {
      const auto node = static_cast<std::size_t>(mesh_.cells[nodes * static_cast<std::size_t>(at.cell) + a]);
      if (weight[a] != 0 && held_[node] == 0) held[v] = 0;
    }
  }
  PieceTraits own = traits;
  own.solid = !cloth() && closed(mesh_.skin);
  boundary.add_mesh({object, 0}, positions, all.triangles, thickness + (cloth() ? mesh_.thickness : 0), held, own);
}

bool MeshObject::brings(std::string_view parameter) { return painted(mesh_, parameter); }

std::vector<double> MeshObject::painted_boundary(std::string_view parameter) const {
  const auto of_nodes = node_values(mesh_, parameter);
  if (!here_ || !of_nodes) return {};
  const auto nodes = static_cast<std::size_t>(nodes_of(mesh_.shape));
  std::vector<double> weight(nodes), values;
  for (const CellPoint& at : touching().points) {
    weights_in(mesh_, at, weight.data());
    double& sum = values.emplace_back(0);
    for (std::size_t a = 0; a < nodes; ++a)
      sum +=
          weight[a] * (*of_nodes)[static_cast<std::size_t>(mesh_.cells[nodes * static_cast<std::size_t>(at.cell) + a])];
  }
  return values;
}

void MeshObject::move_boundary(int, int, double dt, std::span<BoundaryVertex> vertices) const {
  const std::vector<CellPoint>& points = touching().points;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    vertices[v].x = point_in(mesh_, points[v], position_);
    vertices[v].way = point_in(mesh_, points[v], velocity_) * dt;
  }
}

}  // namespace ymir
