// The built-in head: a mannequin's head and neck, so that a groom needs no file to grow on.
//
// Metres, y up, facing +z; the neck is cut at y = 0 and the origin is the middle of the cut, where a head turns. The
// mesh is closed and oriented outwards. It is the zero set of a smooth blend of ellipsoids, reached from a geodesic
// sphere along rays (seen from inside the throat the head is star-shaped) and then evened out along the surface.
#pragma once

#include "ymir/data/meshes.h"

namespace ymir {

// Vertex channel `scalp`, f32: the share of the full density of hair that grows there, 0 below the hairline.
Surface head_mesh();

}  // namespace ymir
