#include "ymir/solids/detection/swept_contacts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/additive_ccd.h"
#include "ymir/physics/contact/contact_frame.h"
#include "ymir/solids/detection/box_pairs.h"
#include "ymir/solids/detection/candidates.h"
#include "ymir/solids/detection/elements.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

constexpr double fast = 0.25;  // of its edge, beyond which a way may be missed by margins

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A time until which they stay apart and at which nearly nothing is left between them: the normal is that of the
// impact.
template <int n, class SafeTime>
double meeting_time(const Vec3d (&x)[n], const Vec3d (&way)[n], double radii, const SafeTime& safe) {
  constexpr int again = 4;  // each leaves a tenth of the gap
  double time = 0;
  for (int k = 0; k < again; ++k) {
    Vec3d now[n], left[n];
    for (int i = 0; i < n; ++i) now[i] = x[i] + way[i] * time, left[i] = way[i] * (1 - time);
    const double share = safe(now, left, radii);
    if (share >= 1) return 1;
    time += (1 - time) * share;
  }
  return time;
}

// A point, segment or triangle with the box of its way.
struct Swept {
  Box box;
  std::int32_t vertex[3];
  std::int32_t count, element, piece;
  Reach reach;
  bool fast;
};

class Sweep {
 public:
  Sweep(const Boundary& b, const ContactFilter& filter, std::vector<Contact>& contacts)
      : b_(&b), filter_(&filter), contacts_(&contacts) {}

  void find_pairs();

 private:
  Vec3d x(std::int32_t v) const { return b_->vertices[at(v)].x; }
  Vec3d way(std::int32_t v) const { return b_->vertices[at(v)].way; }
  void add(const std::int32_t* vertices, std::int32_t count, std::int32_t element, std::int32_t piece, Reach reach);
  bool may_touch(const Swept& p, const Swept& q) const;
  void meet(const Swept& p, const Swept& q, std::vector<Contact>& found) const;
  void meet_faces(const Swept& p, const Swept& q, std::vector<Contact>& found) const;
  void keep(ContactFamily family, const ContactSide& a, const ContactSide& b, double time, const Reach& reach_a,
            const Reach& reach_b, std::vector<Contact>& found) const;
  Vec3d moved(const ContactSide& side, double time) const;

  const Boundary* b_;
  const ContactFilter* filter_;
  std::vector<Contact>* contacts_;
  Vec3d mean_{0, 0, 0};  // way
  std::vector<Swept> elements_;
};

void Sweep::add(const std::int32_t* vertices, std::int32_t count, std::int32_t element, std::int32_t piece,
                Reach reach) {
  Swept e;
  e.count = count, e.element = element, e.piece = piece, e.reach = reach;
  double radius = 0, farthest = 0;
  for (std::int32_t k = 0; k < count; ++k) {
    const std::int32_t v = vertices[k];
    e.vertex[k] = v;
    const Vec3d own = way(v) - mean_;
    e.box.include(x(v));
    e.box.include(x(v) + own);
    radius = std::max(radius, b_->vertices[at(v)].radius);
    farthest = std::max(farthest, norm(own));
  }
  e.box = inflated(e.box, radius);
  e.fast = farthest > fast * (std::isfinite(reach.edge) ? reach.edge : 0.0);
  elements_.push_back(e);
}

bool Sweep::may_touch(const Swept& p, const Swept& q) const {
  const BoundaryPiece &a = b_->piece(p.piece), &b = b_->piece(q.piece);
  if (a.traits.alone || b.traits.alone || parts_of_one(a, b)) return false;
  if (filter_->objects && !filter_->objects(a.id.object, b.id.object)) return false;
  if (p.piece != q.piece) return true;
  if (!a.traits.self_contact || a.traits.solid) return false;
  if (p.count == 2) return std::abs(p.element - q.element) >= fiber_neighbours;
  for (std::int32_t i = 0; i < p.count; ++i)
    for (std::int32_t k = 0; k < q.count; ++k)
      if (p.vertex[i] == q.vertex[k]) return false;
  return true;
}

Vec3d Sweep::moved(const ContactSide& side, double time) const {
  Vec3d sum{0, 0, 0};
  for (std::size_t k = 0; k < side.vertex.size() && side.vertex[k] >= 0; ++k)
    sum += (x(side.vertex[k]) + way(side.vertex[k]) * time) * side.weight[k];
  return sum;
}

