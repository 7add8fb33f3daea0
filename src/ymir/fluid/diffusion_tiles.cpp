#include "ymir/fluid/diffusion_tiles.h"

#include <algorithm>

namespace ymir {

DiffusionTiles::DiffusionTiles(GasGrid& grid) : grid_(&grid) {
  const char* name = "diffusion tiles";
  own_ = grid.volume().find_channel<std::uint8_t>(name);
  if (!own_.valid()) own_ = grid.volume().add_channel<std::uint8_t>(name, {4, Sampling::cell, no_gas, 1, true});
}

void DiffusionTiles::update() {
  DiscreteVolume& volume = grid_->volume();
  constexpr auto fluid = static_cast<std::uint8_t>(CellKind::fluid);
  {
    auto cell = read(volume, grid_->cell);
    auto open = read(volume, grid_->open);
    auto own = write(volume, own_);
    for_each_bucket(volume.buckets(), cell, open, own, [&](int t) {
      const std::uint8_t* kind = cell.tile(t);
      const auto gas = std::count(kind, kind + GasGrid::voxels, fluid);
      bool all = gas == GasGrid::voxels;
      for (int axis = 0; axis < 3 && all; ++axis)
        all = std::all_of(open.tile(t, axis), open.tile(t, axis) + GasGrid::voxels, [](float w) { return w == 1; });
      std::fill_n(own.tile(t), values, static_cast<std::uint8_t>(all ? all_gas : gas > 0 ? some_gas : no_gas));
    });
  }
  state_.resize(static_cast<std::size_t>(volume.buckets().local_count()));
  auto own = read(volume, own_, Stencil::box);
  for_each_bucket(volume.buckets(), own, [&](int t) {
    std::uint8_t least = all_gas, most = no_gas;
    for (const int neighbour : volume.buckets().neighbours(t)) {
      least = std::min(least, own.tile(neighbour)[0]);
      most = std::max(most, own.tile(neighbour)[0]);
    }
    state_[static_cast<std::size_t>(t)] = least == all_gas ? all_gas : most == no_gas ? no_gas : some_gas;
  });
}

}  // namespace ymir
