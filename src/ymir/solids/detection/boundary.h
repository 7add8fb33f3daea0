// Where solids end: points, fibres and triangles of all Objects, as detection of contact sees them. It knows neither
// Objects nor solvers: an Object shows its pieces, whatever they are made of.
//
// Pieces are added in ascending order of their ids, which are the same on all ranks; elements of a piece are numbered
// within it. Whatever is found is sorted by those numbers, and does not depend on what else a rank has.
//
// Per substep only what moves is filled in: position, and travel, a bound on how far a vertex will go. Two elements are
// in reach of each other when their distance is below their radii and
//
//   margin = min(m_a + m_b, half the longer edge),  m = min(travel, half an edge): speculative contact [m]
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir {

struct PieceId {
  std::int32_t object = 0;
  std::int64_t piece = 0;  // of points: of the first of them
  friend auto operator<=>(const PieceId&, const PieceId&) = default;
};

enum class PieceKind : std::uint8_t { points, fiber, mesh };

struct PieceTraits {
  bool solid = false;        // a mesh that is closed and oriented outwards: distances inside of it are negative
  bool self_contact = true;  // touches itself too
  bool fresh = false;        // new in this substep: overlap that it has now is remembered, not pushed apart
  bool alone = false;        // touches colliders only
  bool rolls = false;        // a fibre that touches at its surface, where friction turns it
  std::int32_t whole = -1;   // what it is a part of, of its object; parts of one do not touch each other. -1: nothing
};

// Side by side in memory: whoever looks at a vertex looks at all of it.
struct BoundaryVertex {
  Vec3d x{0, 0, 0};                                            // when the substep begins [m]
  double travel = 0;                                           // bound on its way in the substep [m]
  Vec3d way{0, 0, 0};                                          // that it will about go [m]
  double radius = 0;                                           // half the thickness of meshes [m]
  double friction = std::numeric_limits<double>::quiet_NaN();  // painted; not a number: that of its object
  // To the nearest vertex that is held [edges]; 0 where it is. Of meshes held vertices only: who plants fibres in a
  // skin sets it there, or their roots touch the skin.
  float from_clamp = 1e30f;
  std::int32_t piece = 0;
};

struct BoundaryPiece {
  PieceId id;
  PieceKind kind;
  PieceTraits traits;
  std::int32_t first_vertex, vertices;
  std::int32_t first_triangle, triangles;  // of a mesh
  std::int32_t first_edge, edges;          // of a mesh
};

inline bool parts_of_one(const BoundaryPiece& a, const BoundaryPiece& b) {
  return a.traits.whole >= 0 && a.traits.whole == b.traits.whole && a.id.object == b.id.object && a.id != b.id;
}

class Boundary {
 public:
  void clear();
  // Loose points; `ids` ascend and are the same on all ranks. All return the number of the piece here.
  std::int32_t add_points(std::int32_t object, std::span<const std::int64_t> ids, std::span<const Vec3d> positions,
                          std::span<const double> radii, const PieceTraits& traits);
  // Vertices in order; `held`: prescribed ones (clamps), empty: none.
  std::int32_t add_fiber(PieceId id, std::span<const Vec3d> positions, std::span<const double> radii,
                         std::span<const std::uint8_t> held, const PieceTraits& traits);
  std::int32_t add_mesh(PieceId id, std::span<const Vec3d> positions,
                        std::span<const std::array<std::int32_t, 3>> corners, double thickness,
                        std::span<const std::uint8_t> held, const PieceTraits& traits);
  void set_fresh(std::int32_t piece, bool fresh) { pieces_[at(piece)].traits.fresh = fresh; }

  std::vector<BoundaryVertex> vertices;
  std::span<BoundaryVertex> vertices_of(std::int32_t piece);

  std::span<const BoundaryPiece> pieces() const { return pieces_; }
  const BoundaryPiece& piece(std::int32_t p) const { return pieces_[at(p)]; }

  std::vector<std::int32_t> points;    // loose ones, by their vertices
  std::vector<std::int64_t> label;     // id of a loose point, by vertex
  std::vector<std::int32_t> segments;  // of fibres, named by the first of their two vertices; the second follows it
  // Triangles, their edges (edge k lies opposite to corner k) and what is around them.
  std::vector<std::array<std::int32_t, 3>> triangles, triangle_edges;
  std::vector<std::int32_t> triangle_piece;
  std::vector<std::array<std::int32_t, 2>> edges;           // low and high vertex
  std::vector<std::array<std::int32_t, 2>> edge_triangles;  // the first two at it, ascending; -1: none
  std::vector<std::int32_t> edge_piece;
  // Triangles around a vertex, ascending.
  std::span<const std::int32_t> around(std::int32_t vertex) const {
    const auto v = at(vertex);
    return {around_.data() + first_around_[v], static_cast<std::size_t>(first_around_[v + 1] - first_around_[v])};
  }
  // Changes whenever pieces do: what was built over elements has to be built anew.
  std::uint64_t topology() const { return topology_; }

 private:
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  BoundaryPiece& new_piece(PieceId id, PieceKind kind, const PieceTraits& traits, std::span<const Vec3d> positions);
  void connect(const BoundaryPiece& mesh);

  std::vector<BoundaryPiece> pieces_;
  std::vector<std::int32_t> first_around_{0}, around_;
  std::uint64_t topology_ = 0;
};

}  // namespace ymir