// Where they touch, if they come nearer on their way and are not near already.
void Sweep::keep(ContactFamily family, const ContactSide& a, const ContactSide& b, double time, const Reach& reach_a,
                 const Reach& reach_b, std::vector<Contact>& found) const {
  if (!(time < 1) || clamped(*b_, a, b)) return;
  const double radii = radius_at(*b_, a) + radius_at(*b_, b);
  const Vec3d now = moved(a, 0) - moved(b, 0), then = moved(a, time) - moved(b, time);
  if (norm(now) - radii < margin_of(reach_a, reach_b)) return;
  Contact c;
  c.family = family, c.a = a, c.b = b;
  c.normal = contact_normal(then, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});
  if (!(dot(c.normal, moved(a, 1) - moved(b, 1) - now) < 0)) return;
  c.gap = dot(c.normal, now) - radii;
  c.tangent = any_normal(c.normal);
  if (a.kind == SideKind::fiber) {
    c.arc_a = a.element - b_->piece(a.piece).first_vertex + a.weight[1];
    c.tangent = tangent_along(c.normal, x(a.element + 1) - x(a.element));
  }
  if (b.kind == SideKind::fiber) c.arc_b = b.element - b_->piece(b.piece).first_vertex + b.weight[1];
  found.push_back(c);
}

void Sweep::meet_faces(const Swept& p, const Swept& q, std::vector<Contact>& found) const {
  const auto corner = [&](const Swept& point, const Swept& face, std::size_t k) {
    const std::int32_t v[4] = {point.vertex[k], face.vertex[0], face.vertex[1], face.vertex[2]};
    if (b_->around(v[0])[0] != point.element) return;  // once for all triangles around it
    Vec3d y[4], d[4];
    for (int i = 0; i < 4; ++i) y[i] = x(v[i]), d[i] = way(v[i]);
    const double radii = b_->vertices[at(v[0])].radius + b_->vertices[at(v[1])].radius;
    const double time = meeting_time(y, d, radii, point_triangle_safe_time);
    if (!(time < 1)) return;
    for (int i = 0; i < 4; ++i) y[i] += d[i] * time;
    keep(ContactFamily::vertex_face, point_side(*b_, v[0]),
         face_side(*b_, face.element, nearest_on_triangle(y[1], y[2], y[3], y[0])), time, point.reach, face.reach,
         found);
  };
  for (std::size_t k = 0; k < 3; ++k) corner(p, q, k), corner(q, p, k);
  for (const std::int32_t e : b_->triangle_edges[at(p.element)])
    for (const std::int32_t f : b_->triangle_edges[at(q.element)]) {
      if (b_->edge_triangles[at(e)][0] != p.element || b_->edge_triangles[at(f)][0] != q.element) continue;
      const std::int32_t v[4] = {b_->edges[at(e)][0], b_->edges[at(e)][1], b_->edges[at(f)][0], b_->edges[at(f)][1]};
      Vec3d y[4], d[4];
      for (int i = 0; i < 4; ++i) y[i] = x(v[i]), d[i] = way(v[i]);
      const double radii = b_->vertices[at(v[0])].radius + b_->vertices[at(v[2])].radius;
      const double time = meeting_time(y, d, radii, segments_safe_time);
      if (!(time < 1)) continue;
      for (int i = 0; i < 4; ++i) y[i] += d[i] * time;
      const auto points = closest_segments(y[0], y[1] - y[0], y[2], y[3] - y[2]);
      keep(ContactFamily::edge_edge, edge_side(*b_, e, points.s), edge_side(*b_, f, points.t), time, p.reach, q.reach,
           found);
    }
}

