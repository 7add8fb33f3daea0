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
#include "ymir/physics/elements/hexahedron.h"

namespace ymir {
namespace {

constexpr double finest = 8;  // parts of an edge of a cube that are looked at
constexpr double least_fill = 0.05;
constexpr double least_share = 0.01;  // at each point, of the cube's: no motion of its corners is without stiffness
// Corners of a cube as physics/elements/hexahedron.h numbers them.
constexpr std::array<Vec3i, 8> corners{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

using Shares = std::array<double, Hexahedron::points>;

// How much of a cube is solid, and where in it: shares of its quadrature points with the same volume and moments of
// 1, x, y, z, xy, ... xyz, as far as they are positive. With the whole cube's share at every point, what is thinner
// than its cells would be spread over all of them, and far too stiff in bending.
struct Filled {
  double fill = 0;
  Shares share{};

  static Filled whole() {
    Filled all{1, {}};
    all.share.fill(1);
    return all;
  }
  void raise_to(double least) {
    if (fill >= least) return;
    if (fill == 0) share.fill(least);
    for (double& s : share) s = fill == 0 ? least : s * least / fill;
    fill = least;
  }
  void multiply(double factor) {
    fill *= factor;
    for (double& s : share) s *= factor;
  }
};

// What is solid of a cube, by halves: those that the surface may cross are cut again.
class SolidPart {
 public:
  explicit SolidPart(const TriangleBvh& bvh) : bvh_(&bvh) {}

  Filled of(Vec3d low, double cell) {
    found_ = {};
    add(low, cell, {-1, -1, -1}, 2);
    found_.multiply(1.0 / Hexahedron::points);
    if (found_.fill > 1 - 1e-9) return Filled::whole();
    if (found_.fill < 1e-9) return {};
    double sum = 0;
    for (double& s : found_.share) sum += s = std::max(s, least_share * found_.fill);
    for (double& s : found_.share) s *= found_.fill * Hexahedron::points / sum;
    return found_;
  }

 private:
  // r, edge: its lowest corner and size in the coordinates of the whole cube, [-1, 1]^3.
  void add(Vec3d low, double size, Vec3d r, double edge) {
    const double half = 0.5 * size, far = std::sqrt(3.0) * half;
    const double distance = bvh_->signed_distance(low + Vec3d{half, half, half});
    if (distance >= far) return;
    const Vec3d middle = r + Vec3d{1, 1, 1} * (0.5 * edge);
    if (distance <= -far) return count(middle, edge * edge * edge);
    // The smallest, as a plane along its sides cuts it.
    if (edge < 2.5 / finest) return count(middle, edge * edge * edge * std::clamp(0.5 - distance / size, 0.0, 1.0));
    for (const Vec3i& corner : corners)
      add(low + Vec3d(corner) * half, half, r + Vec3d(corner) * (0.5 * edge), 0.5 * edge);
  }
  // Moments up to xyz of a cube are those of its middle.
  void count(Vec3d r, double volume) {
    found_.fill += volume;
    for (std::size_t q = 0; q < found_.share.size(); ++q) {
      const Vec3d p = Hexahedron::quadrature[q].at * 3;  // 1 + r p: 2 at the point itself, 0 at the one across
      found_.share[q] += volume * (1 + r.x * p.x) * (1 + r.y * p.y) * (1 + r.z * p.z);
    }
  }

  const TriangleBvh* bvh_;
  Filled found_;
};

// Cubes that the surface crosses are scaled so that all of them have the volume of the surface.
void keep_volume(std::vector<Filled>& cubes, double volume) {
  double whole = 0, parts = 0;
  for (const Filled& c : cubes) (c.fill == 1 ? whole : parts) += c.fill;
  if (!(parts > 0) || !(volume > whole)) return;
  for (Filled& c : cubes)
    if (c.fill > 0 && c.fill < 1) c.multiply(std::min((volume - whole) / parts, 1 / c.fill));
}

}  // namespace

SolidMesh lattice_of(const Surface& surface, double cell, const std::string& name, std::size_t most, const char* knob) {
  if (const std::string why = why_not_closed(surface); !why.empty())
    throw Error(ExitCode::bad_input, fmt::format("{}: the surface is not closed, so it has no inside: {}", name, why));
  require_volume(surface, name);
  const Box box = bounds(surface.positions);
  const Vec3d size = box.size();
  const auto along = [&](int axis) { return std::max(1.0, std::ceil(size[axis] / cell * (1 - 1e-9))); };
  const double cubes = along(0) * along(1) * along(2);
  if (!(cubes <= static_cast<double>(most)))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the box around it has {:.3g} cells of {:g} m, more than {}; make `{}:` larger", name,
                            cubes, cell, most, knob));
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
  std::vector<Filled> filled(all);
  const auto place = [&](std::size_t i) {
    const auto nx = static_cast<std::size_t>(count.x), ny = static_cast<std::size_t>(count.y);
    return Vec3i{static_cast<int>(i % nx), static_cast<int>(i / nx % ny), static_cast<int>(i / (nx * ny))};
  };
  parallel_for(static_cast<std::ptrdiff_t>(all), [&](std::ptrdiff_t i) {
    const Vec3i c = place(static_cast<std::size_t>(i));
    filled[static_cast<std::size_t>(i)] = SolidPart(bvh).of(low + Vec3d(c) * cell, cell);
  });
  if (std::all_of(filled.begin(), filled.end(), [](const Filled& f) { return f.fill == 0; }))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the surface is thinner than cells of {:g} m everywhere; make `{}:` smaller", name,
                            cell, knob));
  for (const Vec3d& x : surface.positions) filled[index(cube_of(x))].raise_to(least_fill);  // the skin is in cells
  for (Filled& f : filled)
    if (f.fill > 0) f.raise_to(least_fill);
  keep_volume(filled, std::fabs(enclosed_volume(surface)) / (cell * cell * cell));
  SolidMesh mesh;
  mesh.shape = CellShape::hexahedron;
  mesh.skin = surface;
  std::vector<std::int32_t> cell_at(all, -1);
  std::map<std::array<int, 3>, std::int32_t> nodes;  // by z, y, x: numbered plane by plane
  for (std::size_t i = 0; i < all; ++i) {
    if (!(filled[i].fill > 0)) continue;
    cell_at[i] = static_cast<std::int32_t>(mesh.fill.size());
    mesh.fill.push_back(filled[i].fill);
    mesh.shares.insert(mesh.shares.end(), filled[i].share.begin(), filled[i].share.end());
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
