// From candidates to contacts: exact distances of the pairs of one range, in double precision, merged.
//
// Each takes ascending pairs (a, b) that hold all of the owners of their a, and appends contacts ascending by owner of
// a, owner of b, place. Contacts of points that are both held, or near clamps, are left out: they could not give way.
#pragma once

#include <span>
#include <vector>

#include "ymir/solids/detection/boundary.h"
#include "ymir/solids/detection/contact.h"

namespace ymir {

// Both points of a contact that lie no farther than this from a clamp: none. [edges]
constexpr float clamp_reach = 3.5f;
// Segments of one fibre that are fewer apart do not touch.
constexpr std::int32_t fiber_neighbours = 3;

// Sides that go apart by less than their gap do not meet in a substep. Ways are those of velocities when it begins, and
// may be longer by this factor, and by what is added to it.
constexpr double way_safety = 1.5;

// Which points of two segments are compared.
enum class FiberPlace : std::uint8_t { first_of_a, last_of_a, first_of_b, last_of_b, within };

struct FiberPair {
  std::int32_t piece_b, a, b;
  FiberPlace place;
  double s, t, gap;
  Vec3d difference;
};

// The closest within half an edge along both fibres; one beside it.
enum class FiberKept : std::uint8_t { no, closest, beside };

// Memory of one thread, kept.
struct alignas(64) NarrowScratch {
  double slack = 0;  // added to ways [m]; 0: whatever is in reach counts
  std::vector<FiberPair> pairs;
  std::vector<Contact> contacts;
  std::vector<std::int32_t> order;
  std::vector<std::uint8_t> kept;
  std::vector<FiberKept> fiber_kept;
};

// Segments. Of the same two fibres only the closest within half an edge along both is kept.
void narrow_fibers(const Boundary& boundary, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                   std::vector<Contact>& contacts);
// Segments and triangles: the end of the segment (of the first of a fibre both) above the face, the segment across
// those edges of the triangle that it is the first to have, where that is closer than what is within half an edge.
void narrow_fiber_faces(const Boundary& boundary, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                        std::vector<Contact>& contacts);
void narrow_vertex_faces(const Boundary& boundary, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                         std::vector<Contact>& contacts);
void narrow_edges(const Boundary& boundary, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                  std::vector<Contact>& contacts);
// Loose points, by their vertices.
void narrow_point_fibers(const Boundary& boundary, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                         std::vector<Contact>& contacts);
void narrow_points(const Boundary& boundary, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                   std::vector<Contact>& contacts);

// Sides of contacts.
ContactSide fiber_side(const Boundary& b, std::int32_t segment, double s);
ContactSide point_side(const Boundary& b, std::int32_t vertex);
ContactSide edge_side(const Boundary& b, std::int32_t edge, double t);
ContactSide face_side(const Boundary& b, std::int32_t triangle, Vec3d weights);
Vec3d place_of(const Boundary& b, const ContactSide& side);
double radius_at(const Boundary& b, const ContactSide& side);
// Whether both sides are so near to clamps that they could not give way.
bool clamped(const Boundary& b, const ContactSide& p, const ContactSide& q);

}  // namespace ymir
