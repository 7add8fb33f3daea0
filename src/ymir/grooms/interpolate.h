// Motion of guides carried to all hairs of a groom.
//
// Every vertex of a guide is a handle: where it went, g -> g', and how its surroundings turned, R (guide_rotations.h).
// At arc length s a hair would go with its few guides j, whose weights w_j sum to 1 and stay as they are at rest, to
//
//   y = p' + R (x - p),   p = sum_j w_j g_j(s),  p' = sum_j w_j g'_j(s),  R = normalised sum_j w_j R_j(s).
//
// It takes the directions of its segments from there and keeps their lengths: from the root on,
//
//   x'_{i+1} = x'_i + |x_{i+1} - x_i| (y_{i+1} - y_i) / |y_{i+1} - y_i|.
//
// The root goes with the skin where that is known (RootSkin), else to y. Guides that did not move leave every bit of
// the groom as it was; a rigid motion of all guides moves it rigidly and a hair that is a guide follows it, both up to
// rounding. Beyond the tip of a guide its last handle counts. Cost is linear in the vertices of guides and groom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/grooms/guide_rotations.h"

namespace ymir {

// Of one groom on one set of guides; serves any number of frames.
struct InterpolationWeights {
  std::size_t neighbours = 0;       // guides per hair
  std::vector<std::int32_t> guide;  // per hair and neighbour
  std::vector<double> weight;       // sum 1 per hair; 0 for neighbours out of reach
  GuideSurroundings surroundings;
};

// The `neighbours` guides nearest by root and shape (StrandSignature), weights falling smoothly to 0 at the next one; a
// hair that is a guide follows it alone. Guides across a parting are left out: those that lead away from the hair by
// more than 60 degrees, and those of another region where the strands of both have a channel `region`. A hair that
// would be left without any follows the nearest. Names are for errors. Throws Error(bad_input) for guides or hairs that
// are empty or not finite.
InterpolationWeights precompute_interpolation(const Curves& groom, const Curves& guides_rest, int neighbours,
                                              const std::string& groom_name = "groom",
                                              const std::string& guides_name = "guides");

// Where the skin under roots was and went; not held where a root has no skin.
struct SkinPoint {
  bool held = false;
  Vec3d rest, moved;  // [m]
};
struct RootSkin {
  std::vector<SkinPoint> hairs, guides;
};

// The groom moved, with its channels. Throws Error(bad_input) when the moved guides are not the guides at rest strand
// by strand and vertex by vertex, or not finite.
Curves interpolate(const Curves& groom, const InterpolationWeights& weights, const Curves& guides_rest,
                   const Curves& guides_moved, const std::string& moved_name = "moved guides",
                   const RootSkin* skin = nullptr);

}  // namespace ymir
