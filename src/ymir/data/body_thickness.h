// How thick a body is: the diameter of the largest ball inside that touches its surface at a point, found by shrinking
// (Ma, Bae, Choi, "3D medial axis point approximation using nearest neighbors and the normal field", 2012).
//
//   c = p - r n;  q nearest to c:  |q - c| < r  =>  r = |p - q|^2 / (2 n.(p - q))
//
// while the surface faces another way at q than at p, by 60 degrees or more: bumps beside p do not count.
#pragma once

#include "ymir/data/meshes.h"

namespace ymir {

// Half of the surface, by area, is thinner than this [m]. Closed, its normals outwards; measured at the middles of some
// thousand triangles.
double median_thickness(const Surface& surface);

}  // namespace ymir
