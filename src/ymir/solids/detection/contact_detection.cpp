#include "ymir/solids/detection/contact_detection.h"

#include <algorithm>
#include <bit>

#include "ymir/base/timer.h"
#include "ymir/physics/contact/closest_segments.h"
#include "ymir/solids/detection/box_pairs.h"
#include "ymir/solids/detection/candidates.h"
#include "ymir/solids/detection/elements.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Eight segments in the order of their tree, about its origin, in single precision: a filter before the exact distance.
//
// What rounding and the threshold of parallel segments do to a distance is below 1e-3 of both lengths (the error of s is
// that of 2^-24/sin^2 and moves the point by sin), and 2^-21 of the coordinates: reach has them added.
struct SegmentBlock {
  using Real = Lanes<float, 8>;
  static constexpr float parallel = 1e-6f, smallest = 1e-30f;
  alignas(32) float p[3][8];
  alignas(32) float d[3][8];
  alignas(32) float reach[8];

  void set(int lane, const Boundary& b, const Segment& s, Vec3d origin, double margin) {
    const Vec3d x = s.p - origin;
    for (int k = 0; k < 3; ++k) {
      p[k][lane] = static_cast<float>(x[k]);
      d[k][lane] = static_cast<float>(s.d[k]);
    }
    const double size = std::abs(x.x) + std::abs(x.y) + std::abs(x.z), length = norm(s.d);
    const double r = std::max(b.radius[at(s.v)], b.radius[at(s.v) + 1]);
    reach[lane] = static_cast<float>((r + margin) * 1.000001 + 1e-3 * length + 0x1p-21 * (size + length));
  }
  static Vec3<Real> load(const float (&v)[3][8]) { return {Real::load(v[0]), Real::load(v[1]), Real::load(v[2])}; }
  static Vec3<Real> all(const float (&v)[3][8], int lane) {
    return {Real::all(v[0][lane]), Real::all(v[1][lane]), Real::all(v[2][lane])};
  }
  // Lanes of `block` in reach of one segment of this one.
  unsigned near(int lane, const SegmentBlock& block) const {
    const Vec3<Real> p1 = all(p, lane), d1 = all(d, lane), p2 = load(block.p), d2 = load(block.d);
    const auto at_ends = closest_segments(p1, d1, p2, d2, parallel, smallest);
    const Vec3<Real> gap = p1 + d1 * at_ends.s - p2 - d2 * at_ends.t;
    const Real most = Real::load(block.reach) + Real::all(reach[lane]);
    return bits(dot(gap, gap) <= most * most);
  }
};

}  // namespace

struct ContactDetection::Search {
  BoxTree segments, triangles, points;
  std::vector<SegmentBlock> segment_blocks;
  BoxPairs pairs;
  std::array<Candidates, contact_families> candidates;
  std::vector<NarrowScratch> scratch;
  std::vector<std::vector<Contact>> of_ranges;
  std::uint64_t topology = 0;
  bool ordered = false;
  std::int64_t orderings = 0, passed = 0;

  void set_ranges(const Boundary& b);
  void fit(const Boundary& b, bool order_always, DetectionTimes& times);
  void find_candidates(const Boundary& b, ContactFamily family);
  void emit_triangles(const Boundary& b, std::int32_t t, std::int32_t other);

 private:
  Candidates& of(ContactFamily family) { return candidates[static_cast<std::size_t>(family)]; }
};

void ContactDetection::Search::set_ranges(const Boundary& b) {
  const auto count = [](const auto& list) { return static_cast<std::int32_t>(list.size()); };
  const auto fiber = [&](std::int32_t i) { return b.segment_piece[at(i)]; };
  const auto itself = [](std::int32_t i) { return i; };
  of(ContactFamily::fiber_fiber).set_ranges(count(b.segment_vertex), fiber);
  of(ContactFamily::fiber_face).set_ranges(count(b.segment_vertex), fiber);
  of(ContactFamily::vertex_face).set_ranges(count(b.position), itself);
  of(ContactFamily::edge_edge).set_ranges(count(b.edges), itself);
  of(ContactFamily::point_fiber).set_ranges(count(b.position), itself);
  of(ContactFamily::point_point).set_ranges(count(b.position), itself);
}

