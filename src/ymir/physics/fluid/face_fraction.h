// Share of a square face that lies outside the solids, from the signed distance at its corners. [method notes C, 2]
//
// The boundary crosses the square's edges where the distance, linear along them, is zero, and is straight in between:
// exact for planes, second order for smooth solids.
#pragma once

#include "ymir/math/vec3.h"

namespace ymir {

namespace face_fraction {

// Area that a corner of value a cuts off when both its neighbours have the other sign.
YMIR_HD inline double corner(double a, double b, double c) { return 0.5 * (a / (a - b)) * (a / (a - c)); }

}  // namespace face_fraction

// Distances at (0,0), (1,0), (0,1), (1,1); positive outside. A corner on the boundary counts as inside: a wall along
// faces closes them.
YMIR_HD inline double open_fraction(double d00, double d10, double d01, double d11) {
  using face_fraction::corner;
  // In order around the square.
  const double d[4] = {d00, d10, d11, d01};
  int inside = 0;
  for (const double v : d) inside += v <= 0 ? 1 : 0;
  if (inside == 0) return 1;
  if (inside == 4) return 0;
  if (inside == 1 || inside == 3) {
    for (int i = 0; i < 4; ++i)
      if ((d[i] <= 0) == (inside == 1)) {
        const double cut = corner(d[i], d[(i + 1) % 4], d[(i + 3) % 4]);
        return inside == 1 ? 1 - cut : cut;
      }
  }
  for (int i = 0; i < 4; ++i) {
    const int next = (i + 1) % 4, across = (i + 2) % 4, last = (i + 3) % 4;
    if (d[i] <= 0 || d[next] <= 0) continue;
    // Two neighbours outside: a trapezoid.
    return 0.5 * (d[i] / (d[i] - d[last]) + d[next] / (d[next] - d[across]));
  }
  // Opposite corners: joined through the middle where the mean is outside.
  const bool joined = d00 + d10 + d01 + d11 >= 0;
  double area = joined ? 1 : 0;
  for (int i = 0; i < 4; ++i) {
    const double cut = corner(d[i], d[(i + 1) % 4], d[(i + 3) % 4]);
    if (joined && d[i] <= 0) area -= cut;
    if (!joined && d[i] > 0) area += cut;
  }
  return area;
}

}  // namespace ymir
