#include "ymir/data/signed_distance_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

void require_closed(const Surface& surface, const std::string& name) {
  if (!std::all_of(surface.positions.begin(), surface.positions.end(), [](Vec3d p) { return is_finite(p); }))
    throw Error(ExitCode::bad_input, name + ": a vertex is not finite; export the mesh again");
  if (!closed(surface))
    throw Error(ExitCode::bad_input,
                name +
                    ": the mesh is not closed, so it has no inside; fill its holes, merge duplicate vertices and "
                    "orient its faces consistently");
}

Vec3d nodes_needed(const Box& mesh, double voxel, double margin) {
  const Vec3d size = mesh.size();
  const auto along = [&](double length) { return std::ceil((length + 2 * margin) / voxel) + 2; };
  return {along(size.x), along(size.y), along(size.z)};
}

void require_memory(const Box& mesh, Vec3d nodes, double voxel, double margin, const std::string& name) {
  const double bytes = nodes.x * nodes.y * nodes.z * static_cast<double>(sizeof(float));
  const auto most = static_cast<double>(SignedDistanceGrid::most_bytes);
  if (bytes <= most) return;
  double enough = voxel;
  const auto fits = [&](double v) {
    const Vec3d n = nodes_needed(mesh, v, margin);
    return n.x * n.y * n.z * static_cast<double>(sizeof(float)) <= most;
  };
  while (!fits(enough)) enough *= 1.05;
  enough *= 1.06;  // more than printing two digits can take away
  throw Error(ExitCode::bad_input,
              fmt::format("{}: a distance grid of {:.3g} m voxels needs {:.0f} x {:.0f} x {:.0f} nodes, {:.3g} MiB, "
                          "more than {} MiB; use voxels of {:.2g} m or more",
                          name, voxel, nodes.x, nodes.y, nodes.z, bytes / 0x1p20, SignedDistanceGrid::most_bytes >> 20,
                          enough));
}

}  // namespace

void require_volume(const Surface& surface, const std::string& name) {
  const Vec3d origin = surface.positions.front();
  double volume = 0, area = 0;
  for (const auto& t : surface.triangles) {
    const Vec3d a = surface.positions[static_cast<std::size_t>(t[0])] - origin,
                b = surface.positions[static_cast<std::size_t>(t[1])] - origin,
                c = surface.positions[static_cast<std::size_t>(t[2])] - origin;
    volume += dot(a, cross(b, c)) / 6;
    area += 0.5 * norm(cross(b - a, c - a));
  }
  // Mean thickness below a millionth of the size: rounding, or thinner than any voxel that fits in memory.
  constexpr double no_thickness = 1e-6;
  if (!(std::abs(volume) > no_thickness * area * norm(bounds(surface.positions).size())))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the mesh encloses no volume ({:.3g} m^3), so nothing is inside of it; give it "
                            "thickness (what shall only hold back gas may be a collider with `shape: sheet`)",
                            name, std::abs(volume)));
}

SignedDistanceGrid::SignedDistanceGrid(const Surface& surface, double voxel, double margin, const std::string& name)
    : voxel_(voxel) {
  require_closed(surface, name);
  require_volume(surface, name);
  YMIR_CHECK(voxel > 0 && std::isfinite(voxel) && margin >= 0 && std::isfinite(margin));
  const Box mesh = bounds(surface.positions);
  const Vec3d nodes = nodes_needed(mesh, voxel, margin);
  require_memory(mesh, nodes, voxel, margin, name);
  nodes_ = Vec3i(static_cast<int>(nodes.x), static_cast<int>(nodes.y), static_cast<int>(nodes.z));
  const Vec3d size = Vec3d(nodes_.x - 1, nodes_.y - 1, nodes_.z - 1) * voxel;
  low_ = mesh.center() - size * 0.5;
  high_ = low_ + size;
  values_.resize(index(0, 0, nodes_.z));

  const TriangleBvh bvh(surface);
  parallel_for(static_cast<std::ptrdiff_t>(nodes_.y) * nodes_.z, [&](std::ptrdiff_t row) {
    const int j = static_cast<int>(row % nodes_.y), k = static_cast<int>(row / nodes_.y);
    // The closest point of the node before bounds the distance of the next.
    ClosestPoint closest = bvh.closest(low_ + Vec3d(0, j, k) * voxel_);
    for (int i = 0; i < nodes_.x; ++i) {
      const Vec3d x = low_ + Vec3d(i, j, k) * voxel_;
      closest = bvh.closest(x, bvh.bound_from(x, closest.point));
      values_[index(i, j, k)] = static_cast<float>(bvh.signed_distance(x, closest));
    }
  });
  // A plate of two voxels or more always has a node half a voxel deep.
  if (std::none_of(values_.begin(), values_.end(), [&](float d) { return d < -0.5 * voxel; }))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no node of the distance grid lies well inside the mesh, it is too thin for voxels of "
                            "{:.3g} m; use voxels of half its thickness or less",
                            name, voxel));
}

double SignedDistanceGrid::interpolate(Vec3d x, Vec3d& gradient) const {
  int cell[3];
  double f[3];
  for (int a = 0; a < 3; ++a) {
    const double s = (x[a] - low_[a]) / voxel_;
    const double last = nodes_[a] - 2;
    const double whole = std::floor(s);
    cell[a] = static_cast<int>(whole > 0 ? (whole < last ? whole : last) : 0);
    f[a] = s - cell[a];
  }
  const float* v = &values_[index(cell[0], cell[1], cell[2])];
  const std::size_t dy = static_cast<std::size_t>(nodes_.x), dz = dy * static_cast<std::size_t>(nodes_.y);
  const auto mix = [](double a, double b, double t) { return a + (b - a) * t; };
  // Edges along x, then faces, then the cell.
  const double x00 = mix(v[0], v[1], f[0]), x10 = mix(v[dy], v[dy + 1], f[0]);
  const double x01 = mix(v[dz], v[dz + 1], f[0]), x11 = mix(v[dy + dz], v[dy + dz + 1], f[0]);
  const double y0 = mix(x00, x10, f[1]), y1 = mix(x01, x11, f[1]);
  const double sx0 = mix(double(v[1]) - v[0], double(v[dy + 1]) - v[dy], f[1]);
  const double sx1 = mix(double(v[dz + 1]) - v[dz], double(v[dy + dz + 1]) - v[dy + dz], f[1]);
  gradient = Vec3d(mix(sx0, sx1, f[2]), mix(x10 - x00, x11 - x01, f[2]), y1 - y0) / voxel_;
  return mix(y0, y1, f[2]);
}

DistanceSample SignedDistanceGrid::sample(Vec3d x) const {
  const Vec3d c = cwise_min(cwise_max(x, low_), high_);
  Vec3d gradient;
  const double inside = interpolate(c, gradient);
  const Vec3d beyond = x - c;
  const double distance2 = dot(beyond, beyond);
  if (!(distance2 > 0)) return {inside, normalized(gradient, Vec3d(0, 1, 0))};
  // Gradient of the bound: c follows x only along the axes that are not clamped.
  const Vec3d along(beyond.x == 0 ? gradient.x : 0, beyond.y == 0 ? gradient.y : 0, beyond.z == 0 ? gradient.z : 0);
  return {std::sqrt(distance2 + inside * inside), normalized(beyond + along * inside, Vec3d(0, 1, 0))};
}

}  // namespace ymir
