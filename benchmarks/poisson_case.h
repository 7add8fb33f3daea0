// Pressure problems of n^3 cells: easy ones, and geometries that are known to be hard for multigrid on blocks of cells.
// [method notes C, 3]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ymir/data/discrete_volume.h"
#include "ymir/solvers/poisson/tile_poisson.h"

namespace ymir::bench {

// All in a box with walls and an open top, unless stated.
enum class PoissonGeometry {
  box,         // nothing inside
  closed_box,  // the top is a wall too
  sphere,      // a solid ball of whole cells
  cut_sphere,  // a solid ball that cuts faces
  balls,       // 120 of them
  blob,        // tiles around the middle, open on all sides, no walls
  pockets,     // 30 hollow balls with shells of two cells: closed components
  drops,       // 20 balls of a fluid 1000 times heavier
  bubbles,     // 20 balls of a fluid 1000 times lighter
  comb,        // walls and channels one cell wide
  serpentine,  // one channel, one cell wide, to and fro
  sheet,       // a wall without thickness with a slot of 2x2 cells
  sheets,      // such walls every three cells
  random       // c = 10^u, u uniform in [-4, 0]
};

struct PoissonGeometryName {
  PoissonGeometry geometry;
  const char* name;
};
const std::vector<PoissonGeometryName>& poisson_geometries();

class PoissonCase {
 public:
  // n: cells along an edge, a multiple of 8. Collective.
  PoissonCase(PoissonGeometry geometry, int n, Communicator& communicator = Communicator::world());

  // A random right side, the same for any number of ranks.
  void set_random_right_side(std::uint64_t seed = 1);
  void clear_solution();
  std::int64_t unknowns() const { return unknowns_; }

  GridDomain domain;
  DiscreteVolume volume;
  ChannelId<float> coefficient;
  ChannelId<std::uint8_t> cell;
  ChannelId<double> b, x;

 private:
  int n_;
  std::int64_t unknowns_ = 0;
};

}  // namespace ymir::bench
