#include "ymir/solids/detection/contact_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>

#include "ymir/base/hash.h"
#include "ymir/physics/contact/contact_frame.h"
#include "ymir/physics/contact/nearest_on_triangle.h"
#include "ymir/solids/detection/elements.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

constexpr std::int64_t of_colliders = std::numeric_limits<std::int32_t>::max();

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

template <class Record>
std::uint64_t hash_records(const std::vector<Record>& records, std::uint64_t seed) {
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % 8 == 0);
  return hash_bytes(std::as_bytes(std::span(records)), hash_combine(seed, records.size()));
}

ContactOwner owner(const Boundary& b, const ContactSide& side, std::int64_t feature) {
  const PieceId& id = b.piece(side.piece).id;
  return {id.object, id.piece, feature};
}

ContactOwner point_owner(const Boundary& b, const ContactSide& side) {
  const BoundaryPiece& piece = b.piece(side.piece);
  if (piece.kind == PieceKind::points) return {piece.id.object, b.label[at(side.element)], -1};
  return owner(b, side, side.element - piece.first_vertex);
}

// Longest edge of what side b lies on, to measure ways on it by.
double edge_of(const Boundary& b, const ContactSide& side) {
  double longest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int32_t v = side.vertex[k], w = side.vertex[(k + 1) % 3];
    if (v >= 0 && w >= 0) longest = std::max(longest, norm(b.vertices[at(v)].x - b.vertices[at(w)].x));
  }
  return longest;
}

// Where the old point of side b is now; false: it is no more.
bool place_now(const Boundary& b, const ContactRecord& old, std::int32_t piece, Vec3d& x) {
  x = {0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    if (old.vertex[k] < 0) continue;
    if (old.vertex[k] >= b.piece(piece).vertices) return false;
    x += b.vertices[at(b.piece(piece).first_vertex) + static_cast<std::size_t>(old.vertex[k])].x * old.weight[k];
  }
  return true;
}

bool between_vertices(double arc) { return arc != std::floor(arc); }
double arc_b(const ContactRecord& old) { return static_cast<double>(old.vertex[0]) + old.weight[1]; }

// Whether a contact of fibres is at the same vertex as an old one, or both are between vertices.
bool alike(const Contact& c, const ContactRecord& old) {
  const bool of_a = between_vertices(c.arc_a), of_b = between_vertices(c.arc_b);
  if (of_a != between_vertices(old.arc_a) || of_b != between_vertices(arc_b(old))) return false;
  return (of_a || c.arc_a == old.arc_a) && (of_b || c.arc_b == arc_b(old));
}

// Edges between a contact and an old one of the same owners; followed below 1.
double apart(const Boundary& b, const Contact& c, const ContactRecord& old) {
  const double along = std::abs(c.arc_a - old.arc_a);
  if (c.b.kind == SideKind::collider || c.b.kind == SideKind::point) return along;
  constexpr double other = 0.25;  // [edges]
  if (c.family == ContactFamily::fiber_fiber) return along + (alike(c, old) ? 0 : other);
  Vec3d x;
  if (!place_now(b, old, c.b.piece, x)) return 1;
  const double edge = edge_of(b, c.b);
  return edge > 0 ? std::max(along, norm(place_of(b, c.b) - x) / edge) : 1;
}

// Sheets have no inside: what was on one side of them is still meant to be there, though a substep let it through.
bool has_passed(const Boundary& b, const Contact& c, const ContactRecord& old) {
  constexpr double turned = -0.5;  // cosine between normals, beyond which no surface has turned so far
  const auto sheet = [&](const ContactSide& side) {
    return side.kind != SideKind::collider && b.piece(side.piece).kind == PieceKind::mesh &&
           !b.piece(side.piece).traits.solid;
  };
  return (c.b.kind == SideKind::face || c.b.kind == SideKind::edge) && (sheet(c.a) || sheet(c.b)) &&
         dot(c.normal, old.normal) < turned;
}

// Takes c, between vertices, to another place on the first fibre, if it is farther there by no more than `farther`.
bool move_along(const Boundary& b, Contact& c, double arc_a, std::int32_t segment_b, double farther) {
  const double first = std::floor(arc_a), s = arc_a - first;
  const auto p = segment_of(b, b.piece(c.a.piece).first_vertex + static_cast<std::int32_t>(first));
  const auto q = segment_of(b, b.piece(c.b.piece).first_vertex + segment_b);
  const Vec3d x = p.p + p.d * s;
  const double t = nearest_on_segment(q.p, q.p + q.d, x);
  const ContactSide side_a = fiber_side(b, p.v, s), side_b = fiber_side(b, q.v, t);
  const double radii = radius_at(b, side_a) + radius_at(b, side_b);
  const Vec3d difference = x - q.p - q.d * t;
  const double gap = norm(difference) - radii;
  if (s == 0 || t == 0 || t == 1 || gap > c.gap + farther * radii) return false;
  c.a = side_a;
  c.b = side_b;
  c.arc_a = arc_a;
  c.arc_b = segment_b + t;
  c.gap = gap;
  c.normal = contact_normal(difference, c.normal, p.d, q.d);
  c.tangent = tangent_along(c.normal, p.d);
  return true;
}

