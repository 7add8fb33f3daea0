// Partial Cholesky factorisation of a dense front, and solves with the factor, in storage made for the processor.
//
//   F = [F11 .  ]    F11 = L11 L11',   L21 = F21 L11^-T,   F22 <- F22 - L21 L21'
//       [F21 F22]
//
// F11 has `pivots` rows, F22 `others`. Rows go in tiles of 12 (three AVX vectors, four nodes of three), each set
// padded with zero rows to whole tiles. A row of tiles holds its entries by columns, twelve to a column, so that the
// product kernel reads both of its operands end to end from the factor itself and nothing is ever copied into packed
// buffers [GotoBLAS: Goto, van de Geijn 2008, without its packing]. L11 and F22 keep the tiles on and below the
// diagonal alone; of a diagonal tile the part above the diagonal is undefined. The diagonal of L11 holds its
// reciprocals.
//
// Every tile is computed by the same operations in the same order whatever the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ymir {

constexpr std::int32_t tile_rows = 12;
constexpr std::size_t tile_size = 144;

constexpr std::int32_t tiles_of(std::int32_t rows) { return (rows + tile_rows - 1) / tile_rows; }
// First entry of row of tiles t of a lower triangle.
constexpr std::size_t triangle_start(std::int32_t t) {
  return tile_size / 2 * static_cast<std::size_t>(t) * (static_cast<std::size_t>(t) + 1);
}
// Entries of one row of tiles of F21; whole groups of four columns, which the product kernel writes at once.
constexpr std::size_t below_stride(std::int32_t pivots) { return static_cast<std::size_t>((pivots + 3) / 4) * 48; }
constexpr std::size_t triangle_size(std::int32_t rows) { return triangle_start(tiles_of(rows)); }
constexpr std::size_t below_size(std::int32_t pivots, std::int32_t others) {
  return below_stride(pivots) * static_cast<std::size_t>(tiles_of(others));
}

struct Front {
  std::int32_t pivots, others;
  double* corner;  // F11, triangle_size(pivots)
  double* below;   // F21, below_size(pivots, others)
  double* update;  // F22, triangle_size(others)

  // Row of tiles t of [F11; F21].
  double* row(std::int32_t t) const {
    const std::int32_t corner_tiles = tiles_of(pivots);
    return t < corner_tiles ? corner + triangle_start(t)
                            : below + static_cast<std::size_t>(t - corner_tiles) * below_stride(pivots);
  }
};

// Index of the first pivot that is not positive and finite, or -1. `parallel`: in tasks for all threads of the region.
std::int32_t factor_front(const Front& front, bool parallel);

// Vectors of `count` (1 to 4) right sides go in tiles too: twelve rows of the first side, then of the second, and so
// on.
//   x <- L11^-1 x,  y <- y - L21 x
void solve_front_forward(const Front& front, double* x, double* y, int count);
//   x <- L11^-T (x - L21' y)
void solve_front_backward(const Front& front, double* x, const double* y, int count);

}  // namespace ymir
