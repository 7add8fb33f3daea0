#include "ymir/fluid/diffusion.h"

#include <algorithm>

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr auto fluid = static_cast<std::uint8_t>(CellKind::fluid);
constexpr double nearest = 1e-3;  // voxels; a wall nearer to a cell's centre counts as that near

// A cell and the faces around it.
struct Surroundings {
  int kind[6];
  double open[6];  // in the order of face_directions

  // Share of the cell that is gas: exact where it is cut along an axis or by walls parallel to one. An axis along which
  // both faces are closed says nothing.
  double volume() const {
    double least = 1;
    for (int f = 0; f < 6; f += 2) {
      const double most = std::max(open[f], open[f + 1]);
      if (most > 0) least = std::min(least, most);
    }
    return least;
  }
};

Vec3i beside(Vec3i v, int f) {
  v[f / 2] += f % 2 == 0 ? -1 : 1;
  return v;
}

}  // namespace

DiffusionReport Diffusion::diffuse(ChannelId<float> values, double amount, const GasBoundary& boundary,
                                   const DiffusionOptions& options) {
  if (stale_) build(values, boundary);
  stale_ = false;
  const double h = grid_->voxel();
  return solver_.solve(stencils_, amount / (h * h), values, 0, options);
}

void Diffusion::build(ChannelId<float> values, const GasBoundary& boundary) {
  DiscreteVolume& volume = grid_->volume();
  const double h = grid_->voxel(), ambient = volume.channel(values.index).background[0];
  tiles_.update();
  stencils_.resize(volume.buckets().local_count());
  for (int t = 0; t < volume.buckets().local_count(); ++t) {
    if (tiles_.plain(t))
      stencils_.set_plain(t);
    else if (!tiles_.idle(t))
      stencils_.add_cut(t);
  }
  auto cell = read(volume, grid_->cell, Stencil::faces);
  auto open = read(volume, grid_->open, Stencil::faces);
  for_each_bucket(volume.buckets(), cell, open, [&](int t) {
    DiffusionTile* to = stencils_.cut(t);
    if (to == nullptr) return;
    if (std::find(cell.tile(t), cell.tile(t) + GasGrid::voxels, fluid) == cell.tile(t) + GasGrid::voxels)
      return stencils_.set_idle(t);
    for (int i = 0; i < GasGrid::voxels; ++i) {
      const Vec3i v{i % n, i / n % n, i / (n * n)};
      if (cell.tile(t)[i] != fluid) continue;
      Surroundings around;
      for (int f = 0; f < 6; ++f) {
        around.kind[f] = cell.value(t, beside(v, f));
        around.open[f] = static_cast<double>(open.value(t, f % 2 == 0 ? v : beside(v, f), f / 2));
      }
      to->mass[i] = static_cast<float>(around.volume());
      double wall = 0, pull = 0;
      for (int f = 0; f < 6; ++f) {
        double d = 0, g = ambient;
        if (around.kind[f] == fluid) {
          if (f % 2 == 0) to->link[f / 2][i] = static_cast<float>(around.open[f]);
        } else if (around.open[f] > 0) {
          d = around.open[f];
        } else if (wall_value_ && boundary.box() && boundary.box()->closed[static_cast<std::size_t>(f)]) {
          Vec3d x = grid_->cell_position(t, v);
          const Box& box = boundary.box()->box;
          const double side = f % 2 == 0 ? box.low[f / 2] : box.high[f / 2];
          const double distance = (f % 2 == 0 ? x[f / 2] - side : side - x[f / 2]) / h;
          x[f / 2] = side;
          const std::optional<double> value = distance < 1 ? wall_value_(f, x) : std::nullopt;
          if (value) d = 1 / std::max(distance, nearest), g = *value;
        }
        wall += d;
        pull += d * g;
      }
      to->wall[i] = static_cast<float>(wall);
      to->pull[i] = static_cast<float>(pull);
    }
  });
}

}  // namespace ymir