// What is closest between the vertices of fibres that lie along each other runs from one end to the other with any
// motion, and they would never be at rest. As long as the old place is hardly farther, contact stays there; else it
// goes half of the way, so that what rocks about it settles.
void stay(const Boundary& b, Contact& c, const ContactRecord& old) {
  constexpr double hardly = 1e-4, little = 1e-2;  // of the radii of both
  if (c.vague || !alike(c, old) || !between_vertices(c.arc_a) || !between_vertices(c.arc_b)) return;
  if (std::floor(old.arc_a) + 1 >= b.piece(c.a.piece).vertices || old.vertex[0] + 1 >= b.piece(c.b.piece).vertices)
    return;
  if (move_along(b, c, old.arc_a, static_cast<std::int32_t>(old.vertex[0]), hardly)) return;
  move_along(b, c, (old.arc_a + c.arc_a) / 2, static_cast<std::int32_t>((arc_b(old) + c.arc_b) / 2), little);
}

void follow(const Boundary& b, Contact& c, const ContactRecord& old) {
  c.known = true;
  if (c.family == ContactFamily::fiber_fiber) stay(b, c, old);
  c.impulse = old.impulse;
  const Vec3d along = c.tangent;
  if (c.vague) {
    c.normal = old.normal;
  } else if (has_passed(b, c, old)) {
    c.normal = -c.normal;
    c.gap = -c.gap - 2 * (radius_at(b, c.a) + radius_at(b, c.b));
  }
  // On fibres and edges the tangent follows them.
  c.tangent =
      c.a.kind == SideKind::point ? tangent_carried(c.normal, old.normal, old.tangent) : tangent_along(c.normal, along);
}

// Each contact takes the nearest old one if that has no nearer contact. Both lists ascend along the fibre but for one
// edge at most: only what is around is looked at.
void follow_all(const Boundary& b, std::span<Contact> group, std::span<const ContactRecord> old) {
  constexpr double around = 3;  // [edges]
  // Whether another contact around the one at i is nearer to the record, or as near and before it.
  const auto taken = [&](std::size_t i, const ContactRecord& record, double distance) {
    for (std::size_t j = i; j-- > 0 && group[i].arc_a - group[j].arc_a < around;)
      if (apart(b, group[j], record) <= distance) return true;
    for (std::size_t j = i + 1; j < group.size() && group[j].arc_a - group[i].arc_a < around; ++j)
      if (apart(b, group[j], record) < distance) return true;
    return false;
  };
  std::size_t first = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    while (first < old.size() && old[first].arc_a < group[i].arc_a - around) ++first;
    std::size_t best = old.size();
    double least = 1;
    for (std::size_t k = first; k < old.size() && old[k].arc_a < group[i].arc_a + around; ++k)
      if (const double d = apart(b, group[i], old[k]); d < least) {
        least = d;
        best = k;
      }
    if (best < old.size() && !taken(i, old[best], least)) follow(b, group[i], old[best]);
  }
}

// Roots are planted in the skin: that does not release them.
double release_of(const Boundary& b, const Contact& c, double overlap, const MemorySettings& settings) {
  if (c.family == ContactFamily::fiber_fiber)
    return std::clamp(-overlap / settings.release_time, settings.least_release, settings.release);
  if (c.b.kind != SideKind::collider) return settings.release;
  for (const std::int32_t v : c.a.vertex)
    if (v >= 0 && b.vertices[at(v)].from_clamp <= clamp_reach) return 0;
  return settings.release;
}

bool fresh(const Boundary& b, const ContactSide& side) {
  return side.kind != SideKind::collider && b.piece(side.piece).traits.fresh;
}

// Centre lines nearer than half of what should keep them apart.
bool crosses(const Boundary& b, const Contact& c) {
  return c.family == ContactFamily::fiber_fiber && c.gap < -0.5 * (radius_at(b, c.a) + radius_at(b, c.b));
}

