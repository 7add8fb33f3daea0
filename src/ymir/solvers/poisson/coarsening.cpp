#include "ymir/solvers/poisson/coarsening.h"

#include <cstring>

#include "ymir/solvers/poisson/row_sums.h"

namespace ymir::poisson {
namespace {

using namespace tile_bits;

// Four 4^3 blocks (c along each axis, d) and the 64 bits of the cells, as the floats of one message.
constexpr int block_values = 64, message_values = 4 * block_values + 2;

struct MatrixBlocks {
  std::array<BlockAddress<float>, 4> values;
  void store(int n, int j, int k, const Four& four) const {
    const BlockAddress<float>& to = values[static_cast<std::size_t>(n)];
    store_four(four, to.data + to.row * j + to.layer * k);
  }
};

MatrixBlocks blocks_of(TileTransfer& transfer, const std::array<float*, 4>& arrays, int t) {
  MatrixBlocks blocks;
  for (std::size_t n = 0; n < 4; ++n) {
    blocks.values[n] = transfer.block(t, arrays[n]);
    if (transfer.place(t).tile < 0) blocks.values[n].data += block_values * n;
  }
  return blocks;
}

// A uniform tile without open side.
void coarsen_uniform(const TileShape& shape, const MatrixBlocks& to) {
  const Four inner = Four{} + 2 * shape.uniform, none{};
  Four x = inner;
  if (shape.walls & 1) x[0] = 0;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j) {
      to.store(0, j, k, x);
      to.store(1, j, k, j == 0 && shape.walls & 4 ? none : inner);
      to.store(2, j, k, k == 0 && shape.walls & 16 ? none : inner);
      to.store(3, j, k, none);
    }
}

// What a row of fine cells adds to the coarse ones: c of links on its lower faces, and d.
struct MatrixRow {
  Row x, y, z, d;
};

// On the finest level c is kept apart by what the face leads to.
struct FineRows {
  TileRows<float, 8> x, y, z;
  const TileSurvey* survey;
  std::array<TileBits, 3> open_low, open_high;

  MatrixRow row(int j, int k) const {
    const Row zero = Row::all(0), cx = x.row(j, k), cy = y.row(j, k), cz = z.row(j, k);
    const auto where = [&](const TileBits& bits, const Row& value) {
      return select(lanes<float>(tile_bits::row(bits, j, k)), value, zero);
    };
    return {where(survey->link[0], cx), where(survey->link[1], cy), where(survey->link[2], cz),
            ((where(open_low[0], cx) + where(open_high[0], x.x_high(cx, j, k))) +
             (where(open_low[1], cy) + where(open_high[1], y.y_high(j, k)))) +
                (where(open_low[2], cz) + where(open_high[2], z.z_high(j, k)))};
  }
};

struct CoarseRows {
  const float *x, *y, *z, *d;
  MatrixRow row(int j, int k) const {
    const int at = 64 * k + 8 * j;
    return {Row::load(x + at), Row::load(y + at), Row::load(z + at), Row::load(d + at)};
  }
};

template <class Rows>
void coarsen_general(const Rows& rows, float open_factor, const MatrixBlocks& to) {
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j) {
      const MatrixRow a = rows.row(2 * j, 2 * k), b = rows.row(2 * j + 1, 2 * k), c = rows.row(2 * j, 2 * k + 1),
                      d = rows.row(2 * j + 1, 2 * k + 1);
      to.store(0, j, k, 0.5f * even_lanes((a.x + b.x) + (c.x + d.x)));
      to.store(1, j, k, 0.5f * pair_sums(a.y + c.y));
      to.store(2, j, k, 0.5f * pair_sums(a.z + b.z));
      to.store(3, j, k, open_factor * pair_sums((a.d + b.d) + (c.d + d.d)));
    }
}

