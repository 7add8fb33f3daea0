// Fibres against fibres, and loose points against fibres and each other.
#include <algorithm>
#include <cmath>

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
constexpr std::size_t ahead = 8;  // pairs, to have their vertices in the cache in time

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

double arc_of(const Boundary& b, std::int32_t segment, double s) {
  return segment - b.piece(b.vertices[at(segment)].piece).first_vertex + s;
}

// Up to `lanes` pairs of segments, those in reach of each other appended.
void measure(const Boundary& b, std::span<const std::uint64_t> pairs, std::vector<FiberPair>& found) {
  using Real = Lanes<double, lanes>;
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
  const auto closest = closest_segments(x, d, y, e, 1e-12, 1e-300);
  const Vec3<Real> difference = x + d * closest.s - y - e * closest.t;
  const Real distance = sqrt(dot(difference, difference));
  for (int k = 0; k < static_cast<int>(pairs.size()); ++k) {
    const double s = closest.s[k], t = closest.t[k];
    const double gap = distance[k] - p[k].radius(b, s) - q[k].radius(b, t);
    if (!(gap < margin_of(p[k].reach(b), q[k].reach(b)))) continue;
    const std::int32_t piece = b.vertices[at(p[k].v)].piece, other = b.vertices[at(q[k].v)].piece;
    if (other == piece && !b.piece(piece).traits.self_contact) continue;
    if (p[k].from_clamp(b, s) <= clamp_reach && q[k].from_clamp(b, t) <= clamp_reach) continue;
    found.push_back({other, p[k].v, q[k].v, s, t, gap, {difference.x[k], difference.y[k], difference.z[k]}});
  }
}

// Pairs of one fibre with others, by fibre, then by segments.
bool before(const FiberPair& x, const FiberPair& y) {
  if (x.piece_b != y.piece_b) return x.piece_b < y.piece_b;
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

// pairs[begin, end) are of the same two fibres, ascending. The closest are taken first; each rules out what is nearer
// to it than half an edge along both.
void merge(const std::vector<FiberPair>& pairs, std::int32_t begin, std::int32_t end, NarrowScratch& scratch) {
  scratch.order.clear();
  for (std::int32_t i = begin; i < end; ++i) scratch.order.push_back(i);
  std::sort(scratch.order.begin(), scratch.order.end(), [&](std::int32_t x, std::int32_t y) {
    return pairs[at(x)].gap != pairs[at(y)].gap ? pairs[at(x)].gap < pairs[at(y)].gap : x < y;
  });
  constexpr std::uint8_t open = 2;
  std::fill(scratch.kept.begin() + begin, scratch.kept.begin() + end, open);
  for (const std::int32_t i : scratch.order) {
    if (scratch.kept[at(i)] != open) continue;
    scratch.kept[at(i)] = 1;
    const FiberPair& p = pairs[at(i)];
    const auto rule_out = [&](std::int32_t j) {
      const FiberPair& q = pairs[at(j)];
      if (scratch.kept[at(j)] == open && std::abs(p.a + p.s - q.a - q.s) < 0.5 && std::abs(p.b + p.t - q.b - q.t) < 0.5)
        scratch.kept[at(j)] = 0;
    };
    for (std::int32_t j = i - 1; j >= begin && pairs[at(j)].a >= p.a - 1; --j) rule_out(j);
    for (std::int32_t j = i + 1; j < end && pairs[at(j)].a <= p.a + 1; ++j) rule_out(j);
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
      measure(b, pairs.subspan(begin, std::min<std::size_t>(lanes, end - begin)), scratch.pairs);
    }
    std::sort(scratch.pairs.begin(), scratch.pairs.end(), before);
    scratch.kept.resize(scratch.pairs.size());
    const auto count = static_cast<std::int32_t>(scratch.pairs.size());
    for (std::int32_t first = 0; first < count;) {
      std::int32_t last = first + 1;
      while (last < count && scratch.pairs[at(last)].piece_b == scratch.pairs[at(first)].piece_b) ++last;
      merge(scratch.pairs, first, last, scratch);
      for (; first < last; ++first)
        if (scratch.kept[at(first)]) contacts.push_back(contact_of(b, scratch.pairs[at(first)]));
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
