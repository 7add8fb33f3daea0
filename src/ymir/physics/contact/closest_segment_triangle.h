// Closest points of a segment and a triangle: where it passes through; else the nearest of its ends above the face and
// of the three edges.
#pragma once

#include "ymir/physics/contact/closest_segments.h"
#include "ymir/physics/contact/nearest_on_triangle.h"

namespace ymir {

struct SegmentTrianglePoints {
  double s = 0;           // of the point p + s (q - p)
  Vec3d weights;          // of the corners a, b, c
  double distance2 = -1;  // [m^2]
};

inline SegmentTrianglePoints closest_segment_triangle(Vec3d p, Vec3d q, Vec3d a, Vec3d b, Vec3d c) {
  const Vec3d d = q - p, n = cross(b - a, c - a);
  const double from = dot(n, p - a), to = dot(n, q - a);
  if ((from < 0) != (to < 0)) {
    const double s = from / (from - to);
    const Vec3d x = p + d * s;
    // Twice the areas of the three parts, along n.
    const double area = dot(n, n), u = dot(n, cross(c - b, x - b)), v = dot(n, cross(a - c, x - c));
    if (u >= 0 && v >= 0 && u + v <= area && area > 0) return {s, {u / area, v / area, 1 - u / area - v / area}, 0};
  }
  SegmentTrianglePoints best;
  const auto take = [&](double s, Vec3d w) {
    const Vec3d gap = p + d * s - (a * w.x + b * w.y + c * w.z);
    const double distance2 = dot(gap, gap);
    if (best.distance2 < 0 || distance2 < best.distance2) best = {s, w, distance2};
  };
  take(0, nearest_on_triangle(a, b, c, p));
  take(1, nearest_on_triangle(a, b, c, q));
  const auto ab = closest_segments(p, d, a, b - a), bc = closest_segments(p, d, b, c - b),
             ca = closest_segments(p, d, c, a - c);
  take(ab.s, {1 - ab.t, ab.t, 0});
  take(bc.s, {0, 1 - bc.t, bc.t});
  take(ca.s, {ca.t, 0, 1 - ca.t});
  return best;
}

}  // namespace ymir