void coarsen_tile(PoissonLevel& fine, const Survey* survey, int t, float open_factor, const MatrixBlocks& to) {
  const LevelArrays& a = fine.arrays;
  if (a.tiles[t].uniform > 0 && (survey == nullptr || !any(survey->tile(t).open))) {
    coarsen_uniform(a.tiles[t], to);
  } else if (survey == nullptr) {
    coarsen_general(CoarseRows{LevelArrays::tile(a.c[0], t), LevelArrays::tile(a.c[1], t), LevelArrays::tile(a.c[2], t),
                               LevelArrays::tile(a.d, t)},
                    open_factor, to);
  } else {
    FineRows rows{a.faces(t, 0), a.faces(t, 1), a.faces(t, 2), &survey->tile(t), {}, {}};
    const UnknownsAround next = survey->around(fine, t);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      rows.open_low[axis] = survey->tile(t).unknown & ~next.low[axis];
      rows.open_high[axis] = survey->tile(t).unknown & ~next.high[axis];
    }
    coarsen_general(rows, open_factor, to);
  }
}

void put_cells(TileBits& parent, int octant, std::uint64_t coarse) {
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      set_row(parent, 4 * (octant >> 1 & 1) + j, 4 * (octant >> 2) + k,
              static_cast<unsigned>(coarse >> (16 * k + 4 * j) & 0xf) << 4 * (octant & 1));
}

}  // namespace

std::uint64_t coarse_cells(const TileBits& cells) {
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    std::uint64_t layer = cells[2 * k] | cells[2 * k + 1];
    layer |= layer >> 8;
    layer |= layer >> 1;
    for (int j = 0; j < 4; ++j) {
      const std::uint64_t row = layer >> 16 * j;
      const std::uint64_t four = (row & 1) | (row >> 1 & 2) | (row >> 2 & 4) | (row >> 3 & 8);
      out |= four << (16 * k + 4 * static_cast<std::size_t>(j));
    }
  }
  return out;
}

void coarsen_matrix(PoissonLevel& fine, const Survey* survey, float open_factor, PoissonLevel& coarse) {
  TileTransfer& transfer = *fine.coarsen;
  transfer.set_block_size(message_values);
  const std::array<float*, 4> arrays{coarse.volume.write_tiles(coarse.c, 0), coarse.volume.write_tiles(coarse.c, 1),
                                     coarse.volume.write_tiles(coarse.c, 2), coarse.volume.write_tiles(coarse.d)};
  for_each_tile(fine.count(), [&](int t) {
    coarsen_tile(fine, survey, t, open_factor, blocks_of(transfer, arrays, t));
    if (const TileTransfer::Place at = transfer.place(t); at.tile < 0) {
      const std::uint64_t bits = coarse_cells(fine.cells[static_cast<std::size_t>(t)]);
      std::memcpy(transfer.message(at).data() + 4 * block_values, &bits, sizeof bits);
    }
  });
  coarse.cells.assign(coarse.cells.size(), {});
  for (int t = 0; t < fine.count(); ++t)
    if (const TileTransfer::Place at = transfer.place(t); at.tile >= 0)
      put_cells(coarse.cells[static_cast<std::size_t>(at.tile)], at.octant,
                coarse_cells(fine.cells[static_cast<std::size_t>(t)]));
  transfer.send_up();
  for (std::size_t n = 0; n < transfer.guests().size(); ++n) {
    const TileTransfer::Place at = transfer.guests()[n];
    const float* from = transfer.guest(n).data();
    for (float* values : arrays) {
      float* to = values + 512 * std::ptrdiff_t{at.tile} + TileTransfer::octant_offset(at.octant);
      for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j, from += 4) store_four(load_four(from), to + 64 * k + 8 * j);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    put_cells(coarse.cells[static_cast<std::size_t>(at.tile)], at.octant, bits);
  }
  transfer.set_block_size(block_values);
  std::int64_t unknowns = 0;
  for (const TileBits& bits : coarse.cells) unknowns += count(bits);
  coarse.unknowns = coarse.volume.domain().communicator().sum(unknowns);
  find_uniform_tiles(coarse);
}

}  // namespace ymir::poisson
