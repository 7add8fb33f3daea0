#include "ymir/grooms/surface_parts.h"

#include <algorithm>
#include <numeric>

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<std::int32_t> parts_of(const Surface& surface, std::int32_t& count) {
  std::vector<std::int32_t> parent(surface.positions.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](std::int32_t a) {
    while (parent[at(a)] != a) a = parent[at(a)] = parent[at(parent[at(a)])];
    return a;
  };
  std::vector<std::uint8_t> used(parent.size(), 0);
  for (const auto& t : surface.triangles)
    for (const std::int32_t v : t) {
      used[at(v)] = 1;
      const std::int32_t a = find(t[0]), b = find(v);
      parent[at(std::max(a, b))] = std::min(a, b);
    }
  std::vector<std::int32_t> part(parent.size(), -1);
  count = 0;
  for (std::int32_t v = 0; v < std::ssize(parent); ++v) {
    if (used[at(v)] == 0) continue;
    std::int32_t& of = part[at(find(v))];
    if (of < 0) of = count++;
    part[at(v)] = of;
  }
  return part;
}

std::vector<Surface> separated(const Surface& surface) {
  std::int32_t count = 0;
  const std::vector<std::int32_t> part_of = parts_of(surface, count);
  std::vector<Surface> parts(at(count));
  std::vector<std::int32_t> now(part_of.size(), -1);
  for (std::size_t v = 0; v < part_of.size(); ++v) {
    if (part_of[v] < 0) continue;
    std::vector<Vec3d>& positions = parts[at(part_of[v])].positions;
    now[v] = static_cast<std::int32_t>(positions.size());
    positions.push_back(surface.positions[v]);
  }
  for (const auto& t : surface.triangles)
    parts[at(part_of[at(t[0])])].triangles.push_back({now[at(t[0])], now[at(t[1])], now[at(t[2])]});
  return parts;
}

}  // namespace ymir
