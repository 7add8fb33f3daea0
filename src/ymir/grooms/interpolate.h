// Motion of guides carried to all hairs of a groom.
//
// Every vertex of a guide is a handle: where it went, g -> g', and how its surroundings turned, the rotation q from its
// frame at rest to its frame moved. Frames are parallel-transported along the guide, so a guide that bends does not
// twist; at the root they turn with the roots and first segments around it (the skin). A hair at arc length s follows
// its few nearest guides j at the same arc length, with weights w_j that sum to 1:
//
//   x' = x + (p' - p) + (q - 1)(x - p),   p = sum_j w_j g_j(s),  p' = sum_j w_j g'_j(s),  q = normalised sum_j w_j
//   q_j(s).
//
// Guides that did not move leave every bit of the groom as it was; a rigid motion of all guides moves it rigidly, up to
// rounding. Beyond the tip of a guide its last handle counts. Cost is linear in the vertices of guides and groom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

// Of one groom on one set of guides; serves any number of frames.
struct InterpolationWeights {
  std::size_t neighbours = 0;             // guides per hair
  std::vector<std::int32_t> guide;        // per hair and neighbour
  std::vector<double> weight;             // sum 1 per hair; 0 for neighbours out of reach
  std::vector<std::int32_t> surrounding;  // per guide, the guides whose roots tell how its skin turns
  std::size_t surroundings = 0;           // of them per guide
};

// The `neighbours` guides nearest by root and shape (StrandSignature), weights falling smoothly to 0 at the next one; a
// hair that is a guide follows it alone. Names are for errors. Throws Error(bad_input) for guides or hairs that are
// empty or not finite.
InterpolationWeights precompute_interpolation(const Curves& groom, const Curves& guides_rest, int neighbours,
                                              const std::string& groom_name = "groom",
                                              const std::string& guides_name = "guides");

// The groom moved, with its channels. Throws Error(bad_input) when the moved guides are not the guides at rest strand
// by strand and vertex by vertex, or not finite.
Curves interpolate(const Curves& groom, const InterpolationWeights& weights, const Curves& guides_rest,
                   const Curves& guides_moved, const std::string& moved_name = "moved guides");

}  // namespace ymir