void ContactDetection::Search::fit(const Boundary& b, bool order_always, DetectionTimes& times) {
  const bool changed = !ordered || topology != b.topology();
  if (changed) set_ranges(b);
  topology = b.topology();
  ordered = true;
  // Single precision is kept near to where things are; which place that is changes no result.
  const Vec3d origin = b.position.empty() ? Vec3d{0, 0, 0} : b.position[b.position.size() / 2];
  const auto update = [&](BoxTree& tree, std::size_t count, const auto& center, const auto& box) {
    Timer timer;
    const auto order = [&] {
      timer.restart();
      tree.order(static_cast<std::int32_t>(count), center);
      times.order += timer.seconds();
      timer.restart();
      orderings += count > 0;
    };
    const bool now = changed || order_always;
    if (now) order();
    tree.fit(origin, box);
    if (!now && tree.size() > 0 && tree.spread_out()) {
      order();
      tree.fit(origin, box);
    }
    times.fit += timer.seconds();
  };
  segment_blocks.resize((b.segment_vertex.size() + 7) / 8);
  update(
      segments, b.segment_vertex.size(),
      [&](std::int32_t i) {
        const Segment s = segment_of(b, i);
        return s.p + s.d * 0.5;
      },
      [&](std::int32_t i, std::int32_t slot) {
        const Segment s = segment_of(b, i);
        segment_blocks[at(slot / 8)].set(slot % 8, b, s, origin, s.reach(b).margin);
        return segment_box(b, s);
      });
  update(
      triangles, b.triangles.size(),
      [&](std::int32_t i) {
        const auto& t = b.triangles[at(i)];
        return (b.position[at(t[0])] + b.position[at(t[1])] + b.position[at(t[2])]) / 3.0;
      },
      [&](std::int32_t i, std::int32_t) { return triangle_box(b, i); });
  update(
      points, b.points.size(), [&](std::int32_t i) { return b.position[at(b.points[at(i)])]; },
      [&](std::int32_t i, std::int32_t) { return vertex_box(b, b.points[at(i)]); });
}

// What a pair of triangles has to be asked for: each vertex and edge belongs to the first triangle around it.
void ContactDetection::Search::emit_triangles(const Boundary& b, std::int32_t t, std::int32_t other) {
  const std::int32_t two[2] = {t, other};
  auto& faces = of(ContactFamily::vertex_face).found();
  for (int k = 0; k < 2; ++k)
    for (const std::int32_t v : b.triangles[at(two[k])])
      if (b.around(v)[0] == two[k]) faces.push_back(pair_key(v, two[1 - k]));
  auto& edges = of(ContactFamily::edge_edge).found();
  for (const std::int32_t e : b.triangle_edges[at(t)])
    for (const std::int32_t f : b.triangle_edges[at(other)])
      if (b.edge_triangles[at(e)][0] == t && b.edge_triangles[at(f)][0] == other)
        edges.push_back(pair_key(std::min(e, f), std::max(e, f)));
}

void ContactDetection::Search::find_candidates(const Boundary& b, ContactFamily family) {
  const auto for_lanes = [](const BoxTree& tree, std::int32_t block, unsigned lanes, const auto& visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(tree.element(block * 8 + std::countr_zero(lanes)));
  };
  switch (family) {
    case ContactFamily::fiber_fiber:
      pairs.find(segments, segments, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        lanes &= segment_blocks[at(slot / 8)].near(slot % 8, segment_blocks[at(block)]);
        if (lanes == 0) return;
        const std::int32_t i = segments.element(slot);
        auto& found = of(family).found();
        for_lanes(segments, block, lanes, [&](std::int32_t j) {
          if (!neighbours(b, i, j)) found.push_back(pair_key(std::min(i, j), std::max(i, j)));
        });
      });
      break;
    case ContactFamily::fiber_face:
      pairs.find(segments, triangles, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        auto& found = of(family).found();
        const std::int32_t i = segments.element(slot);
        for_lanes(triangles, block, lanes, [&](std::int32_t t) { found.push_back(pair_key(i, t)); });
      });
      break;
    case ContactFamily::vertex_face:  // and edge_edge
      pairs.find(triangles, triangles, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        const std::int32_t t = triangles.element(slot);
        for_lanes(triangles, block, lanes, [&](std::int32_t other) { emit_triangles(b, t, other); });
      });
      pairs.find(points, triangles, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        auto& found = of(family).found();
        const std::int32_t v = b.points[at(points.element(slot))];
        for_lanes(triangles, block, lanes, [&](std::int32_t t) { found.push_back(pair_key(v, t)); });
      });
      break;
    case ContactFamily::point_fiber:
      pairs.find(points, segments, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        auto& found = of(family).found();
        const std::int32_t v = b.points[at(points.element(slot))];
        for_lanes(segments, block, lanes, [&](std::int32_t i) { found.push_back(pair_key(v, i)); });
      });
      break;
    case ContactFamily::point_point:
      pairs.find(points, points, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        auto& found = of(family).found();
        const std::int32_t v = b.points[at(points.element(slot))];
        for_lanes(points, block, lanes, [&](std::int32_t k) {
          const std::int32_t w = b.points[at(k)];
          found.push_back(pair_key(std::min(v, w), std::max(v, w)));
        });
      });
      break;
    case ContactFamily::edge_edge:
    case ContactFamily::collider: break;
  }
}

