// Which tiles of a gas lie away from all walls and rims, and which away from gas: stencils of both need no thought.
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/fluid/gas_grid.h"

namespace ymir {

class DiffusionTiles {
 public:
  explicit DiffusionTiles(GasGrid& grid);

  // After the boundary or the tiles changed. Collective.
  void update();
  // Gas without walls in it and in all its 26 neighbours.
  bool plain(int tile) const { return state_[static_cast<std::size_t>(tile)] == all_gas; }
  // No gas in it nor in its neighbours.
  bool idle(int tile) const { return state_[static_cast<std::size_t>(tile)] == no_gas; }

 private:
  enum State : std::uint8_t { no_gas = 0, some_gas = 1, all_gas = 2 };
  static constexpr int values = 64;
  GasGrid* grid_;
  ChannelId<std::uint8_t> own_;  // resolution 4; the same in all of a tile
  std::vector<std::uint8_t> state_;
};

}  // namespace ymir
