// Straight vortex with a smooth core, an optional updraft along its axis and an optional inflow towards it.
//
//   u(x) = swirl s(r) (a x e) - inflow s(r) e + updraft c(r) a,     d = (x - center) - a (a . (x - center)), r = |d|,
//   s(r) = sqrt(2) R r / sqrt(R^4 + r^4),  c(r) = R^4 / (R^4 + r^4),  e = d / r
//
//   a        unit axis [1]              R        core radius, where the tangential speed peaks [m]
//   swirl    peak tangential speed [m/s], right-handed about a
//   inflow   peak speed towards the axis [m/s]
//   updraft  speed along a on the axis [m/s]
//
// s is the profile of Vatistas, Kozel, Mih, "A simpler model for concentrated vortices", Exp. Fluids 11 (1991), n = 2:
// solid rotation inside the core, a free vortex ~ 1/r outside, close to Lamb-Oseen but algebraic, so that no exp()
// of one library or another enters the result. Without inflow the field is free of divergence; the inflow is a line
// sink spread over the core, free of divergence far outside it.
#pragma once

#include <cmath>

#include "ymir/math/vec3.h"

namespace ymir {

struct Vortex {
  Vec3d center{0, 0, 0};     // any point of the axis [m]
  Vec3d axis{0, 1, 0};       // unit
  double swirl = 1;          // [m/s]
  double core_radius = 0.1;  // [m], > 0
  double updraft = 0;        // [m/s]
  double inflow = 0;         // [m/s]
};

[[gnu::always_inline]] YMIR_HD inline Vec3d evaluate(const Vortex& vortex, Vec3d x) {
  const Vec3d from_center = x - vortex.center;
  const Vec3d d = from_center - vortex.axis * dot(vortex.axis, from_center);
  const double core2 = vortex.core_radius * vortex.core_radius;
  // (r/R)^4 rather than R^4 + r^4: neither over- nor underflows for any sensible r and R.
  const double ratio2 = dot(d, d) / core2;
  const double core = 1.0 / (1.0 + ratio2 * ratio2);
  const double slope = 1.4142135623730951 * std::sqrt(core) / vortex.core_radius;  // s(r) / r [1/m]
  return cross(vortex.axis, d) * (vortex.swirl * slope) - d * (vortex.inflow * slope) +
         vortex.axis * (vortex.updraft * core);
}

}  // namespace ymir
