// Fibres against fibres, and loose points against fibres and each other.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/math/simd.h"
#include "ymir/physics/contact/closest_segments.h"
#include "ymir/physics/contact/contact_frame.h"
#include "ymir/physics/contact/nearest_on_triangle.h"
#include "ymir/solids/detection/candidates.h"
#include "ymir/solids/detection/elements.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

constexpr int lanes = 4;
// Two places that are nearer than this along both fibres are one [edges].
constexpr double same_place = 0.05;
// A place between vertices that is no nearer than this is none [radii of both].
constexpr double rounding = 1e-9;
// A contact is beside one that is nearer within this [edges].
constexpr double around = 0.5;
constexpr std::size_t ahead = 8;  // pairs, to have their vertices in the cache in time

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

double arc_of(const Boundary& b, std::int32_t segment, double s) {
  return segment - b.piece(b.vertices[at(segment)].piece).first_vertex + s;
}

bool last_segment(const Boundary& b, std::int32_t segment) {
  const BoundaryPiece& piece = b.piece(b.vertices[at(segment)].piece);
  return segment + 2 == piece.first_vertex + piece.vertices;
}

Vec3d way_at(const Boundary& b, const Segment& segment, double s) {
  const Vec3d first = b.vertices[at(segment.v)].way;
  return first + (b.vertices[at(segment.v) + 1].way - first) * s;
}

// Whether from vertices v and w of two fibres no way along either leads closer.
bool closest_vertices(const Boundary& b, std::int32_t v, std::int32_t w) {
  const Vec3d difference = b.vertices[at(v)].x - b.vertices[at(w)].x;
  const auto stays = [&](std::int32_t from, Vec3d away) {
    const BoundaryPiece& piece = b.piece(b.vertices[at(from)].piece);
    const Vec3d x = b.vertices[at(from)].x;
    return (from == piece.first_vertex || dot(away, b.vertices[at(from - 1)].x - x) <= 0) &&
           (from + 1 == piece.first_vertex + piece.vertices || dot(away, b.vertices[at(from + 1)].x - x) <= 0);
  };
  return stays(v, -difference) && stays(w, difference);
}

using Real = Lanes<double, lanes>;

// Where x is nearest to on q + t e.
Real nearest(const Vec3<Real>& x, const Vec3<Real>& q, const Vec3<Real>& e, const Real& square) {
  return min(max(dot(e, x - q) / square, Real::all(0)), Real::all(1));
}

// Places of one pair of segments that are in reach of each other are appended.
struct Places {
  const Boundary& b;
  const Segment &p, &q;
  double slack, margin;
  std::int32_t other;  // piece of q
  std::vector<FiberPair>& found;
  double least = std::numeric_limits<double>::infinity();  // gap of the vertices

  void add(FiberPlace place, double s, double t, Vec3d difference) {
    const double radii = p.radius(b, s) + q.radius(b, t), gap = norm(difference) - radii;
    if (!(gap < margin)) return;
    if (slack > 0 && gap > slack && gap > slack + way_safety * norm(way_at(b, p, s) - way_at(b, q, t))) return;
    if (place == FiberPlace::within) {
      if (!(gap < least - rounding * radii)) return;
    } else {
      least = std::min(least, gap);
    }
    const bool ends = (s == 0 || s == 1) && (t == 0 || t == 1);
    if (ends && !closest_vertices(b, p.v + (s == 1), q.v + (t == 1))) return;
    if (held(p, s) && held(q, t)) return;
    found.push_back({other, p.v, q.v, place, s, t, gap, difference});
  }
  // Near a clamp. Between vertices all of a segment is or is not: what slides along would be met at a depth else, where
  // contacts begin, and not come to rest.
  bool held(const Segment& segment, double s) const {
    const bool vertex = s == 0 || s == 1;
    return (vertex ? segment.from_clamp(b, s) : std::min(segment.from_clamp(b, 0), segment.from_clamp(b, 1))) <=
           clamp_reach;
  }
  void add_last() {
    const Vec3d end_p = p.p + p.d, end_q = q.p + q.d;
    if (last_segment(b, p.v)) {
      const double t = nearest_on_segment(q.p, end_q, end_p);
      add(FiberPlace::last_of_a, 1, t, end_p - q.p - q.d * t);
    }
    if (last_segment(b, q.v)) {
      const double s = nearest_on_segment(p.p, end_p, end_q);
      add(FiberPlace::last_of_b, s, 1, p.p + p.d * s - end_q);
    }
  }
};

