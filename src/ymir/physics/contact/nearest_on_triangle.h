// The point of a segment or triangle that is nearest to another.
#pragma once

#include <algorithm>
#include <cmath>

#include "ymir/math/vec3.h"

namespace ymir {

// t of the point p + t (q - p), 0 <= t <= 1, nearest to x.
inline double nearest_on_segment(Vec3d p, Vec3d q, Vec3d x) {
  const Vec3d d = q - p;
  const double length2 = dot(d, d);
  return length2 > 0 ? std::clamp(dot(x - p, d) / length2, 0.0, 1.0) : 0.0;
}

// Barycentric weights of the point of triangle abc nearest to x, exactly 0 where it lies on an edge or vertex.
// Ericson, "Real-Time Collision Detection" (2005), 5.1.5; of triangles with next to no area the three edges are asked
// too.
inline Vec3d nearest_on_triangle(Vec3d a, Vec3d b, Vec3d c, Vec3d x) {
  const Vec3d ab = b - a, ac = c - a, ax = x - a;
  const double d1 = dot(ab, ax), d2 = dot(ac, ax);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vec3d bx = x - b;
  const double d3 = dot(ab, bx), d4 = dot(ac, bx);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const Vec3d cx = x - c;
  const double d5 = dot(ab, cx), d6 = dot(ac, cx);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};

  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
  const double va = d3 * d6 - d5 * d4;
  const double to_c = d4 - d3, to_b = d5 - d6;
  if (va <= 0 && to_c >= 0 && to_b >= 0 && to_c + to_b > 0) return {0, to_b / (to_c + to_b), to_c / (to_c + to_b)};

  const double sum = va + vb + vc;  // squared normal
  const Vec3d inside = sum > 0 ? Vec3d{1 - vb / sum - vc / sum, vb / sum, vc / sum} : Vec3d{1, 0, 0};
  if (sum > 1e-8 * dot(ab, ab) * dot(ac, ac)) return inside;
  // Needles: the parts of the area are differences of much larger numbers.
  const double s = nearest_on_segment(a, b, x), t = nearest_on_segment(b, c, x), u = nearest_on_segment(c, a, x);
  const Vec3d candidates[4] = {{1 - s, s, 0}, {0, 1 - t, t}, {u, 0, 1 - u}, inside};
  const auto squared = [&](Vec3d w) {
    const Vec3d d = a * w.x + b * w.y + c * w.z - x;
    return dot(d, d);
  };
  return *std::min_element(candidates, candidates + 4, [&](Vec3d p, Vec3d q) { return squared(p) < squared(q); });
}

}  // namespace ymir
