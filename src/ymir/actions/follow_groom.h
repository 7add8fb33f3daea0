// Strands are pulled towards a groom, at rest, carried by an animated surface or animated itself: springs per volume,
// implicit.
//
//   E = f(t) sum_i k V_i/2 |x_i - X_i(t)|^2,   k [N/m^4], V_i the volume that a vertex stands for
//
// Rest values are the places X_i: gravity compensation divides the load between them and the rest shape of the rods.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ymir/actions/follow_animation.h"
#include "ymir/objects/curves_object.h"

namespace ymir {

// Both before ingest, with time 0 in factor where loads are compensated; a channel `stiffness` of the curves overrides
// `stiffness`. shape: vertices of the groom, strand by strand as those of the curves; empty: where the curves begin.
// Each strand goes along with the point of the surface that is nearest to its root at time 0; surface nullptr: it
// stands still.
void follow_groom(CurvesObject& curves, const std::string& owner, std::vector<Vec3d> shape,
                  std::shared_ptr<const AnimatedSurface> surface, double stiffness, const FollowFactor& factor);
// Vertices of `groom` are those of the curves.
void follow_animated_groom(CurvesObject& curves, const std::string& owner, AnimatedSurface groom, double stiffness,
                           const FollowFactor& factor);

}  // namespace ymir
