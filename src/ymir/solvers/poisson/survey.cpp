#include "ymir/solvers/poisson/survey.h"

#include <cstring>

namespace ymir::poisson {
namespace {

using namespace tile_bits;
using Row = Lanes<float, 8>;

constexpr TileBits all_cells{~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};

bool all_equal(const float* values, int count, float value) {
  int different = 0;
  for (int i = 0; i < count; ++i) different |= values[i] != value ? 1 : 0;
  return different == 0;
}

// c of a tile where all inner faces have one c > 0 and each side has it throughout or is a wall; else 0.
float common_coefficient(const LevelArrays& level, int t, unsigned& walls) {
  const TileRows<float, 8> x = level.faces(t, 0), y = level.faces(t, 1), z = level.faces(t, 2);
  const float c = x.centre[1];
  if (!(c > 0)) return 0;
  const std::array<float, 6> side{x.centre[0], x.face[1][0], y.centre[0], y.face[3][0], z.centre[0], z.face[5][0]};
  walls = 0;
  for (std::size_t f = 0; f < 6; ++f) {
    if (side[f] != c && side[f] != 0) return 0;
    if (side[f] == 0) walls |= 1u << f;
  }
  if (!all_equal(z.centre, 64, side[4]) || !all_equal(z.centre + 64, 448, c) || !all_equal(z.face[5], 64, side[5]))
    return 0;
  Row first = Row::all(c);
  first.set(0, side[0]);
  for (int k = 0; k < 8; ++k) {
    if (!all_equal(y.centre + 64 * k, 8, side[2]) || !all_equal(y.centre + 64 * k + 8, 56, c) ||
        !all_equal(y.face[3] + 64 * k, 8, side[3]))
      return 0;
    for (int j = 0; j < 8; ++j)
      if (bits_of((x.row(j, k) < first) | (first < x.row(j, k))) != 0 || x.face[1][64 * k + 8 * j] != side[1]) return 0;
  }
  return c;
}

// Faces with c > 0: the lower ones of every cell along an axis, and the plane of the upper tile's first lower ones.
TileBits positive(const TileRows<float, 8>& rows, int axis, std::uint64_t& upper) {
  TileBits bits{};
  upper = 0;
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j) set_row(bits, j, k, bits_of(rows.row(j, k) > 0.0f));
  for (int m = 0; m < 8; ++m) {
    unsigned byte = 0;
    if (axis == 0)
      for (int j = 0; j < 8; ++j) byte |= (rows.face[1][64 * m + 8 * j] > 0 ? 1u : 0u) << j;
    else
      byte = bits_of(Row::load(axis == 1 ? rows.face[3] + 64 * m : rows.face[5] + 8 * m) > 0.0f);
    upper |= std::uint64_t{byte} << 8 * m;
  }
  return bits;
}

// Nothing is read across walls.
void close_walls(PoissonLevel& level, int t) {
  TileShape& shape = level.tiles[static_cast<std::size_t>(t)];
  for (std::size_t f = 0; f < 6; ++f)
    if (shape.uniform > 0 && shape.walls >> f & 1) shape.near[f] = level.volume.buckets().missing();
}

}  // namespace

TileBits unknowns_of(const std::uint8_t* cells) {
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7full;
  TileBits bits{};
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, cells + 64 * k + 8 * j, 8);
      const std::uint64_t other = eight ^ first_column;  // 0 in bytes that are 1
      const std::uint64_t nonzero = (((other & low_bits) + low_bits) | other) >> 7;
      set_row(bits, j, k, static_cast<unsigned>(column_to_byte(~nonzero)));
    }
  return bits;
}

