// What leaves of trees are compared by before exact distances: elements in single precision about the origin of their
// tree, in its order, so that they are in the cache together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ymir/math/lane_bits.h"
#include "ymir/physics/contact/closest_segments.h"
#include "ymir/solids/detection/elements.h"

namespace ymir {

// Eight segments in the order of their tree, about its origin, in single precision: a filter before the exact distance.
//
// What rounding and the threshold of parallel segments do to a distance is below 1e-3 of both lengths (the error of s
// is that of 2^-24/sin^2 and moves the point by sin), and 2^-21 of the coordinates: reach has them added. Segments that
// go the same way come no nearer: between, that of both vertices is the mean way and at most `spread` off it.
struct SegmentBlock {
  using Real = Lanes<float, 8>;
  static constexpr float parallel = 1e-6f, smallest = 1e-30f;
  alignas(32) float p[3][8];
  alignas(32) float d[3][8];
  alignas(32) float way[3][8];
  alignas(32) float reach[8];   // radius, margin and rounding
  alignas(32) float radius[8];  // and rounding
  alignas(32) float spread[8];
  std::int32_t piece[8];

  void set(int lane, const Boundary& b, const Segment& s, Vec3d origin, double margin) {
    const BoundaryVertex &v = b.vertices[static_cast<std::size_t>(s.v)],
                         &w = b.vertices[static_cast<std::size_t>(s.v) + 1];
    const Vec3d x = s.p - origin, mean = (v.way + w.way) * 0.5;
    for (int k = 0; k < 3; ++k) {
      p[k][lane] = static_cast<float>(x[k]);
      d[k][lane] = static_cast<float>(s.d[k]);
      way[k][lane] = static_cast<float>(mean[k]);
    }
    const double size = std::abs(x.x) + std::abs(x.y) + std::abs(x.z), length = norm(s.d);
    const double largest = std::max(v.radius, w.radius), wrong = 1e-3 * length + 0x1p-21 * (size + length);
    piece[lane] = v.piece;
    reach[lane] = static_cast<float>((largest + margin) * 1.000001 + wrong);
    radius[lane] = static_cast<float>(largest * 1.000001 + wrong + 1e-6 * norm(mean));
    spread[lane] = static_cast<float>(0.5000005 * norm(w.way - v.way));
  }
  static Vec3<Real> load(const float (&v)[3][8]) { return {Real::load(v[0]), Real::load(v[1]), Real::load(v[2])}; }
  static Vec3<Real> all(const float (&v)[3][8], int lane) {
    return {Real::all(v[0][lane]), Real::all(v[1][lane]), Real::all(v[2][lane])};
  }
  // Lanes of `block` in reach of one segment of this one, and no farther than `slack` and `safety` times the way that
  // one goes relative to the other.
  unsigned near(int lane, const SegmentBlock& block, float slack, float safety) const {
    const Vec3<Real> p1 = all(p, lane), d1 = all(d, lane), p2 = load(block.p), d2 = load(block.d);
    const auto at_ends = closest_segments(p1, d1, p2, d2, parallel, smallest);
    const Vec3<Real> gap = p1 + d1 * at_ends.s - p2 - d2 * at_ends.t;
    const Vec3<Real> relative = all(way, lane) - load(block.way);
    const Real far = (sqrt(dot(relative, relative)) + Real::load(block.spread) + Real::all(spread[lane])) * safety;
    const Real met = Real::load(block.radius) + Real::all(radius[lane] + slack) + far;
    const Real most = min(Real::load(block.reach) + Real::all(reach[lane]), met);
    return bits(dot(gap, gap) <= most * most);
  }
};

// Corners of a triangle, and which of them and of its edges it is asked for: those that it is the first to have.
struct TriangleFilter {
  float x[3][3];                             // [corner][axis]
  float reach;                               // radius, margin and rounding
  std::array<std::int32_t, 3> corner, edge;  // edge k lies opposite to corner k
  bool own_corner[3], own_edge[3];

  void set(const Boundary& b, std::int32_t t, Vec3d origin) {
    corner = b.triangles[static_cast<std::size_t>(t)];
    edge = b.triangle_edges[static_cast<std::size_t>(t)];
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d place = b.vertices[static_cast<std::size_t>(corner[k])].x - origin;
      for (int axis = 0; axis < 3; ++axis) {
        x[k][axis] = static_cast<float>(place[axis]);
        size = std::max(size, std::abs(place[axis]));
      }
      own_corner[k] = b.around(corner[k])[0] == t;
      own_edge[k] = b.edge_triangles[static_cast<std::size_t>(edge[k])][0] == t;
    }
    const double radius = b.vertices[static_cast<std::size_t>(corner[0])].radius;
    reach = static_cast<float>((radius + triangle_reach(b, t).margin) * 1.000001 + 0x1p-21 * size);
  }
  bool has(std::int32_t vertex) const { return vertex == corner[0] || vertex == corner[1] || vertex == corner[2]; }

  // Whether corner k may be above the other's face.
  bool corner_near(int k, const TriangleFilter& other) const {
    const float room = reach + other.reach;
    for (int axis = 0; axis < 3; ++axis) {
      const float p = other.x[0][axis], q = other.x[1][axis], r = other.x[2][axis], y = x[k][axis];
      if (y + room < std::min({p, q, r}) || y - room > std::max({p, q, r})) return false;
    }
    return !other.has(corner[static_cast<std::size_t>(k)]);
  }
  // Whether edges k and j may be near each other.
  bool edges_near(int k, const TriangleFilter& other, int j) const {
    const float room = reach + other.reach;
    const int a = (k + 1) % 3, b = (k + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    for (int axis = 0; axis < 3; ++axis) {
      const float p = x[a][axis], q = x[b][axis], r = other.x[c][axis], s = other.x[d][axis];
      if (std::max(p, q) + room < std::min(r, s) || std::max(r, s) + room < std::min(p, q)) return false;
    }
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    return corner[at(a)] != other.corner[at(c)] && corner[at(a)] != other.corner[at(d)] &&
           corner[at(b)] != other.corner[at(c)] && corner[at(b)] != other.corner[at(d)];
  }
};

}  // namespace ymir
