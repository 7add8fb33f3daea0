#include "ymir/data/body_thickness.h"

#include <algorithm>
#include <utility>

#include "ymir/data/triangle_bvh.h"

namespace ymir {
namespace {

constexpr std::size_t most_triangles = 2000;
constexpr int most_rounds = 30;

double thickness_at(const TriangleBvh& bvh, Vec3d p, Vec3d n, double longest) {
  constexpr double touching = 1e-6, same_way = 0.5;
  double r = 0.5 * longest;
  for (int round = 0; round < most_rounds; ++round) {
    const Vec3d centre = p - n * r;
    const ClosestPoint near = bvh.closest(centre);
    if (near.distance > r * (1 - touching)) break;
    // What faces the same way is the side that p is on, bumpy as it may be.
    if (dot(bvh.pseudo_normal(near), n) > same_way) break;
    const Vec3d to = p - near.point;
    const double ahead = dot(n, to);
    if (!(ahead > 0)) break;
    r = std::min(r, dot(to, to) / (2 * ahead));
  }
  return 2 * r;
}

}  // namespace

double median_thickness(const Surface& surface) {
  const TriangleBvh bvh(surface);
  const double longest = norm(bounds(surface.positions).size());
  std::vector<std::pair<double, double>> found;  // thickness, area
  double whole = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); t += 1 + surface.triangles.size() / most_triangles) {
    const auto x = [&](std::size_t k) { return surface.positions[static_cast<std::size_t>(surface.triangles[t][k])]; };
    const Vec3d normal = cross(x(1) - x(0), x(2) - x(0));
    const double twice_area = norm(normal);
    if (!(twice_area > 0)) continue;
    found.emplace_back(thickness_at(bvh, (x(0) + x(1) + x(2)) / 3, normal / twice_area, longest), twice_area);
    whole += twice_area;
  }
  std::sort(found.begin(), found.end());
  double sum = 0;
  for (const auto& [thickness, area] : found)
    if ((sum += area) >= 0.5 * whole) return thickness;
  return longest;
}

}  // namespace ymir