// Of up to `lanes` pairs of segments: the vertices of both, each above the other segment, a vertex as that of the
// segment that begins there, and the closest of the two where that is within both.
void measure(const Boundary& b, std::span<const std::uint64_t> pairs, double slack, std::vector<FiberPair>& found) {
  Segment p[lanes], q[lanes];
  Vec3<Real> x, d, y, e;
  const auto set = [](Vec3<Real>& v, int lane, Vec3d value) {
    v.x.set(lane, value.x);
    v.y.set(lane, value.y);
    v.z.set(lane, value.z);
  };
  for (int k = 0; k < lanes; ++k) {
    const std::uint64_t pair = pairs[std::min(static_cast<std::size_t>(k), pairs.size() - 1)];
    p[k] = segment_of(b, first_of(pair));
    q[k] = segment_of(b, second_of(pair));
    set(x, k, p[k].p);
    set(d, k, p[k].d);
    set(y, k, q[k].p);
    set(e, k, q[k].d);
  }
  const Real least = Real::all(1e-300);
  const auto inner = closest_segments(x, d, y, e, 1e-12, 1e-300);
  const Real over = nearest(x, y, e, max(dot(e, e), least)), under = nearest(y, x, d, max(dot(d, d), least));
  const Vec3<Real> within = x + d * inner.s - y - e * inner.t, of_a = x - y - e * over, of_b = x + d * under - y;
  const Real distance = sqrt(dot(within, within));
  const auto lane_of = [](const Vec3<Real>& v, int k) { return Vec3d{v.x[k], v.y[k], v.z[k]}; };
  for (int k = 0; k < static_cast<int>(pairs.size()); ++k) {
    const Reach reach_p = p[k].reach(b), reach_q = q[k].reach(b);
    const double margin = margin_of(reach_p, reach_q);
    // Of nearly parallel ones not the closest is known, but for a millionth of their lengths.
    constexpr double parallel = 2e-6;
    const double radii =
        std::max(p[k].radius(b, 0), p[k].radius(b, 1)) + std::max(q[k].radius(b, 0), q[k].radius(b, 1));
    if (!(distance[k] - radii < margin + parallel * (reach_p.edge + reach_q.edge))) continue;
    const std::int32_t piece = b.vertices[at(p[k].v)].piece, other = b.vertices[at(q[k].v)].piece;
    if (other == piece && !b.piece(piece).traits.self_contact) continue;
    Places places{b, p[k], q[k], slack, margin, other, found};
    places.add(FiberPlace::first_of_a, 0, over[k], lane_of(of_a, k));
    places.add(FiberPlace::first_of_b, under[k], 0, lane_of(of_b, k));
    places.add_last();
    const double s = inner.s[k], t = inner.t[k];
    if (s > 0 && s < 1 && t > 0 && t < 1) places.add(FiberPlace::within, s, t, lane_of(within, k));
  }
}

// Pairs of one fibre with others, by fibre, then by segments.
bool before(const FiberPair& x, const FiberPair& y) {
  if (x.piece_b != y.piece_b) return x.piece_b < y.piece_b;
  if (x.a != y.a) return x.a < y.a;
  return x.b != y.b ? x.b < y.b : x.place < y.place;
}

bool nearer_than(const FiberPair& p, const FiberPair& q, double edges) {
  return std::abs(p.a + p.s - q.a - q.s) < edges && std::abs(p.b + p.t - q.b - q.t) < edges;
}

