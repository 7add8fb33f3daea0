// The super-helix nearest to a polyline: what a groom is as a rest shape. [Bertails2006, 6.1; by least squares here]
//
//   min sum_k |r(s_k) - x_k|^2,  s_k at the same part of the length as vertex k of the polyline
//
// over the curvatures of the elements, the length of the helix (longer than the chords of the polyline) and the
// direction of its root; r(0) = x_0. Levenberg-Marquardt, from the screw that takes each pair of edges to the next one:
// of a helix that is sampled evenly that is exact however coarse it is.
#pragma once

#include <span>

#include "ymir/physics/rods/super_helix.h"

namespace ymir {

struct HelixFit {
  SuperHelix helix;  // updated; the root is not free
  double error = 0;  // farthest vertex from where it should be [m]
};

// m1: direction of the frame at the root, made orthogonal to the tangent. tangent: given, or 0: fitted.
HelixFit fit_helix(std::span<const Vec3d> vertices, int elements, Vec3d m1, Vec3d tangent);

}  // namespace ymir
