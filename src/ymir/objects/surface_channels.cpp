#include "ymir/objects/surface_channels.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

// Largest principal stretch less 1: with Gram matrices C of the edges now and R at rest, the largest eigenvalue of
// R^-1 C is its square.
double principal_stretch(const std::array<std::int32_t, 3>& t, const std::vector<Vec3d>& rest,
                         const std::vector<Vec3d>& now) {
  const auto edge = [&](const std::vector<Vec3d>& x, std::size_t k) {
    return x[static_cast<std::size_t>(t[k])] - x[static_cast<std::size_t>(t[0])];
  };
  const Vec3d r1 = edge(rest, 1), r2 = edge(rest, 2), c1 = edge(now, 1), c2 = edge(now, 2);
  const double r11 = dot(r1, r1), r12 = dot(r1, r2), r22 = dot(r2, r2);
  const double c11 = dot(c1, c1), c12 = dot(c1, c2), c22 = dot(c2, c2);
  const double area = r11 * r22 - r12 * r12;
  if (!(area > 0)) return 0;
  const double half_trace = 0.5 * (r22 * c11 - 2 * r12 * c12 + r11 * c22) / area;
  const double determinant = (c11 * c22 - c12 * c12) / area;
  return std::sqrt(half_trace + std::sqrt(std::max(half_trace * half_trace - determinant, 0.0))) - 1;
}

}  // namespace

std::vector<Channel> surface_channels(const ShownSurface& surface) {
  const auto corners = [triangles = surface.triangles] {
    std::vector<Vec3i> all;
    if (const Triangles* from = triangles())
      for (const auto& t : *from) all.emplace_back(t[0], t[1], t[2]);
    return Array::of(all);
  };
  std::vector<Channel> all{
      {described<Vec3d>("position", Place::vertex, "m", "Where the vertices of the surface are.", Use::shown),
       [positions = surface.positions] { return Array::of(positions()); },
       {},
       {}},
      {described<Vec3i>("triangles", Place::face, "", "Vertices of each triangle, counter-clockwise from outside.",
                        Use::shown),
       corners,
       {},
       {}}};
  if (surface.velocities)
    all.push_back({described<Vec3d>("velocity", Place::vertex, "m/s", "Of the vertices of the surface.", Use::shown),
                   [velocities = surface.velocities] { return Array::of(velocities()); },
                   {},
                   {}});
  if (surface.rest)
    all.push_back(
        {described<double>("stretch", Place::face, "",
                           "Largest principal stretch of each triangle less 1: 0.1 is a tenth longer.", Use::shown),
         [surface] {
           std::vector<double> values;
           const Triangles* triangles = surface.triangles();
           if (triangles == nullptr) return Array::of(values);
           const std::vector<Vec3d> rest = surface.rest(), now = surface.positions();
           for (const auto& t : *triangles) values.push_back(principal_stretch(t, rest, now));
           return Array::of(values);
         },
         {},
         {}});
  return all;
}

double largest_stretch(const Triangles& triangles, const std::vector<Vec3d>& rest, const std::vector<Vec3d>& now) {
  double largest = 0;
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(t[k]), b = static_cast<std::size_t>(t[(k + 1) % 3]);
      const double length = norm(rest[b] - rest[a]);
      if (length > 0) largest = std::max(largest, std::fabs(norm(now[b] - now[a]) / length - 1));
    }
  return largest;
}

}  // namespace ymir
