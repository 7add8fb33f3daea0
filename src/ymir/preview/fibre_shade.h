// What thin strands take of the light on its way, as a medium: their projected area per volume on a sparse lattice.
// Thousands of hairs shade each other and what is under them softly, without a ray for each.
#pragma once

#include "ymir/preview/geometry.h"
#include "ymir/preview/scene.h"

namespace ymir {

// Empty where the geometry has no thin strands. Its extinction is per metre, voxels are cubes.
PreviewVolume fibre_medium(const PreviewScene&, const Geometry&);

}  // namespace ymir
