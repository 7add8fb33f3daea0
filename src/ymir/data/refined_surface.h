// A surface with points no farther apart than a length: edges that are longer get one in the middle, again and again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

struct RefinedSurface {
  std::vector<std::array<std::int32_t, 3>> triangles;
  // Of the vertices beyond those of the surface: where in one of its triangles they are.
  struct Place {
    std::int32_t triangle;
    Vec3d barycentric;
  };
  std::vector<Place> added;
};

// Triangles that share an edge share the vertices on it, and face the same way as before. An edge is divided by
// `most_parts` at most, rounded up to a power of two.
RefinedSurface refined(const Surface& surface, double longest, double most_parts);

}  // namespace ymir
