#include "ymir/solids/detection/contact_detection.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "ymir/base/timer.h"
#include "ymir/solids/detection/box_pairs.h"
#include "ymir/solids/detection/candidates.h"
#include "ymir/solids/detection/leaf_filters.h"
#include "ymir/solids/detection/narrow.h"
#include "ymir/solids/detection/swept_contacts.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Single precision is kept near to where things are: about some vertex that is not lost. Which one changes no result.
Vec3d origin_of(const Boundary& b) {
  constexpr double farthest = 1e9;  // [m]
  for (std::size_t i = b.vertices.size() / 2; i < b.vertices.size(); ++i)
    if (norm(b.vertices[i].x) < farthest) return b.vertices[i].x;
  return {0, 0, 0};
}

}  // namespace

struct ContactDetection::Search {
  BoxTree segments, triangles, points;
  std::vector<SegmentBlock> segment_blocks;
  std::vector<TriangleFilter> triangle_filters;
  std::vector<std::int32_t> triangle_numbers;
  BoxPairs pairs;
  std::array<Candidates, contact_families> candidates;
  std::vector<NarrowScratch> scratch;
  struct Part {  // of the contacts of a family
    std::vector<Contact> contacts;
    std::vector<OverlapRecord> overlaps;
    std::size_t first = 0;
  };
  std::vector<Part> parts;
  std::uint64_t topology = 0;
  bool ordered = false;
  std::int64_t orderings = 0, passed = 0;
  float most_apart = 0;  // of segments that go the same way [m]

  void set_ranges(const Boundary& b);
  void fit(const Boundary& b, bool order_always, DetectionTimes& times);
  void find_candidates(ContactFamily family);
  void emit(std::int32_t slot, std::int32_t other);

 private:
  Candidates& of(ContactFamily family) { return candidates[static_cast<std::size_t>(family)]; }
};

void ContactDetection::Search::set_ranges(const Boundary& b) {
  const auto count = [](const auto& list) { return static_cast<std::int32_t>(list.size()); };
  const auto fiber = [&](std::int32_t i) { return b.vertices[at(i)].piece; };
  const auto itself = [](std::int32_t i) { return i; };
  of(ContactFamily::fiber_fiber).set_ranges(count(b.vertices), fiber);
  of(ContactFamily::fiber_face).set_ranges(count(b.vertices), fiber);
  of(ContactFamily::vertex_face).set_ranges(count(b.vertices), itself);
  of(ContactFamily::edge_edge).set_ranges(count(b.edges), itself);
  of(ContactFamily::point_fiber).set_ranges(count(b.vertices), itself);
  of(ContactFamily::point_point).set_ranges(count(b.vertices), itself);
}

