#include "ymir/data/quadratic_mesh.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ymir/data/mesh_skin.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"

namespace ymir {
namespace {

using Edge = std::array<std::int32_t, 2>;

template <class T>
void interpolate(const Array& from, const std::vector<Edge>& edges, Channels& to, const std::string& name) {
  const auto values = from.as<T>();
  const auto all = to.add<T>(name);
  std::copy(values.begin(), values.end(), all.begin());
  for (std::size_t e = 0; e < edges.size(); ++e)
    all[values.size() + e] =
        (values[static_cast<std::size_t>(edges[e][0])] + values[static_cast<std::size_t>(edges[e][1])]) * 0.5f;
}

}  // namespace

void order_middles(const std::vector<Vec3d>& positions, std::int32_t* cell) {
  const auto at = [&](int a) { return positions[static_cast<std::size_t>(cell[a])]; };
  for (int k = 0; k < 5; ++k) {
    const Vec3d middle = (at(QuadraticTetrahedron::edge[k][0]) + at(QuadraticTetrahedron::edge[k][1])) * 0.5;
    int nearest = 4 + k;
    for (int a = 5 + k; a < 10; ++a)
      if (norm(at(a) - middle) < norm(at(nearest) - middle)) nearest = a;
    std::swap(cell[4 + k], cell[nearest]);
  }
}

SolidMesh quadratic_mesh(const SolidMesh& linear, const std::string& name) {
  const auto edge_of = [&](std::size_t cell, std::size_t k) {
    const auto end = [&](int e) {
      return linear.cells[4 * cell + static_cast<std::size_t>(QuadraticTetrahedron::edge[k][e])];
    };
    return Edge{std::min(end(0), end(1)), std::max(end(0), end(1))};
  };
  std::vector<Edge> edges;
  for (std::size_t c = 0; c < linear.cell_count(); ++c)
    for (std::size_t k = 0; k < 6; ++k) edges.push_back(edge_of(c, k));
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  SolidMesh mesh;
  mesh.shape = CellShape::quadratic_tetrahedron;
  mesh.positions = linear.positions;
  for (const Edge& e : edges)
    mesh.positions.push_back(
        (linear.positions[static_cast<std::size_t>(e[0])] + linear.positions[static_cast<std::size_t>(e[1])]) * 0.5);
  for (std::size_t c = 0; c < linear.cell_count(); ++c) {
    for (std::size_t a = 0; a < 4; ++a) mesh.cells.push_back(linear.cells[4 * c + a]);
    for (std::size_t k = 0; k < 6; ++k) {
      const auto at = std::lower_bound(edges.begin(), edges.end(), edge_of(c, k));
      mesh.cells.push_back(static_cast<std::int32_t>(linear.positions.size()) +
                           static_cast<std::int32_t>(at - edges.begin()));
    }
  }
  mesh.fill = linear.fill;
  mesh.elements = linear.elements;
  mesh.vertices.resize(mesh.positions.size());
  for (const auto& [channel, array] : linear.vertices.all()) {
    if (array.holds<double>()) interpolate<double>(array, edges, mesh.vertices, channel);
    if (array.holds<float>()) interpolate<float>(array, edges, mesh.vertices, channel);
    if (array.holds<Vec3d>()) interpolate<Vec3d>(array, edges, mesh.vertices, channel);
    if (array.holds<Vec3f>()) interpolate<Vec3f>(array, edges, mesh.vertices, channel);
  }
  fill_skin(mesh, name);
  return mesh;
}

}  // namespace ymir
