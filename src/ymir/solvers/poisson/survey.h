// What the matrix looks like: which cells are unknowns, which faces join two of them, which cells have an open side,
// which tiles are uniform.
#pragma once

#include "ymir/solvers/poisson/poisson_level.h"

namespace ymir::poisson {

struct TileSurvey {
  TileBits unknown;
  std::array<TileBits, 3> link;  // the lower face along an axis has c > 0 and joins two unknowns
  TileBits open;                 // unknowns with c > 0 towards a cell without unknown
};

// Which neighbours of a tile's cells are unknowns, along each axis.
struct UnknownsAround {
  std::array<TileBits, 3> low, high;
};

class Survey {
 public:
  // Shapes, cells and kinds of the tiles of the finest level. `fine` holds every tile with unknowns. Collective.
  void run(PoissonLevel& fine, DiscreteVolume& volume, ChannelId<float> coefficient, ChannelId<std::uint8_t> cell);

  const TileSurvey& tile(int t) const { return tiles_[static_cast<std::size_t>(t)]; }
  UnknownsAround around(const PoissonLevel& fine, int t) const;

 private:
  void examine(PoissonLevel& fine, int t);

  std::vector<TileSurvey> tiles_;
  // Planes of other ranks' unknowns beside local tiles, by place in the level's neighbouring tiles: one per side.
  std::vector<std::array<std::uint64_t, 6>> remote_;
};

// Unknowns of a tile of cell flags: those that are 1.
TileBits unknowns_of(const std::uint8_t* cells);

// Kinds of the tiles of a coarser level, once its coefficients and cells are there. Collective.
void find_uniform_tiles(PoissonLevel& level);

}  // namespace ymir::poisson
