#include "ymir/grooms/mesh_border.h"

#include <algorithm>
#include <tuple>

namespace ymir {

MeshBorder::MeshBorder(const Surface& surface)
    : edges_(surface.triangles.size(), 0), vertices_(surface.positions.size(), 0) {
  struct Half {
    std::int32_t low, high;
    std::size_t triangle;
    int corner;
  };
  std::vector<Half> halves;
  halves.reserve(3 * surface.triangles.size());
  for (std::size_t i = 0; i < surface.triangles.size(); ++i)
    for (int a = 0; a < 3; ++a) {
      const auto& t = surface.triangles[i];
      const std::int32_t p = t[(a + 1) % 3], q = t[(a + 2) % 3];
      halves.push_back({std::min(p, q), std::max(p, q), i, a});
    }
  std::sort(halves.begin(), halves.end(), [](const Half& x, const Half& y) {
    return std::tie(x.low, x.high, x.triangle, x.corner) < std::tie(y.low, y.high, y.triangle, y.corner);
  });
  const auto same = [](const Half& x, const Half& y) { return x.low == y.low && x.high == y.high; };
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const Half& half = halves[i];
    if ((i > 0 && same(half, halves[i - 1])) || (i + 1 < halves.size() && same(half, halves[i + 1]))) continue;
    edges_[half.triangle] = static_cast<std::uint8_t>(edges_[half.triangle] | 1 << half.corner);
    vertices_[half.low] = vertices_[half.high] = 1;
  }
}

bool MeshBorder::holds(const Surface& surface, const ClosestPoint& closest) const {
  const auto triangle = static_cast<std::size_t>(closest.triangle);
  const auto& t = surface.triangles[triangle];
  for (int a = 0; a < 3; ++a) {
    const double w = closest.barycentric[a];
    if (w == 0 && (edges_[triangle] >> a & 1) != 0) return true;
    if (w == 1 && vertices_[t[a]] != 0) return true;
  }
  return false;
}

}  // namespace ymir