void ContactDetection::Search::fit(const Boundary& b, bool order_always, DetectionTimes& times) {
  const bool changed = !ordered || topology != b.topology();
  if (changed) {
    set_ranges(b);
    triangle_numbers.resize(b.triangles.size());
    std::iota(triangle_numbers.begin(), triangle_numbers.end(), 0);
  }
  topology = b.topology();
  ordered = true;
  const Vec3d origin = origin_of(b);
  constexpr std::int32_t ahead = 16;  // slots, to have their vertices in the cache in time
  const auto update = [&](BoxTree& tree, std::span<const std::int32_t> elements, const auto& center, const auto& box) {
    Timer timer;
    const auto order = [&] {
      timer.restart();
      tree.order(elements, center);
      times.order += timer.seconds();
      timer.restart();
      orderings += !elements.empty();
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
  segment_blocks.resize((b.segments.size() + 7) / 8);
  triangle_filters.resize(b.triangles.size());
  update(
      segments, b.segments,
      [&](std::int32_t i) {
        const Segment s = segment_of(b, i);
        return s.p + s.d * 0.5;
      },
      [&](std::int32_t i, std::int32_t slot) {
        if (slot + ahead < segments.size()) __builtin_prefetch(&b.vertices[at(segments.element(slot + ahead))]);
        const Segment s = segment_of(b, i);
        const Reach reach = s.reach(b);
        const double all = std::max(b.vertices[at(i)].radius, b.vertices[at(i) + 1].radius) + reach.margin;
        segment_blocks[at(slot / 8)].set(slot % 8, b, s, origin, reach.margin);
        return segment_box(b, s, all);
      });
  update(
      triangles, triangle_numbers,
      [&](std::int32_t i) {
        const auto& t = b.triangles[at(i)];
        return (b.vertices[at(t[0])].x + b.vertices[at(t[1])].x + b.vertices[at(t[2])].x) / 3.0;
      },
      [&](std::int32_t i, std::int32_t slot) {
        triangle_filters[at(slot)].set(b, i, origin);
        return triangle_box(b, i);
      });
  update(
      points, b.points, [&](std::int32_t v) { return b.vertices[at(v)].x; },
      [&](std::int32_t v, std::int32_t) { return vertex_box(b, v); });
}

// What two triangles have to be asked for.
void ContactDetection::Search::emit(std::int32_t slot, std::int32_t other) {
  const TriangleFilter &t = triangle_filters[at(slot)], &u = triangle_filters[at(other)];
  auto& faces = of(ContactFamily::vertex_face).found();
  auto& edges = of(ContactFamily::edge_edge).found();
  for (int k = 0; k < 3; ++k) {
    if (t.own_corner[k] && t.corner_near(k, u)) faces.push_back(pair_key(t.corner[at(k)], triangles.element(other)));
    if (u.own_corner[k] && u.corner_near(k, t)) faces.push_back(pair_key(u.corner[at(k)], triangles.element(slot)));
    for (int j = 0; j < 3; ++j)
      if (t.own_edge[k] && u.own_edge[j] && t.edges_near(k, u, j))
        edges.push_back(pair_key(std::min(t.edge[at(k)], u.edge[at(j)]), std::max(t.edge[at(k)], u.edge[at(j)])));
  }
}

void ContactDetection::Search::find_candidates(ContactFamily family) {
  const auto for_lanes = [](const BoxTree& tree, std::int32_t block, unsigned lanes, const auto& visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(tree.element(block * 8 + std::countr_zero(lanes)));
  };
  switch (family) {
    case ContactFamily::fiber_fiber:
      pairs.find(segments, segments, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        const SegmentBlock &of_i = segment_blocks[at(slot / 8)], &of_j = segment_blocks[at(block)];
        lanes &= of_i.near(slot % 8, of_j, most_apart, static_cast<float>(way_safety));
        if (lanes == 0) return;
        const std::int32_t i = segments.element(slot), piece = of_i.piece[slot % 8];
        auto& found = of(family).found();
        for (; lanes != 0; lanes &= lanes - 1) {
          const int lane = std::countr_zero(lanes);
          const std::int32_t j = segments.element(block * 8 + lane);
          if (of_j.piece[lane] != piece || std::abs(i - j) >= fiber_neighbours)
            found.push_back(pair_key(std::min(i, j), std::max(i, j)));
        }
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
        for (; lanes != 0; lanes &= lanes - 1) emit(slot, block * 8 + std::countr_zero(lanes));
      });
      pairs.find(points, triangles, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        auto& found = of(family).found();
        const std::int32_t v = points.element(slot);
        for_lanes(triangles, block, lanes, [&](std::int32_t t) { found.push_back(pair_key(v, t)); });
      });
      break;
    case ContactFamily::point_fiber:
      pairs.find(points, segments, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        auto& found = of(family).found();
        const std::int32_t v = points.element(slot);
        for_lanes(segments, block, lanes, [&](std::int32_t i) { found.push_back(pair_key(v, i)); });
      });
      break;
    case ContactFamily::point_point:
      pairs.find(points, points, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
        auto& found = of(family).found();
        const std::int32_t v = points.element(slot);
        for_lanes(points, block, lanes,
                  [&](std::int32_t w) { found.push_back(pair_key(std::min(v, w), std::max(v, w))); });
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
  Candidates& candidates = search.candidates[static_cast<std::size_t>(family)];
  search.find_candidates(family);
  candidates.divide();
  search.passed += static_cast<std::int64_t>(candidates.size());
  times_.pairs += timer.seconds();
  if (candidates.size() == 0) return;
  timer.restart();
  using Narrow = void (*)(const Boundary&, std::span<const std::uint64_t>, NarrowScratch&, std::vector<Contact>&);
  constexpr Narrow narrow[] = {narrow_fibers, narrow_fiber_faces,  narrow_vertex_faces,
                               narrow_edges,  narrow_point_fibers, narrow_points};
  collect(b, family, candidates.ranges(), dt, [&](std::ptrdiff_t range, std::vector<Contact>& contacts) {
    narrow[static_cast<std::size_t>(family)](b, candidates.sorted(static_cast<std::int32_t>(range)),
                                             search.scratch[static_cast<std::size_t>(thread_index())], contacts);
    std::erase_if(contacts, [&](const Contact& c) {
      const BoundaryPiece &p = b.piece(c.a.piece), &q = b.piece(c.b.piece);
      return parts_of_one(p, q) || (filter.objects && !filter.objects(p.id.object, q.id.object));
    });
    drop_far(b, contacts);
  });
  times_.contacts += timer.seconds();
}

// What moves along with each other does not meet.
void ContactDetection::drop_far(const Boundary& b, std::vector<Contact>& contacts) const {
  if (slack == 0) return;
  std::erase_if(contacts, [&](const Contact& c) {
    Vec3d way = c.carried * -1.0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (c.a.vertex[k] >= 0) way += b.vertices[at(c.a.vertex[k])].way * c.a.weight[k];
      if (c.b.vertex[k] >= 0) way -= b.vertices[at(c.b.vertex[k])].way * c.b.weight[k];
    }
    return c.gap > slack + way_safety * norm(way);
  });
}