// Whether of p and q, which is no nearer, only p counts: both are about at the same place, or one vertex has both. A
// vertex stays beside what is closest between vertices: the one is where it is, the other runs along with any motion.
bool rules_out(const FiberPair& p, const FiberPair& q) {
  const auto is_vertex = [](double s) { return s == 0 || s == 1; };
  const bool one_vertex = (is_vertex(p.s) && p.a + p.s == q.a + q.s) || (is_vertex(p.t) && p.b + p.t == q.b + q.t);
  if (one_vertex) return nearer_than(p, q, around);
  return nearer_than(p, q, same_place) && (p.place != FiberPlace::within || q.place == FiberPlace::within);
}

Vec3d way_of(const Boundary& b, const FiberPair& p) {
  return way_at(b, segment_of(b, p.a), p.s) - way_at(b, segment_of(b, p.b), p.t);
}

// Whether q may close when p, which is nearer and next to it, has: then the two fibres only turn about p. Where p
// overlaps, so much is allowed at q, too.
bool turns_in(const Boundary& b, const FiberPair& p, const FiberPair& q, double slack) {
  constexpr double part = 0.25;  // of what ways may be wrong by: most of it, such as gravity, both places have
  const double farther = q.gap - std::min(p.gap, 0.0);
  if (slack == 0 || farther <= part * slack) return true;
  const double closing = dot(way_of(b, p) - way_of(b, q), q.difference) / norm(q.difference);
  return farther <= part * slack + way_safety * std::max(0.0, closing);
}

// pairs[begin, end) are of the same two fibres, ascending. The closest are taken first.
void merge(const Boundary& b, const std::vector<FiberPair>& pairs, std::int32_t begin, std::int32_t end,
           NarrowScratch& scratch) {
  scratch.order.clear();
  for (std::int32_t i = begin; i < end; ++i) scratch.order.push_back(i);
  std::sort(scratch.order.begin(), scratch.order.end(), [&](std::int32_t x, std::int32_t y) {
    return pairs[at(x)].gap != pairs[at(y)].gap ? pairs[at(x)].gap < pairs[at(y)].gap : x < y;
  });
  std::fill(scratch.fiber_kept.begin() + begin, scratch.fiber_kept.begin() + end, FiberKept::closest);
  for (const std::int32_t i : scratch.order) {
    if (scratch.fiber_kept[at(i)] == FiberKept::no) continue;
    const FiberPair& p = pairs[at(i)];
    const auto compare = [&](std::int32_t j) {
      const FiberPair& q = pairs[at(j)];
      if (q.gap < p.gap || (q.gap == p.gap && j < i)) return;
      FiberKept& kept = scratch.fiber_kept[at(j)];
      if (rules_out(p, q))
        kept = FiberKept::no;
      else if (scratch.fiber_kept[at(i)] == FiberKept::closest && kept == FiberKept::closest &&
               nearer_than(p, q, around))
        kept = turns_in(b, p, q, scratch.slack) ? FiberKept::beside : FiberKept::no;
    };
    for (std::int32_t j = i - 1; j >= begin && pairs[at(j)].a >= p.a - 1; --j) compare(j);
    for (std::int32_t j = i + 1; j < end && pairs[at(j)].a <= p.a + 1; ++j) compare(j);
  }
}

Contact contact_of(const Boundary& b, const FiberPair& pair) {
  Contact c;
  c.family = ContactFamily::fiber_fiber;
  c.a = fiber_side(b, pair.a, pair.s);
  c.b = fiber_side(b, pair.b, pair.t);
  c.arc_a = arc_of(b, pair.a, pair.s);
  c.arc_b = arc_of(b, pair.b, pair.t);
  c.gap = pair.gap;
  const Vec3d along = segment_of(b, pair.a).d;
  c.vague = dot(pair.difference, pair.difference) < contact_frame::nearest * contact_frame::nearest;
  c.normal = contact_normal(pair.difference, {0, 0, 0}, along, segment_of(b, pair.b).d);
  c.tangent = tangent_along(c.normal, along);
  return c;
}

}  // namespace