void Sweep::meet(const Swept& first, const Swept& second, std::vector<Contact>& found) const {
  const bool in_order = first.count < second.count || (first.count == second.count && first.element < second.element);
  const Swept &p = in_order ? first : second, &q = in_order ? second : first;
  if (p.count == 3) return meet_faces(p, q, found);
  Vec3d y[5], d[5];
  for (std::int32_t k = 0; k < p.count + q.count; ++k) {
    const std::int32_t v = k < p.count ? p.vertex[k] : q.vertex[k - p.count];
    y[k] = x(v), d[k] = way(v);
  }
  const auto radius = [&](const Swept& e) {
    double most = 0;
    for (std::int32_t k = 0; k < e.count; ++k) most = std::max(most, b_->vertices[at(e.vertex[k])].radius);
    return most;
  };
  const double radii = radius(p) + radius(q);
  double time = 1;
  const auto time_of = [&](auto size, const auto& of) {
    constexpr int n = decltype(size)::value;
    Vec3d own[n], go[n];
    for (int k = 0; k < n; ++k) own[k] = y[k], go[k] = d[k];
    time = meeting_time(own, go, radii, of);
    for (int k = 0; k < n; ++k) y[k] += d[k] * time;
  };
  const auto side = [&](const Swept& e, double along) {
    return e.count == 1 ? point_side(*b_, e.vertex[0]) : fiber_side(*b_, e.element, along);
  };
  if (p.count == 1 && q.count == 1) {
    time_of(std::integral_constant<int, 2>{}, points_safe_time);
    keep(ContactFamily::point_point, side(p, 0), side(q, 0), time, p.reach, q.reach, found);
  } else if (p.count == 1 && q.count == 2) {
    time_of(std::integral_constant<int, 3>{}, point_segment_safe_time);
    keep(ContactFamily::point_fiber, side(p, 0), side(q, nearest_on_segment(y[1], y[2], y[0])), time, p.reach, q.reach,
         found);
  } else if (p.count == 1) {
    time_of(std::integral_constant<int, 4>{}, point_triangle_safe_time);
    keep(ContactFamily::vertex_face, side(p, 0), face_side(*b_, q.element, nearest_on_triangle(y[1], y[2], y[3], y[0])),
         time, p.reach, q.reach, found);
  } else if (q.count == 2) {
    time_of(std::integral_constant<int, 4>{}, segments_safe_time);
    const auto points = closest_segments(y[0], y[1] - y[0], y[2], y[3] - y[2]);
    keep(ContactFamily::fiber_fiber, side(p, points.s), side(q, points.t), time, p.reach, q.reach, found);
  } else {
    time_of(std::integral_constant<int, 5>{}, segment_triangle_safe_time);
    const auto points = closest_segment_triangle(y[0], y[1], y[2], y[3], y[4]);
    keep(ContactFamily::fiber_face, side(p, points.s), face_side(*b_, q.element, points.weights), time, p.reach,
         q.reach, found);
  }
}

// Those that are fast against all.
void Sweep::find_pairs() {
  for (const BoundaryVertex& v : b_->vertices) mean_ += v.way;
  if (!b_->vertices.empty()) mean_ = mean_ / static_cast<double>(b_->vertices.size());
  for (const std::int32_t v : b_->points) add(&v, 1, v, b_->vertices[at(v)].piece, vertex_reach(*b_, v));
  for (const std::int32_t v : b_->segments) {
    const std::int32_t ends[2] = {v, v + 1};
    add(ends, 2, v, b_->vertices[at(v)].piece, segment_of(*b_, v).reach(*b_));
  }
  for (std::size_t t = 0; t < b_->triangles.size(); ++t)
    add(b_->triangles[t].data(), 3, static_cast<std::int32_t>(t), b_->triangle_piece[t],
        triangle_reach(*b_, static_cast<std::int32_t>(t)));
  std::vector<std::int32_t> quick, others;
  for (std::size_t i = 0; i < elements_.size(); ++i)
    (elements_[i].fast ? quick : others).push_back(static_cast<std::int32_t>(i));
  if (quick.empty()) return;
  BoxTree trees[2];
  const Vec3d origin = elements_[at(quick[0])].box.low;
  for (int k = 0; k < 2; ++k) {
    trees[k].order(k == 0 ? quick : others, [&](std::int32_t i) { return elements_[at(i)].box.center(); });
    trees[k].fit(origin, [&](std::int32_t i, std::int32_t) { return elements_[at(i)].box; });
  }
  std::vector<std::vector<std::uint64_t>> near(static_cast<std::size_t>(threads()));
  BoxPairs pairs;
  for (const BoxTree& other : trees)
    pairs.find(trees[0], other, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
      const std::int32_t i = trees[0].element(slot);
      for (; lanes != 0; lanes &= lanes - 1) {
        const std::int32_t j = other.element(block * BoxTree::width + std::countr_zero(lanes));
        if (may_touch(elements_[at(i)], elements_[at(j)]))
          near[static_cast<std::size_t>(thread_index())].push_back(pair_key(std::min(i, j), std::max(i, j)));
      }
    });
  std::vector<std::uint64_t> keys;
  for (const auto& own : near) keys.insert(keys.end(), own.begin(), own.end());
  std::sort(keys.begin(), keys.end());
  constexpr std::ptrdiff_t run = 256;
  std::vector<std::vector<Contact>> found((keys.size() + static_cast<std::size_t>(run) - 1) /
                                          static_cast<std::size_t>(run));
  parallel_blocks(std::ssize(keys), run, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t k = begin; k < end; ++k) {
      const std::uint64_t key = keys[static_cast<std::size_t>(k)];
      meet(elements_[at(first_of(key))], elements_[at(second_of(key))], found[static_cast<std::size_t>(begin / run)]);
    }
  });
  for (const auto& own : found) contacts_->insert(contacts_->end(), own.begin(), own.end());
}

