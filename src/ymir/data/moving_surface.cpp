#include "ymir/data/moving_surface.h"

#include <cmath>
#include <numbers>

#include "ymir/base/check.h"
#include "ymir/physics/contact/nearest_on_triangle.h"

namespace ymir {
namespace {

// A part seen from farther than this many of its radii is a dipole: the error of a winding number is then about 1 %.
constexpr double far_part = 2.5;

double distance2(Vec3d low, Vec3d high, Vec3d x) {
  const Vec3d d = cwise_max(cwise_max(low - x, x - high), Vec3d(0, 0, 0));
  return dot(d, d);
}

// Solid angle of a triangle seen from the origin. Van Oosterom, Strackee, "The solid angle of a plane triangle" (1983).
double solid_angle(Vec3d a, Vec3d b, Vec3d c) {
  const double la = norm(a), lb = norm(b), lc = norm(c);
  const double below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return 2 * std::atan2(dot(a, cross(b, c)), below);
}

}  // namespace

struct MovingSurface::At {
  const MovingSurface& motion;
  double s;  // 0 at the beginning, 1 at the end

  Vec3d vertex(std::int32_t v) const {
    const auto i = static_cast<std::size_t>(v);
    if (s == 1) return motion.end_[i];
    return motion.start_[i] * (1 - s) + motion.end_[i] * s;
  }
  double distance2_to_box(std::int32_t node, Vec3d x) const {
    const auto i = static_cast<std::size_t>(node);
    const Box& b = motion.end_boxes_[i];
    if (s == 1) return distance2(b.low, b.high, x);
    const Box& a = motion.start_boxes_[i];
    return distance2(a.low * (1 - s) + b.low * s, a.high * (1 - s) + b.high * s, x);
  }
};

MovingSurface::MovingSurface(std::shared_ptr<const SurfaceHierarchy> hierarchy, double begin, double dt,
                             std::vector<Vec3d> before, std::vector<Vec3d> start, std::vector<Vec3d> end)
    : hierarchy_(std::move(hierarchy)),
      begin_(begin),
      dt_(dt),
      before_(std::move(before)),
      start_(std::move(start)),
      end_(std::move(end)) {
  YMIR_CHECK(start_.size() == end_.size() && before_.size() == end_.size());
  hierarchy_->fit(start_, start_boxes_);
  hierarchy_->fit(end_, end_boxes_);
  if (hierarchy_->inside_test() == InsideTest::winding) hierarchy_->fit(end_, end_boxes_, dipoles_);
  double farthest2 = 0;
  for (std::size_t i = 0; i < end_.size(); ++i)
    farthest2 = std::max(farthest2, dot(end_[i] - start_[i], end_[i] - start_[i]));
  travel_ = std::sqrt(farthest2);
  double edges = 0;
  for (const auto& t : hierarchy_->triangles())
    for (std::size_t k = 0; k < 3; ++k) edges += norm(end_[t[(k + 1) % 3]] - end_[t[k]]);
  mean_edge_ = edges / (3 * static_cast<double>(hierarchy_->triangles().size()));
}

Vec3d MovingSurface::mix(const std::vector<Vec3d>& positions, const SurfaceSample& at) const {
  const auto& t = hierarchy_->triangles()[static_cast<std::size_t>(at.triangle)];
  return positions[t[0]] * at.weights.x + positions[t[1]] * at.weights.y + positions[t[2]] * at.weights.z;
}

Vec3d MovingSurface::face_normal(const At& at, std::int32_t triangle) const {
  const auto& t = hierarchy_->triangles()[static_cast<std::size_t>(triangle)];
  const Vec3d a = at.vertex(t[0]);
  return normalized(cross(at.vertex(t[1]) - a, at.vertex(t[2]) - a), Vec3d(0, 0, 0));
}

Vec3d MovingSurface::pseudo_normal(const At& at, std::int32_t triangle, Vec3d w) const {
  const int zeros = (w.x == 0) + (w.y == 0) + (w.z == 0);
  const Vec3d face = face_normal(at, triangle);
  if (zeros == 0) return face;
  if (zeros == 1) {
    const std::int32_t other = hierarchy_->beyond(triangle, w.x == 0 ? 0 : w.y == 0 ? 1 : 2);
    return other >= 0 ? face + face_normal(at, other) : face;
  }
  const std::int32_t v = hierarchy_->triangles()[static_cast<std::size_t>(triangle)][w.x != 0 ? 0 : w.y != 0 ? 1 : 2];
  const Vec3d p = at.vertex(v);
  Vec3d sum;
  for (const std::int32_t around : hierarchy_->around(v)) {
    const auto& t = hierarchy_->triangles()[static_cast<std::size_t>(around)];
    const std::size_t k = t[0] == v ? 0 : t[1] == v ? 1 : 2;
    const Vec3d e = at.vertex(t[(k + 1) % 3]) - p, f = at.vertex(t[(k + 2) % 3]) - p;
    sum += face_normal(at, around) * std::atan2(norm(cross(e, f)), dot(e, f));
  }
  return sum;
}

SurfaceSample MovingSurface::sample(Vec3d x, double time, double bound) const {
  const At at{*this, dt_ > 0 ? std::clamp((time - begin_) / dt_, 0.0, 1.0) : 1.0};
  const auto nodes = hierarchy_->nodes();
  const auto order = hierarchy_->order();
  const auto triangles = hierarchy_->triangles();
  SurfaceSample best;
  double best2 = bound * bound;
  struct Entry {
    std::int32_t node;
    double distance2;
  };
  // Median splits halve the count, so 2^31 triangles are at most 31 levels deep.
  std::array<Entry, 64> stack;
  std::size_t depth = 0;
  stack[depth++] = {0, at.distance2_to_box(0, x)};
  while (depth > 0) {
    const Entry entry = stack[--depth];
    if (entry.distance2 > best2) continue;
    const SurfaceHierarchy::Node& node = nodes[static_cast<std::size_t>(entry.node)];
    for (std::int32_t i = 0; i < node.count; ++i) {
      const std::int32_t triangle = order[static_cast<std::size_t>(node.first + i)];
      const auto& t = triangles[static_cast<std::size_t>(triangle)];
      const Vec3d a = at.vertex(t[0]), b = at.vertex(t[1]), c = at.vertex(t[2]);
      const Vec3d weights = nearest_on_triangle(a, b, c, x);
      const Vec3d point = a * weights.x + b * weights.y + c * weights.z;
      const double d2 = dot(x - point, x - point);
      if (d2 < best2 || (d2 == best2 && (best.triangle < 0 || triangle < best.triangle))) {
        best2 = d2;
        best.triangle = triangle;
        best.weights = weights;
        best.point = point;
      }
    }
    if (node.count > 0) continue;
    Entry near{node.first, at.distance2_to_box(node.first, x)};
    Entry far{node.first + 1, at.distance2_to_box(node.first + 1, x)};
    if (far.distance2 < near.distance2) std::swap(near, far);
    if (far.distance2 <= best2) stack[depth++] = far;
    if (near.distance2 <= best2) stack[depth++] = near;
  }
  if (best.triangle < 0) return best;
  const Vec3d outward = pseudo_normal(at, best.triangle, best.weights);
  const Vec3d from = x - best.point;
  const bool inside = hierarchy_->inside_test() == InsideTest::normals ? dot(from, outward) < 0 : winding(at, x) > 0.5;
  const double distance = std::sqrt(best2);
  best.distance = inside ? -distance : distance;
  // On the surface the direction to it is rounding.
  const double least = 1e-9 * mean_edge_;
  best.normal = distance > least ? from / best.distance : normalized(outward, Vec3d(0, 1, 0));
  return best;
}

double MovingSurface::winding(Vec3d x, double time) const {
  return winding({*this, dt_ > 0 ? std::clamp((time - begin_) / dt_, 0.0, 1.0) : 1.0}, x);
}

// Far parts are taken where they are at the end of the step: their share changes little with the way of a step.
double MovingSurface::winding(const At& at, Vec3d x) const {
  const auto nodes = hierarchy_->nodes();
  const auto order = hierarchy_->order();
  const auto triangles = hierarchy_->triangles();
  double angle = 0;
  std::array<std::int32_t, 64> stack;
  std::size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const auto i = static_cast<std::size_t>(stack[--depth]);
    if (!dipoles_.empty()) {
      const SurfaceHierarchy::Dipole& d = dipoles_[i];
      const Vec3d r = d.center - x;
      const double distance2 = dot(r, r), far = far_part * d.radius;
      if (distance2 > far * far) {
        angle += dot(r, d.area) / (distance2 * std::sqrt(distance2));
        continue;
      }
    }
    const SurfaceHierarchy::Node& node = nodes[i];
    for (std::int32_t k = 0; k < node.count; ++k) {
      const auto& t = triangles[static_cast<std::size_t>(order[static_cast<std::size_t>(node.first + k)])];
      angle += solid_angle(at.vertex(t[0]) - x, at.vertex(t[1]) - x, at.vertex(t[2]) - x);
    }
    if (node.count > 0) continue;
    stack[depth++] = node.first;
    stack[depth++] = node.first + 1;
  }
  return angle / (4 * std::numbers::pi);
}

}  // namespace ymir
