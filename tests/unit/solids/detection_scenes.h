// Scenes that tests of detection share.
#pragma once

#include <cstdint>

#include "ymir/base/random.h"
#include "ymir/solids/detection/boundary.h"
#include "ymir/solids/detection/contact.h"

namespace ymir::detection_scenes {

Vec3d random_vector(Random& random, double size);
// Calls of operator new since the program began.
std::uint64_t allocations();

// Fibres in a bundle along -z, 1 mm in radius, that wind around each other; edges of 5 mm.
Boundary wavy_fibers(int fibers, int edges, std::uint64_t seed);
// Triangles of a sheet of n x n squares in the plane z = 0, between 0 and n edges; corners of the surface of a cube.
struct Sheet {
  std::vector<Vec3d> positions;
  std::vector<std::array<std::int32_t, 3>> triangles;
};
Sheet sheet(int n, double edge);
// Closed, outwards, of n x n squares on each side.
Sheet cube(int n, double size);
// Loose points, fibres, sheets on each other: contacts of all families.
Boundary mixed(std::uint64_t seed);
// The same with many more of each.
Boundary many(std::uint64_t seed);

}  // namespace ymir::detection_scenes