ContactDetection::ContactDetection() : search_(std::make_unique<Search>()) {}
ContactDetection::~ContactDetection() = default;
std::int64_t ContactDetection::orderings() const { return search_->orderings; }
std::int64_t ContactDetection::candidates() const { return search_->passed; }

void ContactDetection::find_family(const Boundary& b, ContactFamily family, double dt) {
  Timer timer;
  Search& search = *search_;
  found_.clear();
  Candidates& candidates = search.candidates[static_cast<std::size_t>(family)];
  search.find_candidates(b, family);
  candidates.divide();
  search.passed += static_cast<std::int64_t>(candidates.size());
  times_.pairs += timer.seconds();
  timer.restart();
  using Narrow = void (*)(const Boundary&, std::span<const std::uint64_t>, NarrowScratch&, std::vector<Contact>&);
  constexpr Narrow narrow[] = {narrow_fibers, narrow_fiber_faces,  narrow_vertex_faces,
                               narrow_edges,  narrow_point_fibers, narrow_points};
  const std::int32_t ranges = candidates.size() > 0 ? candidates.ranges() : 0;
  if (search.of_ranges.size() < at(ranges)) search.of_ranges.resize(at(ranges));
  parallel_for(ranges, [&](std::ptrdiff_t r) {
    std::vector<Contact>& contacts = search.of_ranges[static_cast<std::size_t>(r)];
    contacts.clear();
    narrow[static_cast<std::size_t>(family)](b, candidates.sorted(static_cast<std::int32_t>(r)),
                                             search.scratch[static_cast<std::size_t>(thread_index())], contacts);
  });
  for (std::int32_t r = 0; r < ranges; ++r)
    found_.insert(found_.end(), search.of_ranges[at(r)].begin(), search.of_ranges[at(r)].end());
  times_.narrow += timer.seconds();
  timer.restart();
  recall(b, memory_, settings, dt, found_, overlaps_[static_cast<std::size_t>(family)], contacts_);
  times_.memory += timer.seconds();
}

void ContactDetection::find(const Boundary& b, std::span<const ContactCollider> colliders, double dt) {
  times_ = {};
  Search& search = *search_;
  search.passed = 0;
  search.fit(b, order_always_, times_);
  const auto count = static_cast<std::size_t>(threads());
  if (search.scratch.size() < count) search.scratch.resize(count);
  for (Candidates& candidates : search.candidates) candidates.clear();
  contacts_.clear();
  for (auto& overlaps : overlaps_) overlaps.clear();
  for (const ContactFamily family : {ContactFamily::fiber_fiber, ContactFamily::fiber_face, ContactFamily::vertex_face,
                                     ContactFamily::edge_edge, ContactFamily::point_fiber, ContactFamily::point_point})
    find_family(b, family, dt);
  const Timer timer;
  found_.clear();
  find_collider_contacts(b, colliders, search.of_ranges, found_);
  recall(b, memory_, settings, dt, found_, overlaps_[static_cast<std::size_t>(ContactFamily::collider)], contacts_);
  times_.narrow += timer.seconds();
}

void ContactDetection::accept(const Boundary& b) {
  for (std::size_t family = 0; family < memory_.contacts.size(); ++family) {
    memory_.overlaps[family].swap(overlaps_[family]);
    memory_.contacts[family].clear();
  }
  for (const Contact& c : contacts_)
    memory_.contacts[static_cast<std::size_t>(c.family)].push_back(record_of(b, c));
}

}  // namespace ymir
