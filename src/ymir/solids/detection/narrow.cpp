#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Nearest clamp at the point; of a face or an edge the vertex that is farthest from one counts.
float clamp_distance(const Boundary& b, const ContactSide& side) {
  if (side.kind == SideKind::fiber) {
    const float first = b.vertices[at(side.vertex[0])].from_clamp, second = b.vertices[at(side.vertex[1])].from_clamp;
    return first + (second - first) * static_cast<float>(side.weight[1]);
  }
  float most = 0;
  for (const std::int32_t v : side.vertex)
    if (v >= 0) most = std::max(most, b.vertices[at(v)].from_clamp);
  return most;
}

}  // namespace

ContactSide fiber_side(const Boundary& b, std::int32_t segment, double s) {
  return {SideKind::fiber, b.vertices[at(segment)].piece, segment, {segment, segment + 1, -1}, {1 - s, s, 0}};
}

ContactSide point_side(const Boundary& b, std::int32_t vertex) {
  return {SideKind::point, b.vertices[at(vertex)].piece, vertex, {vertex, -1, -1}, {1, 0, 0}};
}

ContactSide edge_side(const Boundary& b, std::int32_t edge, double t) {
  const auto& e = b.edges[at(edge)];
  return {SideKind::edge, b.edge_piece[at(edge)], edge, {e[0], e[1], -1}, {1 - t, t, 0}};
}

ContactSide face_side(const Boundary& b, std::int32_t triangle, Vec3d w) {
  return {SideKind::face, b.triangle_piece[at(triangle)], triangle, b.triangles[at(triangle)], {w.x, w.y, w.z}};
}

Vec3d place_of(const Boundary& b, const ContactSide& side) {
  Vec3d x{0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k)
    if (side.vertex[k] >= 0) x += b.vertices[at(side.vertex[k])].x * side.weight[k];
  return x;
}

double radius_at(const Boundary& b, const ContactSide& side) {
  double r = 0;
  for (std::size_t k = 0; k < 3; ++k)
    if (side.vertex[k] >= 0) r += b.vertices[at(side.vertex[k])].radius * side.weight[k];
  return r;
}

bool clamped(const Boundary& b, const ContactSide& p, const ContactSide& q) {
  return clamp_distance(b, p) <= clamp_reach && clamp_distance(b, q) <= clamp_reach;
}

}  // namespace ymir