// What a pair may overlap now; nothing was remembered of it: nullptr. Its owners are left open.
OverlapRecord overlap_now(const Boundary& b, std::span<const Contact> group, const OverlapRecord* remembered,
                          bool followed, const MemorySettings& settings, double dt) {
  double deepest = 0;
  bool crossing = false;
  for (const Contact& c : group) {
    deepest = std::min(deepest, c.gap);
    crossing = crossing || crosses(b, c);
  }
  if (remembered != nullptr) {
    const double released = remembered->overlap + release_of(b, group[0], remembered->overlap, settings) * dt;
    return {{}, {}, std::min(0.0, std::max(released, deepest)), remembered->crossing != 0 && deepest < 0 ? 1 : 0};
  }
  if (fresh(b, group[0].a) || fresh(b, group[0].b)) return {{}, {}, deepest, crossing ? 1 : 0};
  if (settings.layers && !followed) return {{}, {}, deepest, 0};
  return {{}, {}, 0, 0};
}

}  // namespace

std::uint64_t ContactMemory::hash() const {
  std::uint64_t h = 0;
  for (const auto& family : overlaps) h = hash_records(family, h);
  for (const auto& family : contacts) h = hash_records(family, h);
  return h;
}

ContactOwner owner_of_a(const Boundary& b, const Contact& c) {
  switch (c.family) {
    case ContactFamily::fiber_fiber:
    case ContactFamily::fiber_face: return owner(b, c.a, -1);
    case ContactFamily::edge_edge: return owner(b, c.a, c.a.element - b.piece(c.a.piece).first_edge);
    case ContactFamily::collider:
      // Each place that is asked for by itself: vertices are even, middles of edges odd.
      if (c.a.kind == SideKind::fiber) return owner(b, c.a, static_cast<std::int64_t>(2 * c.arc_a));
      return point_owner(b, c.a);
    default: return point_owner(b, c.a);
  }
}

ContactOwner owner_of_b(const Boundary& b, const Contact& c) {
  if (c.b.kind == SideKind::collider) return {of_colliders, c.b.piece, -1};
  return c.b.kind == SideKind::point ? point_owner(b, c.b) : owner(b, c.b, -1);
}

ContactRecord record_of(const Boundary& b, const Contact& c) {
  ContactRecord record{owner_of_a(b, c), owner_of_b(b, c), c.arc_a,   {-1, -1, -1},
                       {0, 0, 0},        c.normal,         c.tangent, c.impulse};
  for (std::size_t k = 0; k < 3; ++k) {
    if (c.b.vertex[k] < 0) continue;
    record.vertex[k] = c.b.vertex[k] - b.piece(c.b.piece).first_vertex;
    record.weight[k] = c.b.weight[k];
  }
  return record;
}

void recall(const Boundary& b, const ContactMemory& memory, const MemorySettings& settings, double dt,
            std::vector<Contact>& contacts, std::vector<OverlapRecord>& overlaps) {
  overlaps.clear();
  if (contacts.empty()) return;
  const auto family = static_cast<std::size_t>(contacts[0].family);
  ContactOwner owner_a = owner_of_a(b, contacts[0]), owner_b = owner_of_b(b, contacts[0]);
  const auto passed = [&](const auto& record) { return std::tie(record.a, record.b) < std::tie(owner_a, owner_b); };
  const auto same = [&](const auto& record) { return record.a == owner_a && record.b == owner_b; };
  // All three lists ascend by owners.
  const auto& pairs = memory.overlaps[family];
  const auto& records = memory.contacts[family];
  auto pair = std::partition_point(pairs.begin(), pairs.end(), passed);
  auto old = std::partition_point(records.begin(), records.end(), passed);
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < contacts.size();) {
    std::size_t end = begin + 1;
    while (end < contacts.size() && owner_of_a(b, contacts[end]) == owner_a && owner_of_b(b, contacts[end]) == owner_b)
      ++end;
    const std::span<Contact> group(contacts.data() + begin, end - begin);
    while (old != records.end() && passed(*old)) ++old;
    auto last = old;
    while (last != records.end() && same(*last)) ++last;
    if (last != old) follow_all(b, group, std::span(old, last));
    while (pair != pairs.end() && passed(*pair)) ++pair;
    const bool remembered = pair != pairs.end() && same(*pair);
    const OverlapRecord now = overlap_now(b, group, remembered ? &*pair : nullptr, last != old, settings, dt);
    const bool crossing = now.crossing != 0;
    if (now.overlap < 0 || crossing) overlaps.push_back({owner_a, owner_b, now.overlap, now.crossing});
    for (std::size_t i = begin; i < end && !crossing; ++i) {
      contacts[i].overlap = now.overlap;
      if (kept != i) contacts[kept] = contacts[i];
      ++kept;
    }
    begin = end;
    if (begin == contacts.size()) break;
    owner_a = owner_of_a(b, contacts[begin]);
    owner_b = owner_of_b(b, contacts[begin]);
  }
  contacts.resize(kept);
}

}  // namespace ymir
