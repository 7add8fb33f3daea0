#include "ymir/solids/detection/boundary.h"

#include <algorithm>

#include "ymir/base/check.h"

namespace ymir {

void Boundary::clear() {
  const std::uint64_t topology = topology_ + 1;
  *this = {};
  topology_ = topology;
}

BoundaryPiece& Boundary::new_piece(PieceId id, PieceKind kind, const PieceTraits& traits,
                                   std::span<const Vec3d> positions) {
  YMIR_CHECK(pieces_.empty() || pieces_.back().id < id);
  const auto count = [](const auto& list) { return static_cast<std::int32_t>(list.size()); };
  const auto number = count(pieces_);
  BoundaryPiece& piece = pieces_.emplace_back(
      BoundaryPiece{id, kind, traits, count(vertices), count(positions), count(triangles), 0, count(edges), 0});
  for (const Vec3d& x : positions) {
    BoundaryVertex& v = vertices.emplace_back();
    v.x = x;
    v.piece = number;
  }
  label.resize(vertices.size(), 0);
  first_around_.resize(vertices.size() + 1, count(around_));
  ++topology_;
  return piece;
}

std::int32_t Boundary::add_points(std::int32_t object, std::span<const std::int64_t> ids,
                                  std::span<const Vec3d> positions, std::span<const double> radii,
                                  const PieceTraits& traits) {
  YMIR_CHECK(!ids.empty() && ids.size() == positions.size() && ids.size() == radii.size());
  const BoundaryPiece& piece = new_piece({object, ids[0]}, PieceKind::points, traits, positions);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    YMIR_CHECK(i == 0 || ids[i - 1] < ids[i]);
    const auto v = at(piece.first_vertex) + i;
    vertices[v].radius = radii[i];
    label[v] = ids[i];
    if (!traits.alone) points.push_back(static_cast<std::int32_t>(v));
  }
  return static_cast<std::int32_t>(pieces_.size()) - 1;
}

std::int32_t Boundary::add_fiber(PieceId id, std::span<const Vec3d> positions, std::span<const double> radii,
                                 std::span<const std::uint8_t> held, const PieceTraits& traits) {
  YMIR_CHECK(positions.size() >= 2 && radii.size() == positions.size());
  YMIR_CHECK(held.empty() || held.size() == positions.size());
  BoundaryPiece& piece = new_piece(id, PieceKind::fiber, traits, positions);
  const auto number = static_cast<std::int32_t>(pieces_.size()) - 1;
  for (std::int32_t e = 0; e + 1 < piece.vertices && !traits.alone; ++e) segments.push_back(piece.first_vertex + e);
  BoundaryVertex* vertex = vertices.data() + piece.first_vertex;
  const std::size_t n = positions.size();
  for (std::size_t i = 0; i < n; ++i) vertex[i].radius = radii[i];
  // There and back: edges to the nearest vertex that is held.
  const auto from = [&](std::size_t i, std::size_t next) {
    vertex[i].from_clamp = std::min(vertex[i].from_clamp, vertex[next].from_clamp + 1);
  };
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) vertex[i].from_clamp = 0;
  for (std::size_t i = 1; i < n; ++i) from(i, i - 1);
  for (std::size_t i = n - 1; i-- > 0;) from(i, i + 1);
  return number;
}

std::int32_t Boundary::add_mesh(PieceId id, std::span<const Vec3d> positions,
                                std::span<const std::array<std::int32_t, 3>> corners, double thickness,
                                std::span<const std::uint8_t> held, const PieceTraits& traits) {
  YMIR_CHECK(held.empty() || held.size() == positions.size());
  BoundaryPiece& piece = new_piece(id, PieceKind::mesh, traits, positions);
  const auto number = static_cast<std::int32_t>(pieces_.size()) - 1;
  for (BoundaryVertex& v : vertices_of(number)) v.radius = thickness / 2;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) vertices[at(piece.first_vertex) + i].from_clamp = 0;
  piece.triangles = traits.alone ? 0 : static_cast<std::int32_t>(corners.size());
  for (const auto& t : corners.first(static_cast<std::size_t>(piece.triangles))) {
    for (const std::int32_t v : t) YMIR_CHECK(v >= 0 && v < piece.vertices);
    triangles.push_back({t[0] + piece.first_vertex, t[1] + piece.first_vertex, t[2] + piece.first_vertex});
    triangle_piece.push_back(number);
  }
  connect(piece);
  return number;
}

void Boundary::connect(const BoundaryPiece& mesh) {
  struct Half {
    std::array<std::int32_t, 2> edge;
    std::int32_t triangle;
    std::int32_t corner;
  };
  std::vector<Half> halves;
  std::vector<std::int32_t> fill(at(mesh.vertices) + 1, 0);
  triangle_edges.resize(triangles.size());
  for (std::int32_t t = mesh.first_triangle; t < mesh.first_triangle + mesh.triangles; ++t)
    for (std::int32_t k = 0; k < 3; ++k) {
      const auto& corner = triangles[at(t)];
      const std::int32_t v = corner[at((k + 1) % 3)], w = corner[at((k + 2) % 3)];
      halves.push_back({{std::min(v, w), std::max(v, w)}, t, k});
      ++fill[at(corner[at(k)] - mesh.first_vertex)];
    }
  std::sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) {
    return a.edge != b.edge ? a.edge < b.edge : std::pair(a.triangle, a.corner) < std::pair(b.triangle, b.corner);
  });
  const auto number = static_cast<std::int32_t>(pieces_.size()) - 1;
  for (const Half& half : halves) {
    const bool known = static_cast<std::int32_t>(edges.size()) > mesh.first_edge && edges.back() == half.edge;
    if (!known) {
      edges.push_back(half.edge);
      edge_triangles.push_back({half.triangle, -1});
      edge_piece.push_back(number);
    } else if (edge_triangles.back()[1] < 0 && edge_triangles.back()[0] != half.triangle) {
      edge_triangles.back()[1] = half.triangle;
    }
    triangle_edges[at(half.triangle)][at(half.corner)] = static_cast<std::int32_t>(edges.size()) - 1;
  }
  pieces_.back().edges = static_cast<std::int32_t>(edges.size()) - mesh.first_edge;

  const auto begin = static_cast<std::int32_t>(around_.size());
  std::int32_t sum = begin;
  for (std::int32_t v = 0; v < mesh.vertices; ++v) {
    first_around_[at(mesh.first_vertex + v)] = sum;
    sum += fill[at(v)];
    fill[at(v)] = first_around_[at(mesh.first_vertex + v)];
  }
  first_around_.back() = sum;
  around_.resize(at(sum));
  for (std::int32_t t = mesh.first_triangle; t < mesh.first_triangle + mesh.triangles; ++t)
    for (const std::int32_t v : triangles[at(t)]) around_[at(fill[at(v - mesh.first_vertex)]++)] = t;
}

std::span<BoundaryVertex> Boundary::vertices_of(std::int32_t p) {
  return {vertices.data() + piece(p).first_vertex, at(piece(p).vertices)};
}

}  // namespace ymir