// make(part, contacts) for parts that hold whole owners, in order.
template <class Make>
void ContactDetection::collect(const Boundary& b, ContactFamily family, std::ptrdiff_t parts, double dt,
                               const Make& make) {
  std::vector<Search::Part>& found = search_->parts;
  if (found.size() < static_cast<std::size_t>(parts)) found.resize(static_cast<std::size_t>(parts));
  parallel_for(parts, [&](std::ptrdiff_t i) {
    Search::Part& part = found[static_cast<std::size_t>(i)];
    part.contacts.clear();
    make(i, part.contacts);
    recall(b, memory_, settings, dt, part.contacts, part.overlaps);
  });
  std::size_t sum = contacts_.size();
  auto& overlaps = overlaps_[static_cast<std::size_t>(family)];
  for (std::size_t i = 0; i < static_cast<std::size_t>(parts); ++i) {
    found[i].first = sum;
    sum += found[i].contacts.size();
    overlaps.insert(overlaps.end(), found[i].overlaps.begin(), found[i].overlaps.end());
  }
  contacts_.resize(sum);
  parallel_for(parts, [&](std::ptrdiff_t i) {
    const Search::Part& part = found[static_cast<std::size_t>(i)];
    std::copy(part.contacts.begin(), part.contacts.end(), contacts_.begin() + static_cast<std::ptrdiff_t>(part.first));
  });
}

void ContactDetection::find(const Boundary& b, std::span<const ContactCollider> colliders, double dt) {
  times_ = {};
  Search& search = *search_;
  search.passed = 0;
  search.fit(b, order_always_, times_);
  search.most_apart = slack > 0 ? static_cast<float>(slack * 1.000001) : std::numeric_limits<float>::infinity();
  const auto count = static_cast<std::size_t>(threads());
  if (search.scratch.size() < count) search.scratch.resize(count);
  for (NarrowScratch& scratch : search.scratch) scratch.slack = slack;
  for (Candidates& candidates : search.candidates) candidates.clear();
  contacts_.clear();
  for (auto& overlaps : overlaps_) overlaps.clear();
  for (const ContactFamily family : {ContactFamily::fiber_fiber, ContactFamily::fiber_face, ContactFamily::vertex_face,
                                     ContactFamily::edge_edge, ContactFamily::point_fiber, ContactFamily::point_point})
    find_family(b, family, dt);
  const Timer timer;
  if (!colliders.empty())
    collect(b, ContactFamily::collider, collider_parts(b), dt,
            [&](std::ptrdiff_t part, std::vector<Contact>& contacts) {
              find_collider_contacts(b, colliders, filter, part, contacts);
              drop_far(b, contacts);
            });
  remembered_ = contacts_.size();
  if (continuous) find_swept_pairs(b, filter, contacts_);
  find_swept_colliders(b, colliders, filter, contacts_);
  times_.contacts += timer.seconds();
}

void ContactDetection::leave_out(const std::function<bool(const Contact&)>& which) {
  const auto end = contacts_.begin() + static_cast<std::ptrdiff_t>(remembered_);
  remembered_ -= static_cast<std::size_t>(std::count_if(contacts_.begin(), end, which));
  std::erase_if(contacts_, which);
}

void ContactDetection::accept(const Boundary& b) {
  constexpr std::ptrdiff_t run = 1024;
  std::size_t first = 0;
  for (std::size_t family = 0; family < memory_.contacts.size(); ++family) {
    memory_.overlaps[family].swap(overlaps_[family]);
    std::size_t end = first;
    while (end < remembered_ && contacts_[end].family == static_cast<ContactFamily>(family)) ++end;
    std::vector<ContactRecord>& records = memory_.contacts[family];
    records.resize(end - first);
    parallel_blocks(static_cast<std::ptrdiff_t>(end - first), run, [&](std::ptrdiff_t i, std::ptrdiff_t last) {
      for (auto k = static_cast<std::size_t>(i); k < static_cast<std::size_t>(last); ++k)
        records[k] = record_of(b, contacts_[first + k]);
    });
    first = end;
  }
}

}  // namespace ymir