void Survey::run(PoissonLevel& fine, DiscreteVolume& volume, ChannelId<float> coefficient,
                 ChannelId<std::uint8_t> cell) {
  for (const int channel : {coefficient.index, cell.index}) {
    volume.begin_exchange(channel, Stencil::faces);
    volume.end_exchange(channel);
  }
  const BucketSet &set = fine.volume.buckets(), &theirs = volume.buckets();
  const std::uint8_t* cells = volume.tiles(cell);
  fine.tiles.resize(static_cast<std::size_t>(fine.count()));
  fine.cells.resize(static_cast<std::size_t>(fine.count()));
  tiles_.resize(static_cast<std::size_t>(fine.count()));
  fine.bind();
  for (int axis = 0; axis < 3; ++axis) fine.arrays.c[static_cast<std::size_t>(axis)] = volume.tiles(coefficient, axis);
  fine.set_neighbours();
  for_each_tile(fine.count(), [&](int t) {
    TileShape& shape = fine.tiles[static_cast<std::size_t>(t)];
    shape.home = theirs.find(set.key(t));
    const auto& high = theirs.neighbours(shape.home);
    for (std::size_t axis = 0; axis < 3; ++axis)
      shape.high[axis] = high[static_cast<std::size_t>(face_directions[2 * axis + 1])];
    tiles_[static_cast<std::size_t>(t)].unknown = unknowns_of(cells + std::ptrdiff_t{shape.home} * tile_cells);
  });
  remote_.resize(static_cast<std::size_t>(set.neighbouring_count()));
  for (int n = set.local_count(); n < set.count(); ++n) {
    const TileBits bits = unknowns_of(cells + std::ptrdiff_t{theirs.find(set.key(n))} * tile_cells);
    for (int side = 0; side < 6; ++side)
      remote_[static_cast<std::size_t>(n - set.local_count())][static_cast<std::size_t>(side)] =
          plane(bits, side / 2, side % 2);
  }
  for_each_tile(fine.count(), [&](int t) { examine(fine, t); });
  for (int t = 0; t < fine.count(); ++t) close_walls(fine, t);
  fine.invert_diagonals();
  std::int64_t unknowns = 0;
  for (const TileBits& bits : fine.cells) unknowns += count(bits);
  fine.unknowns = volume.domain().communicator().sum(unknowns);
}

UnknownsAround Survey::around(const PoissonLevel& fine, int t) const {
  const TileShape& shape = fine.tiles[static_cast<std::size_t>(t)];
  const int local = fine.count(), missing = fine.volume.buckets().missing();
  // The layer of the neighbour on side f that touches this tile.
  const auto touching = [&](std::size_t f) -> std::uint64_t {
    const int n = shape.near[f], axis = static_cast<int>(f) / 2, side = f % 2 == 0 ? 1 : 0;
    if (n == missing) return 0;
    if (n >= local) return remote_[static_cast<std::size_t>(n - local)][static_cast<std::size_t>(2 * axis + side)];
    return plane(tiles_[static_cast<std::size_t>(n)].unknown, axis, side);
  };
  UnknownsAround result;
  const TileBits& unknown = tile(t).unknown;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.low[axis] = from_low(unknown, static_cast<int>(axis), touching(2 * axis));
    result.high[axis] = from_high(unknown, static_cast<int>(axis), touching(2 * axis + 1));
  }
  return result;
}

void Survey::examine(PoissonLevel& fine, int t) {
  TileSurvey& survey = tiles_[static_cast<std::size_t>(t)];
  TileShape& shape = fine.tiles[static_cast<std::size_t>(t)];
  const UnknownsAround next = around(fine, t);
  shape.uniform = survey.unknown == all_cells ? common_coefficient(fine.arrays, t, shape.walls) : 0;
  TileBits linked{};
  survey.open = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int along = static_cast<int>(axis);
    std::uint64_t upper = 0;
    TileBits low;
    if (shape.uniform > 0) {
      low = from_low(all_cells, along, shape.walls >> 2 * axis & 1 ? 0 : ~0ull);
      upper = shape.walls >> (2 * axis + 1) & 1 ? 0 : ~0ull;
    } else {
      low = positive(fine.arrays.faces(t, along), along, upper);
    }
    const TileBits high = from_high(low, along, upper);
    survey.link[axis] = low & survey.unknown & next.low[axis];
    survey.open = survey.open | (low & ~next.low[axis]) | (high & ~next.high[axis]);
    linked = linked | low | high;
  }
  survey.open = survey.open & survey.unknown;
  fine.cells[static_cast<std::size_t>(t)] = survey.unknown & linked;
}

void find_uniform_tiles(PoissonLevel& level) {
  level.volume.write_tiles(level.c);  // written in place: stale elsewhere
  level.volume.begin_exchange(level.c.index, Stencil::faces);
  level.volume.end_exchange(level.c.index);
  level.bind();
  level.set_neighbours();
  for_each_tile(level.count(), [&](int t) {
    TileShape& shape = level.tiles[static_cast<std::size_t>(t)];
    const bool plain = level.cells[static_cast<std::size_t>(t)] == all_cells &&
                       all_equal(LevelArrays::tile(level.arrays.d, t), tile_cells, 0);
    shape.uniform = plain ? common_coefficient(level.arrays, t, shape.walls) : 0;
    close_walls(level, t);
  });
  level.invert_diagonals();
}

}  // namespace ymir::poisson
