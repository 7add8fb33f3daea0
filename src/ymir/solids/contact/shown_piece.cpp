#include "ymir/solids/contact/shown_piece.h"

namespace ymir {

ShownPiece::ShownPiece(const Boundary& boundary, std::int32_t number) {
  const BoundaryPiece& piece = boundary.piece(number);
  id = piece.id;
  kind = piece.kind;
  traits = piece.traits;
  const auto first = static_cast<std::size_t>(piece.first_vertex);
  for (std::size_t v = first; v < first + static_cast<std::size_t>(piece.vertices); ++v) {
    const BoundaryVertex& vertex = boundary.vertices[v];
    positions.push_back(vertex.x);
    radii.push_back(vertex.radius);
    friction.push_back(vertex.friction);
    held.push_back(vertex.from_clamp == 0 ? 1 : 0);
    if (kind == PieceKind::points) labels.push_back(boundary.label[v]);
  }
  const auto triangle = static_cast<std::size_t>(piece.first_triangle);
  for (std::size_t t = triangle; t < triangle + static_cast<std::size_t>(piece.triangles); ++t) {
    corners.push_back(boundary.triangles[t]);
    for (std::int32_t& corner : corners.back()) corner -= piece.first_vertex;
  }
}

ShownPiece::ShownPiece(MessageReader& in) {
  id.object = in.get<std::int32_t>();
  id.piece = in.get<std::int64_t>();
  kind = in.get<PieceKind>();
  traits = in.get<PieceTraits>();
  positions = in.get_list<Vec3d>();
  radii = in.get_list<double>();
  friction = in.get_list<double>();
  held = in.get_list<std::uint8_t>();
  labels = in.get_list<std::int64_t>();
  corners = in.get_list<std::array<std::int32_t, 3>>();
}

void ShownPiece::write(MessageWriter& out) const {
  out.put(id.object);
  out.put(id.piece);
  out.put(kind);
  out.put(traits);
  out.put_list(positions);
  out.put_list(radii);
  out.put_list(friction);
  out.put_list(held);
  out.put_list(labels);
  out.put_list(corners);
}

void ShownPiece::add_to(Boundary& boundary) const {
  const auto add = [&] {
    switch (kind) {
      case PieceKind::points: return boundary.add_points(id.object, labels, positions, radii, traits);
      case PieceKind::fiber: return boundary.add_fiber(id, positions, radii, held, traits);
      case PieceKind::mesh: break;
    }
    return boundary.add_mesh(id, positions, corners, 0, held, traits);
  };
  const std::span<BoundaryVertex> added = boundary.vertices_of(add());
  for (std::size_t v = 0; v < added.size(); ++v) {
    added[v].radius = radii[v];
    added[v].friction = friction[v];
  }
}

}  // namespace ymir
