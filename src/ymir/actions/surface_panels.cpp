#include "ymir/actions/surface_panels.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

constexpr double most_panels = 1e6;

}  // namespace

std::vector<Panel> cut_into_panels(const std::vector<Vec3d>& positions,
                                   const std::vector<std::array<std::int32_t, 3>>& triangles, double longest) {
  std::vector<double> edge;
  for (const auto& t : triangles) {
    const auto x = [&](std::size_t k) { return positions[static_cast<std::size_t>(t[k])]; };
    edge.push_back(std::max({norm(x(1) - x(0)), norm(x(2) - x(1)), norm(x(0) - x(2))}));
  }
  const auto cuts = [&](double of) { return std::max(1.0, std::ceil(of / longest * (1 - 1e-12))); };
  const auto total = [&] {
    double sum = 0;
    for (const double of : edge) sum += cuts(of) * cuts(of);
    return sum;
  };
  while (total() > std::max(most_panels, static_cast<double>(triangles.size()))) longest *= 1.25;
  std::vector<Panel> panels;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const int n = static_cast<int>(cuts(edge[t]));
    const double part = 1.0 / n;
    // Between lines i and i + 1, j and j + 1: an upright triangle and, but for the last, one upside down.
    const auto add = [&](double i, double j) {
      const double b = i * part, c = j * part;
      panels.push_back({static_cast<std::int32_t>(t), {1 - b - c, b, c}, part * part});
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        add(i + 1.0 / 3, j + 1.0 / 3);
        if (i + j + 1 < n) add(i + 2.0 / 3, j + 2.0 / 3);
      }
  }
  return panels;
}

}  // namespace ymir
