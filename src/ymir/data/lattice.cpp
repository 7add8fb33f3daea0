#include "ymir/data/lattice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ymir/base/error.h"
#include "ymir/data/closed_surface.h"
#include "ymir/data/signed_distance_grid.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// Samples along an edge of a cube, for the share of it that is solid.
constexpr int samples = 4;
constexpr double least_fill = 0.05;
// Corners of a cube as physics/elements/hexahedron.h numbers them.
constexpr std::array<Vec3i, 8> corners{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

double fill_of(const TriangleBvh& bvh, Vec3d low, double cell) {
  const double half = 0.5 * cell, far = std::sqrt(3.0) * half;
  const double middle = bvh.signed_distance(low + Vec3d{half, half, half});
  if (middle <= -far) return 1;
  if (middle >= far) return 0;
  int inside = 0;
  for (int k = 0; k < samples; ++k)
    for (int j = 0; j < samples; ++j)
      for (int i = 0; i < samples; ++i)
        inside += bvh.signed_distance(low + Vec3d{i + 0.5, j + 0.5, k + 0.5} * (cell / samples)) < 0 ? 1 : 0;
  return inside / static_cast<double>(samples * samples * samples);
}

}  // namespace

SolidMesh lattice_of(const Surface& surface, double cell, const std::string& name, std::size_t most) {
  if (const std::string why = why_not_closed(surface); !why.empty())
    throw Error(ExitCode::bad_input, fmt::format("{}: the surface is not closed, so it has no inside: {}", name, why));
  require_volume(surface, name);
  const Box box = bounds(surface.positions);
  const Vec3d size = box.size();
  const auto along = [&](int axis) { return std::max(1.0, std::ceil(size[axis] / cell * (1 - 1e-9))); };
  const double cubes = along(0) * along(1) * along(2);
  if (!(cubes <= static_cast<double>(most)))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the box around it has {:.3g} cells of {:g} m, more than {}; make `cell:` larger", name,
                            cubes, cell, most));
  // The surface lies in the middle of the cubes around it.
  Vec3i count;
  Vec3d low;
  for (int a = 0; a < 3; ++a) {
    count[a] = static_cast<int>(along(a));
    low[a] = 0.5 * (box.low[a] + box.high[a]) - 0.5 * cell * count[a];
  }
  const TriangleBvh bvh(surface);
  const auto index = [&](Vec3i c) {
    return (static_cast<std::size_t>(c.z) * static_cast<std::size_t>(count.y) + static_cast<std::size_t>(c.y)) *
               static_cast<std::size_t>(count.x) +
           static_cast<std::size_t>(c.x);
  };
  const auto cube_of = [&](Vec3d x) {
    Vec3i c;
    for (int a = 0; a < 3; ++a)
      c[a] = std::clamp(static_cast<int>(std::floor((x[a] - low[a]) / cell)), 0, count[a] - 1);
    return c;
  };
  const std::size_t all =
      static_cast<std::size_t>(count.x) * static_cast<std::size_t>(count.y) * static_cast<std::size_t>(count.z);
  std::vector<double> fill(all);
  const auto place = [&](std::size_t i) {
    const auto nx = static_cast<std::size_t>(count.x), ny = static_cast<std::size_t>(count.y);
    return Vec3i{static_cast<int>(i % nx), static_cast<int>(i / nx % ny), static_cast<int>(i / (nx * ny))};
  };
  parallel_for(static_cast<std::ptrdiff_t>(all), [&](std::ptrdiff_t i) {
    const Vec3i c = place(static_cast<std::size_t>(i));
    fill[static_cast<std::size_t>(i)] = fill_of(bvh, low + Vec3d(c) * cell, cell);
  });
  if (std::all_of(fill.begin(), fill.end(), [](double f) { return f == 0; }))
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: the surface is thinner than cells of {:g} m everywhere; make `cell:` smaller", name, cell));
  for (const Vec3d& x : surface.positions) {
    double& f = fill[index(cube_of(x))];
    f = std::max(f, least_fill);  // every vertex of the skin is in a cell
  }
  SolidMesh mesh;
  mesh.shape = CellShape::hexahedron;
  mesh.skin = surface;
  std::vector<std::int32_t> cell_at(all, -1);
  std::map<std::array<int, 3>, std::int32_t> nodes;  // by z, y, x: numbered plane by plane
  for (std::size_t i = 0; i < all; ++i) {
    if (!(fill[i] > 0)) continue;
    cell_at[i] = static_cast<std::int32_t>(mesh.fill.size());
    mesh.fill.push_back(std::max(fill[i], least_fill));
    for (const Vec3i& corner : corners) {
      const Vec3i at = place(i);
      nodes.try_emplace({at.z + corner.z, at.y + corner.y, at.x + corner.x}, 0);
    }
  }
  for (auto& [at, number] : nodes) {
    number = static_cast<std::int32_t>(mesh.positions.size());
    mesh.positions.push_back(
        low + Vec3d{static_cast<double>(at[2]), static_cast<double>(at[1]), static_cast<double>(at[0])} * cell);
  }
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t k = 0; cell_at[i] >= 0 && k < corners.size(); ++k) {
      const Vec3i at = place(i);
      mesh.cells.push_back(nodes.at({at.z + corners[k].z, at.y + corners[k].y, at.x + corners[k].x}));
    }
  for (const Vec3d& x : surface.positions) {
    const Vec3i c = cube_of(x);
    const Vec3d middle = low + (Vec3d(c) + Vec3d{0.5, 0.5, 0.5}) * cell;
    mesh.embedded.push_back({cell_at[index(c)], (x - middle) * (2 / cell)});
  }
  return mesh;
}

}  // namespace ymir
