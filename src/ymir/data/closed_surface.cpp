#include "ymir/data/closed_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ymir {

std::string why_not_closed(const Surface& surface) {
  if (surface.triangles.empty()) return "it has no triangles";
  std::map<std::array<std::int32_t, 3>, std::size_t> seen;
  std::map<std::pair<std::int32_t, std::int32_t>, int> directed;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    std::array<std::int32_t, 3> sorted = surface.triangles[t];
    std::rotate(sorted.begin(), std::min_element(sorted.begin(), sorted.end()), sorted.end());
    if (const auto [first, added] = seen.try_emplace(sorted, t); !added)
      return fmt::format("triangles {} and {} are the same; remove what is there twice", first->second, t);
    for (std::size_t k = 0; k < 3; ++k) ++directed[{surface.triangles[t][k], surface.triangles[t][(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : directed) {
    const auto back = directed.find({edge.second, edge.first});
    const int opposite = back != directed.end() ? back->second : 0;
    if (count == 1 && opposite == 1) continue;
    const std::string where = fmt::format("the edge from vertex {} to {}", edge.first, edge.second);
    if (count + opposite == 1) return where + " has one triangle; fill its holes";
    if (count + opposite == 2) return where + " has triangles that face different ways; make them face outside";
    return fmt::format("{} has {} triangles; keep two", where, count + opposite);
  }
  return {};
}

std::size_t loose_vertices(const Surface& surface) {
  std::vector<char> used(surface.positions.size());
  for (const auto& t : surface.triangles)
    for (const std::int32_t v : t) used[static_cast<std::size_t>(v)] = 1;
  return static_cast<std::size_t>(std::count(used.begin(), used.end(), 0));
}

double enclosed_volume(const Surface& surface) {
  double six = 0;
  for (const auto& t : surface.triangles) {
    const Vec3d origin = surface.positions.front();
    const auto at = [&](std::size_t k) { return surface.positions[static_cast<std::size_t>(t[k])] - origin; };
    six += dot(at(0), cross(at(1), at(2)));
  }
  return six / 6;
}

void turn_inside_out(Surface& surface) {
  for (auto& t : surface.triangles) std::swap(t[1], t[2]);
}

}  // namespace ymir
