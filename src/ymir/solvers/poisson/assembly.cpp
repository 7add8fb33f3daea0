#include "ymir/solvers/poisson/assembly.h"

#include "ymir/parallel/bytes.h"

namespace ymir::poisson {
namespace {

constexpr int strides[3] = {1, 8, 64};

// body(cell) for the unknowns of a tile, in order.
template <class F>
void for_each_unknown(const TileBits& bits, F&& body) {
  for (int k = 0; k < 8; ++k)
    for (std::uint64_t layer = bits[static_cast<std::size_t>(k)]; layer != 0; layer &= layer - 1)
      body(64 * k + std::countr_zero(layer));
}

std::vector<std::int32_t> first_rows(const PoissonLevel& fine, std::int32_t first) {
  std::vector<std::int32_t> rows{first};
  for (const TileBits& bits : fine.cells) rows.push_back(rows.back() + tile_bits::count(bits));
  return rows;
}

// Rows of the cells of a tile and of those around it.
struct Numbers {
  TileRows<std::int32_t, 8> rows;
  // Of the neighbour of a cell across side f of face_directions; -1: no unknown.
  std::int32_t beside(int cell, int f) const {
    const int stride = strides[f / 2], index = cell / stride % 8;
    if (f % 2 == 0)
      return index > 0 ? rows.centre[cell - stride] : rows.face[static_cast<std::size_t>(f)][cell + 7 * stride];
    return index < 7 ? rows.centre[cell + stride] : rows.face[static_cast<std::size_t>(f)][cell - 7 * stride];
  }
};

float face(const std::array<TileRows<float, 8>, 3>& c, int cell, int f) {
  const auto axis = static_cast<std::size_t>(f / 2);
  const int stride = strides[axis];
  if (f % 2 == 0) return c[axis].centre[cell];
  return cell / stride % 8 < 7 ? c[axis].centre[cell + stride]
                               : c[axis].face[static_cast<std::size_t>(f)][cell - 7 * stride];
}

// The lower neighbour along x comes last: Gauss-Seidel waits for it.
constexpr int side_order[6] = {4, 2, 1, 3, 5, 0};

}  // namespace

AlgebraicSystem assemble(const PoissonLevel& fine, const Components& components) {
  Communicator& communicator = fine.volume.domain().communicator();
  std::int64_t local = 0;
  for (const TileBits& bits : fine.cells) local += tile_bits::count(bits);
  std::int64_t before = 0, all = 0;
  int rank = 0;
  for (const Bytes& part : communicator.all_gather(std::as_bytes(std::span(&local, 1)))) {
    const std::int64_t rows = from_bytes<std::int64_t>(part).front();
    if (rank++ < communicator.rank()) before += rows;
    all += rows;
  }
  YMIR_CHECK(std::max(6 * local, all) < std::numeric_limits<std::int32_t>::max());
  const std::vector<std::int32_t> first = first_rows(fine, static_cast<std::int32_t>(before));

  const auto keys = fine.volume.buckets().local_keys();
  DiscreteVolume volume(fine.volume.domain());
  const auto id = volume.add_channel<std::int32_t>("row", {.background = -1});
  volume.set_buckets({keys.begin(), keys.end()});
  std::int32_t* numbers = volume.write_tiles(id);
  for_each_tile(fine.count(), [&](int t) {
    std::int32_t row = first[static_cast<std::size_t>(t)];
    std::fill_n(numbers + std::ptrdiff_t{t} * tile_cells, tile_cells, -1);
    for_each_unknown(fine.cells[static_cast<std::size_t>(t)],
                     [&](int cell) { numbers[std::ptrdiff_t{t} * tile_cells + cell] = row++; });
  });
  volume.begin_exchange(id.index, Stencil::faces);
  volume.end_exchange(id.index);

  AlgebraicSystem system;
  CsrMatrix& m = system.matrix;
  m.starts.assign(static_cast<std::size_t>(local) + 1, 0);
  m.row_sums.resize(static_cast<std::size_t>(local));
  system.cells.resize(static_cast<std::size_t>(local));
  if (components.closed() > 0) system.closed.assign(static_cast<std::size_t>(local), -1);
  const std::int32_t* row_of = volume.tiles(id);
  // body(row, side, c, neighbour's row) for all faces of the unknowns of a tile
  const auto for_each_face = [&](int t, auto&& body) {
    Numbers near{{row_of + std::ptrdiff_t{t} * tile_cells, {}}};
    for (std::size_t f = 0; f < 6; ++f)
      near.rows.face[f] =
          row_of +
          std::ptrdiff_t{volume.buckets().neighbours(t)[static_cast<std::size_t>(face_directions[f])]} * tile_cells;
    const std::array<TileRows<float, 8>, 3> c{fine.arrays.faces(t, 0), fine.arrays.faces(t, 1),
                                              fine.arrays.faces(t, 2)};
    auto row = static_cast<std::size_t>(first[static_cast<std::size_t>(t)] - first.front());
    for_each_unknown(fine.cells[static_cast<std::size_t>(t)], [&](int cell) {
      for (const int f : side_order)
        if (const float value = face(c, cell, f); value > 0) body(row, value, near.beside(cell, f));
      ++row;
    });
  };
  for_each_tile(fine.count(), [&](int t) {
    for_each_face(t, [&](std::size_t row, float value, std::int32_t to) {
      if (to >= 0)
        ++m.starts[row + 1];
      else
        m.row_sums[row] += static_cast<double>(value);
    });
    auto row = static_cast<std::size_t>(first[static_cast<std::size_t>(t)] - first.front());
    const BucketCoord b = fine.volume.buckets().coord(t);
    for_each_unknown(fine.cells[static_cast<std::size_t>(t)], [&](int cell) {
      system.cells[row++] = {8 * b.x + cell % 8, 8 * b.y + cell / 8 % 8, 8 * b.z + cell / 64};
    });
    for (const Components::Part& part : components.parts_of(t)) {
      const TileBits& bits = components.cells_of(part, fine);
      row = static_cast<std::size_t>(first[static_cast<std::size_t>(t)] - first.front());
      for_each_unknown(fine.cells[static_cast<std::size_t>(t)], [&](int cell) {
        if (bits[static_cast<std::size_t>(cell / 64)] >> cell % 64 & 1) system.closed[row] = part.component;
        ++row;
      });
    }
  });
  for (std::size_t i = 1; i < m.starts.size(); ++i) m.starts[i] += m.starts[i - 1];
  m.columns.resize(static_cast<std::size_t>(m.starts.back()));
  m.values.resize(m.columns.size());
  for_each_tile(fine.count(), [&](int t) {
    auto at = static_cast<std::size_t>(
        m.starts[static_cast<std::size_t>(first[static_cast<std::size_t>(t)] - first.front())]);
    for_each_face(t, [&](std::size_t, float value, std::int32_t to) {
      if (to < 0) return;
      m.columns[at] = to;
      m.values[at++] = -value;
    });
  });
  return system;
}

void take_rows(const PoissonLevel& fine, const double* tiles, std::span<double> rows) {
  const std::vector<std::int32_t> first = first_rows(fine, 0);
  for_each_tile(fine.count(), [&](int t) {
    auto row = static_cast<std::size_t>(first[static_cast<std::size_t>(t)]);
    const double* from = tiles + std::ptrdiff_t{fine.tiles[static_cast<std::size_t>(t)].home} * tile_cells;
    for_each_unknown(fine.cells[static_cast<std::size_t>(t)], [&](int cell) { rows[row++] = from[cell]; });
  });
}

void put_rows(const PoissonLevel& fine, std::span<const double> rows, double* tiles) {
  const std::vector<std::int32_t> first = first_rows(fine, 0);
  for_each_tile(fine.count(), [&](int t) {
    auto row = static_cast<std::size_t>(first[static_cast<std::size_t>(t)]);
    double* to = tiles + std::ptrdiff_t{fine.tiles[static_cast<std::size_t>(t)].home} * tile_cells;
    for_each_unknown(fine.cells[static_cast<std::size_t>(t)], [&](int cell) { to[cell] = rows[row++]; });
  });
}

}  // namespace ymir::poisson
