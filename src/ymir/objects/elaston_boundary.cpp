// Plants as contacts see them: lines of balls, sheets and closed skins.
#include "ymir/objects/elaston_boundary.h"

#include "ymir/base/check.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {
namespace {

// Nodes in reach up to which a point follows the field itself.
constexpr std::size_t most_nodes = 12;
// Parts are numbered plant by plant, apart from plants.
constexpr std::int64_t most_parts = 1'000'000;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ElastonBoundary::ElastonBoundary(std::span<const ElastonCloud::Part> parts, const ElastonCloud& cloud,
                                 const ElastonReach& reach, std::int32_t first_node) {
  const auto add = [&](std::span<const std::int32_t> nodes, std::span<const GmlsShape> shapes) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (std::int32_t s = 0; s < 4; ++s)
        if (const double weight = shapes[n].value[s] / (s == 0 ? 1 : cloud.spacing); weight != 0)
          shares_.push_back({4 * (nodes[n] - first_node) + s, weight});
    first_.push_back(shares_.size());
  };
  for (const ElastonCloud::Part& part : parts) {
    for (std::size_t k = 0; k < part.points.size(); ++k) {
      const ElastonPoint field = reach.at(part.points[k], part.nodes[k]);
      if (part.kind == ElastonKind::line && field.nodes.size() <= most_nodes) {
        add(field.nodes, field.shapes);
        continue;
      }
      std::int32_t nodes[ElastonReach::few];
      const auto count = at(reach.nearest(part.nodes[k], part.points[k], nodes));
      Vec3d places[ElastonReach::few];
      for (std::size_t n = 0; n < count; ++n) places[n] = cloud.nodes[at(nodes[n])];
      GmlsShape shapes[ElastonReach::few];
      gmls_shapes(std::span<const Vec3d>(places, count), part.points[k], reach.radius(),
                  std::span<GmlsShape>(shapes, count));
      add(std::span(nodes).first(count), std::span<const GmlsShape>(shapes, count));
    }
    first_of_part_.push_back(points());
  }
}

Vec3d ElastonBoundary::place(std::int32_t point, std::span<const Vec3d> slots) const {
  Vec3d x{0, 0, 0};
  for (const Share& s : shares(point)) x += slots[static_cast<std::size_t>(s.slot)] * s.weight;
  return x;
}

std::vector<std::vector<std::int32_t>> ElastonBoundary::slots() const {
  std::vector<std::vector<std::int32_t>> all(static_cast<std::size_t>(points()));
  for (std::int32_t p = 0; p < points(); ++p)
    for (const Share& s : shares(p)) all[static_cast<std::size_t>(p)].push_back(s.slot);
  return all;
}

void ElastonObject::show_boundary(Boundary& boundary, std::int32_t object, double thickness,
                                  const PieceTraits& traits) {
  if (!here_) return;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    ElastonPiece& piece = pieces_[p];
    const auto parts = std::span(cloud_.parts).subspan(piece.first_part, piece.parts);
    YMIR_CHECK(std::ssize(parts) < most_parts);
    if (!piece.boundary) piece.boundary.emplace(parts, cloud_, *reach_, static_cast<std::int32_t>(piece.first_node));
    const std::span<const Vec3d> slots = std::span(position_).subspan(4 * piece.first_node, 4 * piece.nodes);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const ElastonCloud::Part& part = parts[k];
      const PieceId id{object, static_cast<std::int64_t>(p + 1) * most_parts + static_cast<std::int64_t>(k)};
      PieceTraits own = traits;
      own.whole = static_cast<std::int32_t>(p);
      own.self_contact = false;
      own.solid = part.kind == ElastonKind::solid;
      std::vector<Vec3d> positions;
      for (std::int32_t v = piece.boundary->first_point(k); v < piece.boundary->first_point(k + 1); ++v)
        positions.push_back(piece.boundary->place(v, slots));
      if (part.kind == ElastonKind::line) {
        std::vector<double> radii = part.radii;
        for (double& r : radii) r += thickness / 2;
        std::vector<std::uint8_t> held(positions.size(), 0);
        for (const ElastonCloud::Held& root : cloud_.held)
          if (norm(root.at - part.points[0]) < 1e-9 * unit()) held[0] = 1;
        boundary.add_fiber(id, positions, radii, held, own);
      } else {
        boundary.add_mesh(id, positions, part.triangles, thickness + part.thickness, {}, own);
      }
    }
  }
}

std::vector<SolidObject::Seat> ElastonObject::seat(std::span<const std::int64_t> pieces) {
  std::vector<Seat> seats(pieces.size());
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const std::int64_t plant = pieces[k] < most_parts ? pieces[k] : pieces[k] / most_parts - 1;
    if (plant >= 0 && plant < std::ssize(pieces_))
      seats[k] = {static_cast<int>(plant), pieces[k] < most_parts ? 0 : static_cast<int>(pieces[k] % most_parts)};
  }
  return seats;
}

void ElastonObject::move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const {
  const ElastonPiece& piece = pieces_[static_cast<std::size_t>(block)];
  const auto of_piece = [&](const std::vector<Vec3d>& all) {
    return std::span(all).subspan(4 * piece.first_node, 4 * piece.nodes);
  };
  std::int32_t point = piece.boundary->first_point(static_cast<std::size_t>(place));
  for (BoundaryVertex& v : vertices) {
    v.x = piece.boundary->place(point, of_piece(position_));
    v.way = piece.boundary->place(point++, of_piece(velocity_)) * dt;
  }
}

}  // namespace ymir
