#include "ymir/data/mesh_skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "ymir/base/error.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"

namespace ymir {
namespace {

// Corners of the faces of a cell, counter-clockwise from outside; a triangle's fourth is none.
using Face = std::array<std::int32_t, 4>;
constexpr std::array<Face, 4> faces_of_tetrahedron{{{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}};
constexpr std::array<Face, 6> faces_of_hexahedron{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
constexpr std::array<Vec3d, 4> corners_of_tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

struct CellFace {
  Face key;    // nodes, sorted
  Face nodes;  // counter-clockwise from outside, from the least number
  std::int32_t cell;
};

std::span<const Face> faces_of(CellShape shape) {
  if (shape == CellShape::hexahedron) return faces_of_hexahedron;
  return faces_of_tetrahedron;
}

CellFace face_of(std::span<const std::int32_t> cell, const Face& corners, std::size_t number) {
  const std::size_t count = corners[3] < 0 ? 3 : 4;
  CellFace face{{-1, -1, -1, -1}, {-1, -1, -1, -1}, static_cast<std::int32_t>(number)};
  for (std::size_t k = 0; k < count; ++k) face.nodes[k] = cell[static_cast<std::size_t>(corners[k])];
  const auto end = face.nodes.begin() + static_cast<std::ptrdiff_t>(count);
  std::rotate(face.nodes.begin(), std::min_element(face.nodes.begin(), end), end);
  face.key = face.nodes;
  std::sort(face.key.begin(), face.key.begin() + static_cast<std::ptrdiff_t>(count));
  return face;
}

// The same face seen from the other side.
Face reversed(Face nodes) {
  std::reverse(nodes.begin() + 1, nodes.begin() + (nodes[3] < 0 ? 3 : 4));
  return nodes;
}

// The node of a quadratic tetrahedron between two of its corners.
std::int32_t between(std::span<const std::int32_t> cell, std::int32_t a, std::int32_t b) {
  for (std::size_t k = 0; k < 6; ++k) {
    const auto i = cell[static_cast<std::size_t>(QuadraticTetrahedron::edge[k][0])];
    const auto j = cell[static_cast<std::size_t>(QuadraticTetrahedron::edge[k][1])];
    if ((i == a && j == b) || (i == b && j == a)) return cell[4 + k];
  }
  return a;
}

void check_shared(std::span<const CellFace> same, const std::string& name) {
  if (same.size() > 2)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: {} cells share one face, among them the cells {}, {} and {} (counted from 1); remove "
                            "those that lie inside others",
                            name, same.size(), same[0].cell + 1, same[1].cell + 1, same[2].cell + 1));
  if (same.size() == 2 && same[0].nodes != reversed(same[1].nodes))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the cells {} and {} (counted from 1) lie on the same side of the face they share; "
                            "remove one, or write each cell once if the file repeats it for each of its groups",
                            name, same[0].cell + 1, same[1].cell + 1));
}

}  // namespace

Vec3d node_in_cell(CellShape shape, std::size_t node) {
  if (shape == CellShape::hexahedron) return Hexahedron::corner[node];
  if (node < 4) return corners_of_tetrahedron[node];  // of a triangle the first three
  const auto& ends = QuadraticTetrahedron::edge[node - 4];
  return (corners_of_tetrahedron[static_cast<std::size_t>(ends[0])] +
          corners_of_tetrahedron[static_cast<std::size_t>(ends[1])]) *
         0.5;
}

void fill_skin(SolidMesh& mesh, const std::string& name) {
  const auto each = static_cast<std::size_t>(nodes_of(mesh.shape));
  const auto cell = [&](std::size_t c) { return std::span(mesh.cells).subspan(c * each, each); };
  std::vector<CellFace> faces;
  faces.reserve(mesh.cell_count() * faces_of(mesh.shape).size());
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    for (const Face& f : faces_of(mesh.shape)) faces.push_back(face_of(cell(c), f, c));
  std::stable_sort(faces.begin(), faces.end(), [](const CellFace& a, const CellFace& b) { return a.key < b.key; });

  std::vector<CellFace> boundary;
  for (auto first = faces.begin(); first != faces.end();) {
    const auto last = std::find_if(first, faces.end(), [&](const CellFace& f) { return f.key != first->key; });
    check_shared({first, last}, name);
    if (last - first == 1) boundary.push_back(*first);
    first = last;
  }
  std::stable_sort(boundary.begin(), boundary.end(),
                   [](const CellFace& a, const CellFace& b) { return a.cell < b.cell; });

  std::vector<std::array<std::int32_t, 3>> triangles;  // of nodes
  for (const CellFace& face : boundary) {
    const auto& [a, b, c, d] = face.nodes;
    if (mesh.shape == CellShape::quadratic_tetrahedron) {
      const auto nodes = cell(static_cast<std::size_t>(face.cell));
      const std::int32_t ab = between(nodes, a, b), bc = between(nodes, b, c), ca = between(nodes, c, a);
      triangles.insert(triangles.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
      continue;
    }
    triangles.push_back({a, b, c});
    if (d >= 0) triangles.push_back({a, c, d});
  }
  constexpr std::int32_t inside = -1, unnumbered = -2;
  std::vector<std::int32_t> vertex(mesh.positions.size(), inside);
  for (const auto& triangle : triangles)
    for (const std::int32_t n : triangle) vertex[static_cast<std::size_t>(n)] = unnumbered;
  mesh.skin = {};
  for (std::size_t n = 0; n < vertex.size(); ++n) {
    if (vertex[n] == inside) continue;
    vertex[n] = static_cast<std::int32_t>(mesh.skin.positions.size());
    mesh.skin.positions.push_back(mesh.positions[n]);
  }
  const auto vertex_of = [&](std::int32_t node) { return vertex[static_cast<std::size_t>(node)]; };
  for (const auto& [a, b, c] : triangles) mesh.skin.triangles.push_back({vertex_of(a), vertex_of(b), vertex_of(c)});
  mesh.skin.vertices.resize(mesh.skin.positions.size());
  mesh.skin.faces.resize(mesh.skin.triangles.size());

  mesh.embedded.assign(mesh.skin.positions.size(), {-1, {0, 0, 0}});
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    for (std::size_t k = 0; k < each; ++k) {
      const std::int32_t v = vertex_of(cell(c)[k]);
      if (v == inside || mesh.embedded[static_cast<std::size_t>(v)].cell >= 0) continue;
      mesh.embedded[static_cast<std::size_t>(v)] = {static_cast<std::int32_t>(c), node_in_cell(mesh.shape, k)};
    }
}

}  // namespace ymir
