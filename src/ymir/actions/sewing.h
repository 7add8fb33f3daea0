// Seams: pairs of vertices of a cloth that are drawn together over a time and then stay together.
//
//   C = |x_j - x_i| - l(t),  l from the distance in the beginning to 0;  closed: C = x_j - x_i
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ymir/objects/mesh_object.h"

namespace ymir {

struct Seam {
  double begin = 0;                 // [s]
  double close_time = 1;            // [s]
  std::optional<double> stiffness;  // of a pair [N/m]; absent: exact, by multipliers
};

using SewnPair = std::array<std::int32_t, 2>;

// Vertices on rims with the nearest vertex of a rim within `range` [m] that the cloth itself does not join to it within
// three times that. Every pair once.
std::vector<SewnPair> facing_vertices(const SolidMesh& cloth, double range);

// Before ingest.
void add_sewing(MeshObject& object, const std::string& owner, std::vector<SewnPair> pairs, const Seam& seam);

}  // namespace ymir