// Along the way relative to the collider, by the distance that is free. Who goes less than margins see is left out.
void ask_on_the_way(const Boundary& b, std::int32_t v, std::span<const ContactCollider> colliders,
                    const ContactFilter& filter, std::vector<Contact>& contacts) {
  constexpr int most_steps = 400;
  constexpr double forward = 0.55;  // below 1/sqrt(3): distances on grids are not exact
  const BoundaryVertex& vertex = b.vertices[at(v)];
  if (vertex.from_clamp <= 0) return;
  const BoundaryPiece& piece = b.piece(vertex.piece);
  const bool fiber = piece.kind == PieceKind::fiber;
  const std::int32_t along = v - piece.first_vertex, last = along + 1 == piece.vertices ? 1 : 0;
  const Reach own = fiber ? segment_of(b, v - last).reach(b) : vertex_reach(b, v);
  for (std::size_t k = 0; k < colliders.size(); ++k) {
    const ContactCollider& collider = colliders[k];
    if (!collider.swept || vertex.travel + collider.travel < 0.5 * own.edge) continue;
    if (filter.colliders && !filter.colliders(piece.id.object, static_cast<std::int32_t>(k))) continue;
    const double kept = vertex.radius + collider.thickness, reach = norm(vertex.way) + collider.travel + kept;
    ColliderPoint point = collider.nearest(vertex.x, reach);
    const Vec3d relative = vertex.way - point.carried;
    const double length = norm(relative), gap = point.distance - kept;
    const double margin = std::min(own.margin + norm(point.carried), 0.5 * own.edge);
    if (gap < margin || !(length > gap)) continue;
    const double near = 1e-3 * length;
    double s = 0;
    for (int step = 0; step < most_steps && s < length && point.distance - kept > near; ++step) {
      s += forward * (point.distance - kept);
      if (s < length) point = collider.nearest(vertex.x + relative * (s / length), reach);
    }
    if (s >= length || !(dot(point.normal, relative) < 0)) continue;
    Contact c;
    c.family = ContactFamily::collider;
    c.a = fiber ? fiber_side(b, v - last, last) : point_side(b, v);
    c.b.kind = SideKind::collider;
    c.b.piece = static_cast<std::int32_t>(k);
    c.arc_a = along;
    c.normal = point.normal;
    c.tangent = any_normal(c.normal);
    c.carried = point.carried;
    c.gap = point.distance - kept - dot(point.normal, relative) * (s / length);
    contacts.push_back(c);
  }
}

}  // namespace

void find_swept_pairs(const Boundary& b, const ContactFilter& filter, std::vector<Contact>& contacts) {
  Sweep(b, filter, contacts).find_pairs();
}

void find_swept_colliders(const Boundary& b, std::span<const ContactCollider> colliders, const ContactFilter& filter,
                          std::vector<Contact>& contacts) {
  constexpr std::ptrdiff_t run = 1024;
  if (std::ranges::none_of(colliders, &ContactCollider::swept)) return;
  const auto count = std::ssize(b.vertices);
  std::vector<std::vector<Contact>> found(static_cast<std::size_t>((count + run - 1) / run));
  parallel_blocks(count, run, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t v = begin; v < end; ++v)
      ask_on_the_way(b, static_cast<std::int32_t>(v), colliders, filter, found[static_cast<std::size_t>(begin / run)]);
  });
  for (const auto& own : found) contacts.insert(contacts.end(), own.begin(), own.end());
}

}  // namespace ymir
