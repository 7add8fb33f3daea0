// One level of the pressure multigrid: an 8^3 tile for every tile that holds unknowns, with links
//   sum over faces f of c_f (x - x_f) + d x = b
// c sits on lower faces. On the finest level c is the caller's and a face to a cell without unknown is an open side
// (x = 0 there), so d is not stored. On coarser levels c links unknowns only and d sums the open sides.
// [method notes C, 3]
#pragma once

#include <memory>
#include <vector>

#include "ymir/data/discrete_volume.h"
#include "ymir/data/tile_rows.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/poisson/stage_order.h"
#include "ymir/solvers/poisson/tile_bits.h"
#include "ymir/solvers/poisson/tile_transfer.h"

namespace ymir::poisson {

inline constexpr int tile_cells = 512;

// Where a kernel finds the surroundings of a tile.
struct TileShape {
  std::array<int, 6> near;  // tiles of this level around it, in the order of face_directions; none across walls
  int home;                 // the tile in the volume that holds the coefficients
  std::array<int, 3> high;  // and its +x, +y, +z neighbours there
  float uniform = 0;        // c, where all cells are unknowns with d = 0 and each face has this c, but walls; else 0
  unsigned walls = 0;       // of a uniform tile: sides with c = 0, bit f for face_directions[f]
  int general = -1;         // place among the tiles that are not uniform, or -1
};

// What the kernels of a level read and write. Arrays hold tiles one after another.
struct LevelArrays {
  const TileShape* tiles;
  const TileBits* cells;  // unknowns with a link; all other x are 0
  std::array<const float*, 3> c;
  const float* d;        // nullptr on the finest level
  const float* inverse;  // 1 / (sum of c + d), 0 where there is no unknown: of the tiles that are not uniform
  float* x;
  float* b;

  static float* tile(float* values, int t) { return values + static_cast<std::ptrdiff_t>(t) * tile_cells; }
  static const float* tile(const float* values, int t) { return values + static_cast<std::ptrdiff_t>(t) * tile_cells; }
  // Component `axis` of c in the tile and in the upper neighbour along that axis, which holds its last upper faces.
  TileRows<float, 8> faces(int t, int axis) const {
    const TileShape& shape = tiles[t];
    const float* values = c[static_cast<std::size_t>(axis)];
    TileRows<float, 8> rows{tile(values, shape.home), {}};
    rows.face[static_cast<std::size_t>(2 * axis + 1)] = tile(values, shape.high[static_cast<std::size_t>(axis)]);
    return rows;
  }
  template <class T>
  TileRows<T, 8> around(const T* values, int t) const {
    TileRows<T, 8> rows{values + static_cast<std::ptrdiff_t>(t) * tile_cells, {}};
    for (std::size_t f = 0; f < 6; ++f)
      rows.face[f] = values + static_cast<std::ptrdiff_t>(tiles[t].near[f]) * tile_cells;
    return rows;
  }
};

struct PoissonLevel {
  // The finest level, on the caller's domain; its c stay in the caller's volume.
  explicit PoissonLevel(const GridDomain& domain);
  // The level above `finer`: buckets of twice the edge, on the same ranks, or all on rank 0.
  PoissonLevel(PoissonLevel& finer, bool all_on_root);

  int count() const { return volume.buckets().local_count(); }
  // Tiles around every tile, before walls are known.
  void set_neighbours();
  // Numbers the tiles that are not uniform and inverts their diagonals.
  void invert_diagonals();
  // Brings x of other ranks' tiles up to date.
  void exchange_x();
  // kernel(stage, tile, tile to come) for all tiles and the stages of half a cycle; a stage reads x of its neighbours
  // as the stage before left it, the first one only where it says so. Collective.
  template <class Kernel>
  void run_stages(bool first_reads_neighbours, Kernel&& kernel);
  std::size_t bytes() const { return volume.bytes_for(volume.buckets().count()) + inverse.size() * sizeof(float); }
  // Arrays after volumes may have moved them.
  void bind();

  bool on_root = false;  // all tiles are on rank 0
  std::unique_ptr<GridDomain> own_domain;
  DiscreteVolume volume;
  ChannelId<float> x, b;
  ChannelId<float> c, d;  // coarser levels only
  std::vector<TileShape> tiles;
  std::vector<TileBits> cells;
  std::vector<float> inverse;
  std::int64_t unknowns = 0;              // of all ranks
  std::unique_ptr<TileTransfer> coarsen;  // to the next level
  LevelArrays arrays{};

 private:
  void order_stages(int parts);
  StageOrder order_;
};

// Work on every local tile, on all threads when there is enough of it: up to 32^3 cells, with the tiles around them, a
// barrier costs more.
inline constexpr int serial_tiles = 125;
template <class F>
void for_each_tile(int count, F&& body) {
#pragma omp parallel for schedule(static) if (count > serial_tiles)
  for (int t = 0; t < count; ++t) body(t);
}

inline constexpr int half_cycle_stages = 5;

template <class Kernel>
void PoissonLevel::run_stages(bool first_reads_neighbours, Kernel&& kernel) {
  if (volume.buckets().links().empty()) {
    const int parts = count() > serial_tiles ? ymir::threads() : 1;
    if (order_.parts() != parts) order_stages(parts);
    order_.run(kernel);
    return;
  }
  constexpr int lookahead = 4;
  for (int stage = 0; stage < half_cycle_stages; ++stage) {
    if (stage > 0 || first_reads_neighbours) exchange_x();
    for_each_tile(count(), [&](int t) { kernel(stage, t, std::min(t + lookahead, count() - 1)); });
  }
}

}  // namespace ymir::poisson
