// Grooms from a recipe. Strand i depends on the seed, i and the scalp alone: the same bits on any number of threads,
// and a groom of fewer strands is the beginning of one with more.
#pragma once

#include "ymir/data/meshes.h"
#include "ymir/grooms/comb.h"

namespace ymir {

// Strands of params.vertices vertices each, with the vertex channel `radius` (f32, thinner towards the tip). The first
// vertex lies on the skin. Throws Error(usage) for parameters out of range or a ponytail too short for its ring.
Curves generate_groom(const Scalp& scalp, const GroomParams& params);

}  // namespace ymir
