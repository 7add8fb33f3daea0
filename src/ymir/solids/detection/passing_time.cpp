#include "ymir/solids/detection/passing_time.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "ymir/parallel/threads.h"
#include "ymir/solids/detection/box_pairs.h"
#include "ymir/solids/detection/elements.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

constexpr double safety = 0.9;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A segment, triangle or loose point.
struct Element {
  std::array<std::int32_t, 3> vertex{-1, -1, -1};
  std::int32_t piece = 0;
  double radius = 0, half = std::numeric_limits<double>::infinity();  // half its longest edge [m]
  double speed = 0;                                                   // of its fastest vertex [m/s]
  Box box, velocity;                                                  // of its vertices now [m], [m/s]
};

std::vector<Element> elements_of(const Boundary& b, double longest) {
  std::vector<Element> all;
  const auto add = [&](std::array<std::int32_t, 3> vertices) {
    Element& e = all.emplace_back();
    e.vertex = vertices;
    double edge = 0;
    for (std::size_t k = 0; k < 3 && vertices[k] >= 0; ++k) {
      const BoundaryVertex& v = b.vertices[at(vertices[k])];
      e.piece = v.piece;
      e.radius = std::max(e.radius, v.radius);
      e.speed = std::max(e.speed, norm(v.way) / longest);
      e.box.include(v.x);
      e.velocity.include(v.way / longest);
      for (std::size_t j = 0; j < k; ++j) edge = std::max(edge, norm(v.x - b.vertices[at(vertices[j])].x));
    }
    if (vertices[1] >= 0) e.half = 0.5 * edge;
  };
  for (const std::int32_t s : b.segments) add({s, s + 1, -1});
  for (const auto& t : b.triangles) add(t);
  for (const std::int32_t v : b.points) add({v, -1, -1});
  return all;
}

// Before which boxes that move with all velocities of their vertices do not meet.
double meeting_time(const Element& e, const Element& f) {
  const double radii = e.radius + f.radius;
  double time = 0;
  for (int k = 0; k < 3; ++k) {
    const double after = f.box.low[k] - e.box.high[k] - radii, before = e.box.low[k] - f.box.high[k] - radii;
    const double gap = std::max(after, before);
    if (!(gap > 0)) continue;
    const double closing =
        after > before ? e.velocity.high[k] - f.velocity.low[k] : f.velocity.high[k] - e.velocity.low[k];
    time = std::max(time, closing > 0 ? gap / closing : std::numeric_limits<double>::infinity());
  }
  return time;
}

double relative_speed(const Boundary& b, const Element& e, const Element& f, double longest) {
  double most = 0;
  for (std::size_t i = 0; i < 3 && e.vertex[i] >= 0; ++i)
    for (std::size_t j = 0; j < 3 && f.vertex[j] >= 0; ++j) {
      const Vec3d w = b.vertices[at(e.vertex[i])].way - b.vertices[at(f.vertex[j])].way;
      most = std::max(most, dot(w, w));
    }
  return std::sqrt(most) / longest;
}

// Longest substep in which margin(dt) is as long as the way.
double seen_for(const Element& e, const Element& f, double w) {
  double time = std::max(e.half, f.half) / w;
  if (w > f.speed) time = std::min(time, e.half / (w - f.speed));
  if (w > e.speed) time = std::min(time, f.half / (w - e.speed));
  return time;
}

bool neighbours(const Boundary& b, const Element& e, const Element& f) {
  if (e.piece != f.piece) return parts_of_one(b.piece(e.piece), b.piece(f.piece));
  const BoundaryPiece& piece = b.piece(e.piece);
  if (!piece.traits.self_contact || piece.traits.solid) return true;
  if (piece.kind == PieceKind::fiber) return std::abs(e.vertex[0] - f.vertex[0]) < fiber_neighbours;
  return std::any_of(e.vertex.begin(), e.vertex.end(), [&](std::int32_t v) {
    return v >= 0 && std::find(f.vertex.begin(), f.vertex.end(), v) != f.vertex.end();
  });
}

}  // namespace

double passing_time(const Boundary& b, const ContactFilter& filter, double longest) {
  const std::vector<Element> elements = elements_of(b, longest);
  if (elements.empty()) return longest;
  // What all have in common brings nothing nearer.
  Vec3d common{0, 0, 0};
  for (const BoundaryVertex& v : b.vertices) common += v.way;
  common = common / static_cast<double>(b.vertices.size());
  std::vector<std::int32_t> numbers(elements.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  BoxTree tree;
  tree.order(numbers, [&](std::int32_t i) { return elements[at(i)].box.center(); });
  tree.fit(elements[0].box.center(), [&](std::int32_t i, std::int32_t) {
    const Element& e = elements[at(i)];
    Box box = e.box;
    for (std::size_t k = 0; k < 3 && e.vertex[k] >= 0; ++k) {
      const BoundaryVertex& v = b.vertices[at(e.vertex[k])];
      box.include(v.x + v.way - common);
    }
    return inflated(box, e.radius);
  });
  std::vector<double> least(static_cast<std::size_t>(threads()), longest);
  BoxPairs pairs;
  pairs.find(tree, tree, [&](std::int32_t slot, std::int32_t block, unsigned lanes) {
    const Element& e = elements[at(tree.element(slot))];
    double& limit = least[static_cast<std::size_t>(thread_index())];
    for (; lanes != 0; lanes &= lanes - 1) {
      const Element& f = elements[at(tree.element(block * BoxTree::width + std::countr_zero(lanes)))];
      const double w = relative_speed(b, e, f, longest);
      if (!(w * limit > 0) || neighbours(b, e, f)) continue;
      const double safe = safety * std::max(meeting_time(e, f), seen_for(e, f, w));
      if (!(safe < limit)) continue;
      if (filter.objects && !filter.objects(b.piece(e.piece).id.object, b.piece(f.piece).id.object)) continue;
      limit = safe;
    }
  });
  return *std::min_element(least.begin(), least.end());  // whichever thread found it
}

}  // namespace ymir
