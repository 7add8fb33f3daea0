#include "ymir/solids/detection/mesh_features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ymir {
namespace {

constexpr double rounding = 1e-7;  // of the cosine between two directions, of their sizes before differences

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// `size`: of what `way` was computed from.
bool leads_to(Vec3d y, Vec3d way, double size) { return dot(y, way) > rounding * norm(y) * size; }

Vec3d face_normal(const Boundary& b, std::int32_t triangle) {
  const auto& t = b.triangles[at(triangle)];
  const Vec3d p = b.vertices[at(t[0])].x;
  return normalized(cross(b.vertices[at(t[1])].x - p, b.vertices[at(t[2])].x - p), Vec3d{0, 0, 0});
}

bool share_corner(const Boundary& b, std::int32_t triangle, std::int32_t other) {
  const auto &t = b.triangles[at(triangle)], &u = b.triangles[at(other)];
  return std::find_first_of(t.begin(), t.end(), u.begin(), u.end()) != t.end();
}

}  // namespace

MeshFeature feature_of(const Boundary& b, std::int32_t triangle, Vec3d w) {
  const int zeros = (w.x == 0) + (w.y == 0) + (w.z == 0);
  const auto& t = b.triangles[at(triangle)];
  if (zeros == 2) return {MeshFeature::Kind::vertex, t[w.x != 0 ? 0 : w.y != 0 ? 1 : 2]};
  if (zeros == 1) return {MeshFeature::Kind::edge, b.triangle_edges[at(triangle)][w.x == 0 ? 0 : w.y == 0 ? 1 : 2]};
  return {MeshFeature::Kind::face, triangle};
}

MeshFeature feature_of_edge(const Boundary& b, std::int32_t edge, double t) {
  if (t <= 0) return {MeshFeature::Kind::vertex, b.edges[at(edge)][0]};
  if (t >= 1) return {MeshFeature::Kind::vertex, b.edges[at(edge)][1]};
  return {MeshFeature::Kind::edge, edge};
}

bool is_local_minimum(const Boundary& b, const MeshFeature& feature, Vec3d x, Vec3d y) {
  if (feature.kind == MeshFeature::Kind::edge) {
    const auto& e = b.edges[at(feature.index)];
    const Vec3d p = b.vertices[at(e[0])].x, along = normalized(b.vertices[at(e[1])].x - p, Vec3d{0, 0, 0});
    for (const std::int32_t t : b.edge_triangles[at(feature.index)])
      for (std::size_t k = 0; t >= 0 && k < 3; ++k) {
        const std::int32_t third = b.triangles[at(t)][k];
        if (third == e[0] || third == e[1]) continue;
        const Vec3d way = b.vertices[at(third)].x - p;
        if (leads_to(y - x, way - along * dot(way, along), norm(way))) return false;
      }
  }
  if (feature.kind == MeshFeature::Kind::vertex)
    for (const std::int32_t t : b.around(feature.index))
      for (const std::int32_t v : b.triangles[at(t)])
        if (v != feature.index && leads_to(y - x, b.vertices[at(v)].x - x, norm(b.vertices[at(v)].x - x))) return false;
  return true;
}

bool leads_out(const Boundary& b, const MeshFeature& feature, Vec3d n) {
  constexpr double slack = 0.3;
  const auto into = [&](Vec3d way, double size) { return dot(n, way) > slack * norm(way) + rounding * size; };
  if (!(dot(feature_normal(b, feature), n) > 0)) return false;
  if (feature.kind == MeshFeature::Kind::face) return true;
  if (feature.kind == MeshFeature::Kind::edge) {
    const auto& e = b.edges[at(feature.index)];
    const Vec3d p = b.vertices[at(e[0])].x, along = normalized(b.vertices[at(e[1])].x - p, Vec3d{0, 0, 0});
    if (std::fabs(dot(n, along)) > slack) return false;
    for (const std::int32_t t : b.edge_triangles[at(feature.index)])
      for (std::size_t k = 0; t >= 0 && k < 3; ++k) {
        const Vec3d way = b.vertices[at(b.triangles[at(t)][k])].x - p;
        if (into(way - along * dot(way, along), norm(way))) return false;
      }
    return true;
  }
  const Vec3d x = b.vertices[at(feature.index)].x;
  for (const std::int32_t t : b.around(feature.index))
    for (const std::int32_t v : b.triangles[at(t)])
      if (const Vec3d way = b.vertices[at(v)].x - x; into(way, norm(way))) return false;
  return true;
}

Vec3d parting_normal(const Boundary& b, const MeshFeature& of_a, const MeshFeature& of_b, Vec3d difference,
                     Vec3d other) {
  Vec3d best{0, 0, 0};
  double widest = -std::numeric_limits<double>::infinity();
  const auto offer = [&](Vec3d n) {
    const double gap = dot(difference, n);
    if (!(gap > widest) || !leads_out(b, of_b, n) || !leads_out(b, of_a, -n)) return;
    widest = gap;
    best = n;
  };
  for (const auto& [feature, sign] : {std::pair(of_b, 1.0), std::pair(of_a, -1.0)}) {
    if (feature.kind == MeshFeature::Kind::face) offer(face_normal(b, feature.index) * sign);
    if (feature.kind == MeshFeature::Kind::edge)
      for (const std::int32_t t : b.edge_triangles[at(feature.index)])
        if (t >= 0) offer(face_normal(b, t) * sign);
    if (feature.kind == MeshFeature::Kind::vertex)
      for (const std::int32_t t : b.around(feature.index)) offer(face_normal(b, t) * sign);
  }
  if (dot(other, other) > 0)
    for (const double sign : {1.0, -1.0}) offer(normalized(other) * sign);
  return best;
}

Vec3d feature_normal(const Boundary& b, const MeshFeature& feature) {
  if (feature.kind == MeshFeature::Kind::face) return face_normal(b, feature.index);
  Vec3d sum{0, 0, 0};
  if (feature.kind == MeshFeature::Kind::edge) {
    for (const std::int32_t t : b.edge_triangles[at(feature.index)])
      if (t >= 0) sum += face_normal(b, t);
    return sum;
  }
  const Vec3d x = b.vertices[at(feature.index)].x;
  for (const std::int32_t t : b.around(feature.index)) {
    const auto& corner = b.triangles[at(t)];
    const std::size_t k = corner[0] == feature.index ? 0 : corner[1] == feature.index ? 1 : 2;
    const Vec3d e = b.vertices[at(corner[(k + 1) % 3])].x - x, f = b.vertices[at(corner[(k + 2) % 3])].x - x;
    sum += face_normal(b, t) * std::atan2(norm(cross(e, f)), dot(e, f));
  }
  return sum;
}

bool touches(const Boundary& b, std::int32_t vertex, std::int32_t triangle) {
  const auto around = b.around(vertex);
  return std::any_of(around.begin(), around.end(), [&](std::int32_t t) { return share_corner(b, t, triangle); });
}

}  // namespace ymir
