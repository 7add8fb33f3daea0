// Conservative continuous detection: a share of the step up to which two elements that move in straight lines stay
// apart. Li, Kaufman, Jiang, "Codimensional incremental potential contact" (2021), section 5.
//
//   p = displacements less their mean, l = max |p_a| + max |p_b|: no distance changes by more than l per unit of t
//   g = 0.1 (d0 - xi) is kept of the gap; first step 0.9 (d0 - xi)/l, then t += 0.9 (d - xi)/l while d(t) - xi > g
//
//   d distance at t, d0 at the beginning, xi thickness [m]. 1: they stay apart. 0: they touch from the beginning.
#pragma once

#include "ymir/physics/contact/closest_segment_triangle.h"

namespace ymir {

namespace additive_ccd {

constexpr double kept = 0.1, forward = 0.9;
constexpr int most_steps = 200;  // to stop earlier is safe

// The first A of N vertices are of a, the others of b; distance(x) of the two at the vertices x.
template <int N, int A, class Distance>
double safe_time(const Vec3d (&start)[N], const Vec3d (&displacement)[N], double thickness, const Distance& distance) {
  Vec3d mean{0, 0, 0}, p[N], x[N];
  for (int k = 0; k < N; ++k) mean += displacement[k] * (1.0 / N);
  double fastest[2] = {0, 0};
  for (int k = 0; k < N; ++k) {
    p[k] = displacement[k] - mean;
    fastest[k < A ? 0 : 1] = max(fastest[k < A ? 0 : 1], norm(p[k]));
  }
  const double l = fastest[0] + fastest[1];
  double gap = distance(start) - thickness, t = 0;
  if (!(gap > 0)) return 0;
  const double least = kept * gap;
  for (int step = 0; step < most_steps; ++step) {
    const double ahead = t * l + (step == 0 ? 1 - kept : forward) * gap;  // l times where it is safe to go
    if (ahead >= l) return 1;
    for (int k = 0; k < N; ++k) x[k] = start[k] + p[k] * (ahead / l);
    gap = distance(x) - thickness;
    if (step > 0 && !(gap > least)) break;
    t = ahead / l;
  }
  return t;
}

}  // namespace additive_ccd

inline double segments_safe_time(const Vec3d (&x)[4], const Vec3d (&displacement)[4], double thickness) {
  return additive_ccd::safe_time<4, 2>(x, displacement, thickness, [](const Vec3d(&y)[4]) {
    const auto at = closest_segments(y[0], y[1] - y[0], y[2], y[3] - y[2]);
    return norm(y[0] + (y[1] - y[0]) * at.s - y[2] - (y[3] - y[2]) * at.t);
  });
}

inline double point_triangle_safe_time(const Vec3d (&x)[4], const Vec3d (&displacement)[4], double thickness) {
  return additive_ccd::safe_time<4, 1>(x, displacement, thickness, [](const Vec3d(&y)[4]) {
    const Vec3d w = nearest_on_triangle(y[1], y[2], y[3], y[0]);
    return norm(y[0] - y[1] * w.x - y[2] * w.y - y[3] * w.z);
  });
}

inline double segment_triangle_safe_time(const Vec3d (&x)[5], const Vec3d (&displacement)[5], double thickness) {
  return additive_ccd::safe_time<5, 2>(x, displacement, thickness, [](const Vec3d(&y)[5]) {
    return sqrt(closest_segment_triangle(y[0], y[1], y[2], y[3], y[4]).distance2);
  });
}

inline double point_segment_safe_time(const Vec3d (&x)[3], const Vec3d (&displacement)[3], double thickness) {
  return additive_ccd::safe_time<3, 1>(x, displacement, thickness, [](const Vec3d(&y)[3]) {
    return norm(y[0] - y[1] - (y[2] - y[1]) * nearest_on_segment(y[1], y[2], y[0]));
  });
}

inline double points_safe_time(const Vec3d (&x)[2], const Vec3d (&displacement)[2], double thickness) {
  return additive_ccd::safe_time<2, 1>(x, displacement, thickness,
                                       [](const Vec3d(&y)[2]) { return norm(y[0] - y[1]); });
}

}  // namespace ymir