void narrow_fibers(const Boundary& b, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                   std::vector<Contact>& contacts) {
  for (std::size_t begin = 0; begin < pairs.size();) {
    const std::int32_t piece = b.vertices[at(first_of(pairs[begin]))].piece;
    std::size_t end = begin + 1;
    while (end < pairs.size() && b.vertices[at(first_of(pairs[end]))].piece == piece) ++end;
    scratch.pairs.clear();
    for (; begin < end; begin += std::min<std::size_t>(lanes, end - begin)) {
      for (std::size_t k = begin + ahead; k < std::min(begin + ahead + lanes, pairs.size()); ++k)
        __builtin_prefetch(&b.vertices[at(second_of(pairs[k]))]);
      measure(b, pairs.subspan(begin, std::min<std::size_t>(lanes, end - begin)), scratch.slack, scratch.pairs);
    }
    std::sort(scratch.pairs.begin(), scratch.pairs.end(), before);
    scratch.fiber_kept.resize(scratch.pairs.size());
    const auto count = static_cast<std::int32_t>(scratch.pairs.size());
    for (std::int32_t first = 0; first < count;) {
      std::int32_t last = first + 1;
      while (last < count && scratch.pairs[at(last)].piece_b == scratch.pairs[at(first)].piece_b) ++last;
      merge(b, scratch.pairs, first, last, scratch);
      for (; first < last; ++first)
        if (scratch.fiber_kept[at(first)] != FiberKept::no) contacts.push_back(contact_of(b, scratch.pairs[at(first)]));
    }
  }
}

void narrow_point_fibers(const Boundary& b, std::span<const std::uint64_t> pairs, NarrowScratch&,
                         std::vector<Contact>& contacts) {
  for (const std::uint64_t pair : pairs) {
    const std::int32_t v = first_of(pair), j = second_of(pair);
    const Segment q = segment_of(b, j);
    const Vec3d x = b.vertices[at(v)].x;
    const double t = nearest_on_segment(q.p, q.p + q.d, x);
    const Vec3d difference = x - q.p - q.d * t;
    Contact c;
    c.family = ContactFamily::point_fiber;
    c.gap = norm(difference) - b.vertices[at(v)].radius - q.radius(b, t);
    if (!(c.gap < margin_of(vertex_reach(b, v), q.reach(b)))) continue;
    c.a = point_side(b, v);
    c.b = fiber_side(b, j, t);
    if (clamped(b, c.a, c.b)) continue;
    c.arc_b = arc_of(b, j, t);
    c.vague = norm(difference) < contact_frame::nearest;
    c.normal = contact_normal(difference, {0, 0, 0}, {0, 0, 0}, q.d);
    c.tangent = tangent_along(c.normal, q.d);
    // The segments that meet at a vertex both have it.
    if (!contacts.empty() && contacts.back().family == c.family && contacts.back().a.element == v &&
        contacts.back().b.piece == c.b.piece && c.arc_b - contacts.back().arc_b < 0.5) {
      if (c.gap < contacts.back().gap) contacts.back() = c;
      continue;
    }
    contacts.push_back(c);
  }
}

void narrow_points(const Boundary& b, std::span<const std::uint64_t> pairs, NarrowScratch&,
                   std::vector<Contact>& contacts) {
  for (const std::uint64_t pair : pairs) {
    const std::int32_t v = first_of(pair), w = second_of(pair);
    const std::int32_t piece = b.vertices[at(v)].piece;
    if (piece == b.vertices[at(w)].piece && !b.piece(piece).traits.self_contact) continue;
    const Vec3d difference = b.vertices[at(v)].x - b.vertices[at(w)].x;
    Contact c;
    c.family = ContactFamily::point_point;
    c.gap = norm(difference) - b.vertices[at(v)].radius - b.vertices[at(w)].radius;
    if (!(c.gap < margin_of(vertex_reach(b, v), vertex_reach(b, w)))) continue;
    c.a = point_side(b, v);
    c.b = point_side(b, w);
    if (clamped(b, c.a, c.b)) continue;
    c.vague = norm(difference) < contact_frame::nearest;
    c.normal = contact_normal(difference, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});
    c.tangent = any_normal(c.normal);
    contacts.push_back(c);
  }
}

}  // namespace ymir
