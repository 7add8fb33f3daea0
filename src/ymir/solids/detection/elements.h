// How far elements of a Boundary reach: boxes for the trees, margins of pairs.
#pragma once

#include <algorithm>
#include <limits>

#include "ymir/math/box.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {

struct Reach {
  double margin;  // m [m]
  double edge;    // [m]; infinite of loose points: their travel is not capped
};

inline double margin_of(const Reach& a, const Reach& b) {
  return std::min(a.margin + b.margin, 0.5 * std::max(a.edge, b.edge));
}

struct Segment {
  std::int32_t v;  // first vertex; the second follows it
  Vec3d p, d;
  double radius(const Boundary& b, double s) const {
    const auto i = static_cast<std::size_t>(v);
    return b.vertices[i].radius + (b.vertices[i + 1].radius - b.vertices[i].radius) * s;
  }
  double from_clamp(const Boundary& b, double s) const {
    const auto i = static_cast<std::size_t>(v);
    return b.vertices[i].from_clamp + (b.vertices[i + 1].from_clamp - b.vertices[i].from_clamp) * s;
  }
  Reach reach(const Boundary& b) const {
    const auto i = static_cast<std::size_t>(v);
    const double edge = norm(d);
    return {std::min(std::max(b.vertices[i].travel, b.vertices[i + 1].travel), 0.5 * edge), edge};
  }
};

inline Segment segment_of(const Boundary& b, std::int32_t v) {
  const Vec3d p = b.vertices[static_cast<std::size_t>(v)].x;
  return {v, p, b.vertices[static_cast<std::size_t>(v) + 1].x - p};
}

inline Reach edge_reach(const Boundary& b, const std::array<std::int32_t, 2>& e) {
  const auto i = static_cast<std::size_t>(e[0]), j = static_cast<std::size_t>(e[1]);
  const double edge = norm(b.vertices[j].x - b.vertices[i].x);
  return {std::min(std::max(b.vertices[i].travel, b.vertices[j].travel), 0.5 * edge), edge};
}

inline Reach triangle_reach(const Boundary& b, std::int32_t triangle) {
  const auto& t = b.triangles[static_cast<std::size_t>(triangle)];
  double travel = 0, edge2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(t[k]), j = static_cast<std::size_t>(t[(k + 1) % 3]);
    const Vec3d d = b.vertices[j].x - b.vertices[i].x;
    travel = std::max(travel, b.vertices[i].travel);
    edge2 = std::max(edge2, dot(d, d));
  }
  const double edge = std::sqrt(edge2);
  return {std::min(travel, 0.5 * edge), edge};
}

// Of a vertex of a mesh as of the first triangle around it.
inline Reach vertex_reach(const Boundary& b, std::int32_t vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  const auto around = b.around(vertex);
  if (around.empty()) return {b.vertices[v].travel, std::numeric_limits<double>::infinity()};
  const Reach first = triangle_reach(b, around[0]);
  return {std::min(b.vertices[v].travel, 0.5 * first.edge), first.edge};
}

inline Box inflated(Box box, double by) {
  const Vec3d all{by, by, by};
  return {box.low - all, box.high + all};
}

// `reach`: radius and margin.
inline Box segment_box(const Boundary& b, const Segment& s, double reach) {
  const Vec3d q = b.vertices[static_cast<std::size_t>(s.v) + 1].x;
  return inflated({cwise_min(s.p, q), cwise_max(s.p, q)}, reach);
}

inline Box triangle_box(const Boundary& b, std::int32_t triangle) {
  Box box;
  for (const std::int32_t v : b.triangles[static_cast<std::size_t>(triangle)])
    box.include(b.vertices[static_cast<std::size_t>(v)].x);
  const auto v = static_cast<std::size_t>(b.triangles[static_cast<std::size_t>(triangle)][0]);
  return inflated(box, b.vertices[v].radius + triangle_reach(b, triangle).margin);
}

inline Box vertex_box(const Boundary& b, std::int32_t vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  return inflated({b.vertices[v].x, b.vertices[v].x}, b.vertices[v].radius + vertex_reach(b, vertex).margin);
}

}  // namespace ymir
