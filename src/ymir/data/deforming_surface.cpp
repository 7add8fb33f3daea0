#include "ymir/data/deforming_surface.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/error.h"

namespace ymir {

DeformingSurface::DeformingSurface(AnimatedSurface surface, std::string name)
    : surface_(std::move(surface)), name_(std::move(name)) {
  const Surface& rest = surface_.rest();
  if (rest.triangles.empty()) throw Error(ExitCode::bad_input, name_ + ": the surface has no triangles");
  if (!std::all_of(rest.positions.begin(), rest.positions.end(), [](Vec3d p) { return is_finite(p); }))
    throw Error(ExitCode::bad_input, name_ + ": a vertex is not finite; export the mesh again");
  hierarchy_ = std::make_shared<const SurfaceHierarchy>(rest);
  if (hierarchy_->inside_test() == InsideTest::winding) require_inside();
}

// Just behind a face there has to be an inside, and just in front of it none; true of a body with holes, false of a
// sheet or of faces turned at random.
void DeformingSurface::require_inside() const {
  const Surface& rest = surface_.rest();
  const auto triangles = hierarchy_->triangles();
  const MovingSurface still(hierarchy_, 0, 0, rest.positions, rest.positions, rest.positions);
  const double step = 1e-3 * still.mean_edge();
  constexpr std::size_t most = 2000;
  const std::size_t stride = std::max<std::size_t>(1, triangles.size() / most);
  std::int64_t tried = 0, right = 0, turned = 0;
  for (std::size_t i = 0; i < triangles.size(); i += stride) {
    const auto& t = triangles[i];
    const Vec3d a = rest.positions[t[0]], b = rest.positions[t[1]], c = rest.positions[t[2]];
    const Vec3d normal = normalized(cross(b - a, c - a), Vec3d(0, 0, 0)), center = (a + b + c) / 3.0;
    if (dot(normal, normal) == 0) continue;
    ++tried;
    const double behind = still.winding(center - normal * step, 0), before = still.winding(center + normal * step, 0);
    right += behind > 0.5 && before < 0.5;
    turned += before < -0.5 && behind > -0.5;
  }
  if (static_cast<double>(right) >= 0.9 * static_cast<double>(tried)) return;
  if (static_cast<double>(turned) >= 0.9 * static_cast<double>(tried))
    throw Error(ExitCode::bad_input, fmt::format("{}: the mesh is not closed ({} edges without a neighbour), and its "
                                                 "faces point inward; turn its faces over",
                                                 name_, hierarchy_->boundary_edges()));
  throw Error(ExitCode::bad_input,
              fmt::format("{}: the mesh is not closed ({} edges without a neighbour or with one that is turned over), "
                          "and only {:.0f} % of its faces have an inside behind them; fill its holes, merge duplicate "
                          "vertices and orient all faces alike, or, for gas alone, use `shape: sheet`",
                          name_, hierarchy_->boundary_edges(),
                          tried > 0 ? 100.0 * static_cast<double>(right) / static_cast<double>(tried) : 0.0));
}

std::vector<Vec3d> DeformingSurface::pose(double time) const {
  std::vector<Vec3d> positions;
  surface_.pose(time, positions);
  return positions;
}

std::shared_ptr<const MovingSurface> DeformingSurface::during(double begin, double end) const {
  const std::lock_guard lock(mutex_);
  if (last_ && last_->begin() == begin && last_end_ == end) return last_;
  const double dt = std::max(0.0, end - begin);
  // Going on from the step before, its poses are there already.
  const bool next = last_ && last_end_ == begin && dt > 0;
  std::vector<Vec3d> start = next ? last_->positions_at_end() : pose(begin);
  const bool same_dt = next && last_->dt() == dt;
  std::vector<Vec3d> before = dt == 0 ? start : same_dt ? last_->positions_at_start() : pose(begin - dt);
  std::vector<Vec3d> at_end = dt == 0 ? start : pose(end);
  double way = 0;
  if (last_) {
    double farthest2 = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const Vec3d d = start[i] - last_->positions_at_start()[i];
      farthest2 = std::max(farthest2, dot(d, d));
    }
    way = last_->odometer() + last_->travel() + std::sqrt(farthest2);
  }
  last_ =
      std::make_shared<MovingSurface>(hierarchy_, begin, dt, std::move(before), std::move(start), std::move(at_end));
  last_->set_odometer(way);
  last_end_ = end;
  return last_;
}

}  // namespace ymir
