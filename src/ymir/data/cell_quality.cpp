#include "ymir/data/cell_quality.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ymir {

double aspect_of(const SolidMesh& mesh, std::size_t cell) {
  const auto at = [&](int a) {
    return mesh.positions[static_cast<std::size_t>(
        mesh.cells[cell * static_cast<std::size_t>(nodes_of(mesh.shape)) + static_cast<std::size_t>(a)])];
  };
  double longest = 0, shortest = std::numeric_limits<double>::infinity();
  if (mesh.shape == CellShape::hexahedron) {
    constexpr std::array<std::array<int, 2>, 12> edges{
        {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
    for (const auto& [a, b] : edges) {
      longest = std::max(longest, norm(at(b) - at(a)));
      shortest = std::min(shortest, norm(at(b) - at(a)));
    }
    return longest / shortest;
  }
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) longest = std::max(longest, norm(at(b) - at(a)));
  const double six_volumes = std::abs(dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)));
  for (int a = 0; a < 4; ++a) {
    const Vec3d o = at((a + 1) % 4);
    const double two_areas = norm(cross(at((a + 2) % 4) - o, at((a + 3) % 4) - o));
    shortest = std::min(shortest, six_volumes / two_areas);
  }
  return longest / shortest;
}

}  // namespace ymir
