#include "ymir/data/triangle_bvh.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/physics/contact/nearest_on_triangle.h"

namespace ymir {
namespace {

constexpr std::int32_t leaf_size = 4;

double distance2(const Box& box, Vec3d x) {
  const Vec3d zero(0, 0, 0);
  const Vec3d d = cwise_max(cwise_max(box.low - x, x - box.high), zero);
  return dot(d, d);
}

}  // namespace

TriangleBvh::TriangleBvh(const Surface& surface) : positions_(surface.positions), triangles_(surface.triangles) {
  const auto vertices = static_cast<std::int32_t>(positions_.size());
  for (const auto& t : triangles_)
    for (const std::int32_t v : t) YMIR_CHECK(v >= 0 && v < vertices);
  build();
  compute_normals();
}

void TriangleBvh::build() {
  const auto count = static_cast<std::int32_t>(triangles_.size());
  if (count == 0) return;
  std::vector<Vec3d> centers(triangles_.size());
  order_.resize(triangles_.size());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const auto& t = triangles_[i];
    centers[i] = (positions_[t[0]] + positions_[t[1]] + positions_[t[2]]) / 3.0;
    order_[i] = static_cast<std::int32_t>(i);
  }
  struct Range {
    std::int32_t node, begin, end;
  };
  nodes_.reserve(triangles_.size());
  nodes_.emplace_back();
  std::vector<Range> pending{{0, 0, count}};
  while (!pending.empty()) {
    const auto [node, begin, end] = pending.back();
    pending.pop_back();
    Box box, middles;
    for (std::int32_t i = begin; i < end; ++i) {
      for (const std::int32_t v : triangles_[order_[i]]) box.include(positions_[v]);
      middles.include(centers[order_[i]]);
    }
    nodes_[node].box = box;
    if (end - begin <= leaf_size) {
      nodes_[node].first = begin;
      nodes_[node].count = end - begin;
      continue;
    }
    const Vec3d size = middles.size();
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::int32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::int32_t a, std::int32_t b) {
                       const double ca = centers[a][axis], cb = centers[b][axis];
                       return ca != cb ? ca < cb : a < b;
                     });
    const auto left = static_cast<std::int32_t>(nodes_.size());
    nodes_[node].first = left;
    nodes_.emplace_back();
    nodes_.emplace_back();
    pending.push_back({left, begin, middle});
    pending.push_back({left + 1, middle, end});
  }
}

void TriangleBvh::compute_normals() {
  double volume6 = 0;
  const Vec3d origin = positions_.empty() ? Vec3d() : positions_[0];
  face_normals_.resize(triangles_.size());
  edge_normals_.resize(triangles_.size());
  vertex_normals_.resize(positions_.size());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const auto& t = triangles_[i];
    const Vec3d a = positions_[t[0]], b = positions_[t[1]], c = positions_[t[2]];
    face_normals_[i] = normalized(cross(b - a, c - a), Vec3d(0, 0, 0));
    volume6 += dot(a - origin, cross(b - origin, c - origin));
  }
  // A mesh turned inside out is a user's export setting, not a hollow world.
  if (volume6 < 0)
    for (Vec3d& n : face_normals_) n = -n;

  struct Half {
    std::int32_t low, high, triangle, corner;
  };
  std::vector<Half> halves;
  halves.reserve(triangles_.size() * 3);
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const auto& t = triangles_[i];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t v = t[k], next = t[(k + 1) % 3], last = t[(k + 2) % 3];
      const Vec3d e = positions_[next] - positions_[v], f = positions_[last] - positions_[v];
      const double angle = std::atan2(norm(cross(e, f)), dot(e, f));
      vertex_normals_[v] += face_normals_[i] * angle;
      halves.push_back(
          {std::min(next, last), std::max(next, last), static_cast<std::int32_t>(i), static_cast<std::int32_t>(k)});
    }
  }
  std::sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) {
    return std::array{a.low, a.high, a.triangle, a.corner} < std::array{b.low, b.high, b.triangle, b.corner};
  });
  for (std::size_t begin = 0; begin < halves.size();) {
    std::size_t end = begin;
    Vec3d sum;
    for (; end < halves.size() && halves[end].low == halves[begin].low && halves[end].high == halves[begin].high; ++end)
      sum += face_normals_[halves[end].triangle];
    for (; begin < end; ++begin) edge_normals_[halves[begin].triangle][halves[begin].corner] = normalized(sum, sum);
  }
  for (Vec3d& n : vertex_normals_) n = normalized(n, n);
}

void TriangleBvh::test_triangle(std::int32_t triangle, Vec3d x, double& best2, ClosestPoint& best) const {
  const auto& t = triangles_[triangle];
  const Vec3d a = positions_[t[0]], b = positions_[t[1]], c = positions_[t[2]];
  const Vec3d weights = nearest_on_triangle(a, b, c, x);
  const Vec3d point = a * weights.x + b * weights.y + c * weights.z;
  const double d2 = dot(x - point, x - point);
  if (d2 < best2 || (d2 == best2 && (best.triangle < 0 || triangle < best.triangle))) {
    best2 = d2;
    best = {triangle, weights, point, 0};
  }
}

ClosestPoint TriangleBvh::closest(Vec3d x, double bound) const {
  ClosestPoint best;
  if (nodes_.empty()) return best;
  double best2 = bound * bound;
  struct Entry {
    std::int32_t node;
    double distance2;
  };
  // Median splits halve the count, so 2^31 triangles are at most 31 levels deep.
  std::array<Entry, 64> stack;
  std::size_t depth = 0;
  stack[depth++] = {0, distance2(nodes_[0].box, x)};
  while (depth > 0) {
    const Entry entry = stack[--depth];
    if (entry.distance2 > best2) continue;
    const Node& node = nodes_[entry.node];
    for (std::int32_t i = 0; i < node.count; ++i) test_triangle(order_[node.first + i], x, best2, best);
    if (node.count > 0) continue;
    Entry near{node.first, distance2(nodes_[node.first].box, x)};
    Entry far{node.first + 1, distance2(nodes_[node.first + 1].box, x)};
    if (far.distance2 < near.distance2) std::swap(near, far);
    stack[depth++] = far;
    stack[depth++] = near;
  }
  if (best.triangle >= 0) best.distance = std::sqrt(best2);
  return best;
}

Vec3d TriangleBvh::pseudo_normal(const ClosestPoint& closest) const {
  YMIR_CHECK(closest.triangle >= 0);
  const Vec3d w = closest.barycentric;
  const int zeros = (w.x == 0) + (w.y == 0) + (w.z == 0);
  if (zeros == 2) return vertex_normals_[triangles_[closest.triangle][w.x != 0 ? 0 : w.y != 0 ? 1 : 2]];
  if (zeros == 1) return edge_normals_[closest.triangle][w.x == 0 ? 0 : w.y == 0 ? 1 : 2];
  return face_normals_[closest.triangle];
}

double TriangleBvh::signed_distance(Vec3d x, const ClosestPoint& closest) const {
  return dot(x - closest.point, pseudo_normal(closest)) < 0 ? -closest.distance : closest.distance;
}

}  // namespace ymir
