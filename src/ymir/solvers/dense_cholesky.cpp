#include "ymir/solvers/dense_cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/math/simd.h"

namespace ymir {
namespace {

using Vector = Lanes<double, 4>;

// Tiles whose columns are eliminated together: a row of them (18 kB) shares the first cache with another.
constexpr std::int32_t panel_tiles = 16;
// Rows of tiles that stay in the second cache while the columns go by.
constexpr std::int32_t block_tiles = 14;

// c (12 x 4) -= a (12 x depth) b' (b: 4 rows of a row of tiles)
inline void subtract_product(double* c, const double* a, const double* b, std::int32_t depth) {
  Vector s00 = Vector::all(0), s10 = s00, s20 = s00, s01 = s00, s11 = s00, s21 = s00;
  Vector s02 = s00, s12 = s00, s22 = s00, s03 = s00, s13 = s00, s23 = s00;
  for (std::int32_t k = 0; k < depth; ++k, a += tile_rows, b += tile_rows) {
    const Vector a0 = Vector::load(a), a1 = Vector::load(a + 4), a2 = Vector::load(a + 8);
    const Vector b0 = Vector::all(b[0]);
    s00 = mul_add(a0, b0, s00), s10 = mul_add(a1, b0, s10), s20 = mul_add(a2, b0, s20);
    const Vector b1 = Vector::all(b[1]);
    s01 = mul_add(a0, b1, s01), s11 = mul_add(a1, b1, s11), s21 = mul_add(a2, b1, s21);
    const Vector b2 = Vector::all(b[2]);
    s02 = mul_add(a0, b2, s02), s12 = mul_add(a1, b2, s12), s22 = mul_add(a2, b2, s22);
    const Vector b3 = Vector::all(b[3]);
    s03 = mul_add(a0, b3, s03), s13 = mul_add(a1, b3, s13), s23 = mul_add(a2, b3, s23);
  }
  const auto subtract = [&](int at, const Vector& s) { (Vector::load(c + at) - s).store(c + at); };
  subtract(0, s00), subtract(4, s10), subtract(8, s20), subtract(12, s01), subtract(16, s11), subtract(20, s21);
  subtract(24, s02), subtract(28, s12), subtract(32, s22), subtract(36, s03), subtract(40, s13), subtract(44, s23);
}

// The first `columns` columns of a tile, rounded up to groups of four.
inline void subtract_product(double* c, const double* a, const double* b, std::int32_t depth, std::int32_t columns) {
  for (std::int32_t q = 0; q < columns; q += 4) subtract_product(c + tile_rows * q, a, b + q, depth);
}

// Columns of tile j that are pivots.
std::int32_t columns_of(const Front& front, std::int32_t j) {
  return std::min(tile_rows, front.pivots - tile_rows * j);
}

// Cholesky of four columns (or `columns`) of a diagonal tile, from column `first` on, those before being done.
std::int32_t factor_columns(double* tile, std::int32_t first, std::int32_t columns) {
  const std::int32_t end = std::min(first + 4, columns);
  for (std::int32_t j = first; j < end; ++j) {
    double* column = tile + tile_rows * j;
    const double pivot = column[j];
    if (!(pivot > 0 && pivot <= std::numeric_limits<double>::max())) return j;
    const double inverse = 1 / std::sqrt(pivot);
    const Vector scale = Vector::all(inverse);
    Vector l[3];
    for (int v = 0; v < 3; ++v) {
      l[v] = Vector::load(column + 4 * v) * scale;
      l[v].store(column + 4 * v);
    }
    for (std::int32_t k = j + 1; k < end; ++k) {
      const Vector factor = Vector::all(-column[k]);
      double* other = tile + tile_rows * k;
      for (int v = 0; v < 3; ++v) mul_add(l[v], factor, Vector::load(other + 4 * v)).store(other + 4 * v);
    }
    column[j] = inverse;
  }
  return -1;
}

// Four columns c <- c l^-T; l points to the diagonal, of reciprocals. Columns of padding have zeros there and stay
// zero.
inline void solve_columns(double* c, const double* l) {
  const double* l1 = l + tile_rows;
  const double* l2 = l1 + tile_rows;
  for (int v = 0; v < 3; ++v, c += 4) {
    const Vector x0 = Vector::load(c) * Vector::all(l[0]);
    Vector x1 = mul_add(x0, Vector::all(-l[1]), Vector::load(c + 12));
    Vector x2 = mul_add(x0, Vector::all(-l[2]), Vector::load(c + 24));
    Vector x3 = mul_add(x0, Vector::all(-l[3]), Vector::load(c + 36));
    x1 = x1 * Vector::all(l1[1]);
    x2 = mul_add(x1, Vector::all(-l1[2]), x2) * Vector::all(l2[2]);
    x3 = mul_add(x2, Vector::all(-l2[3]), mul_add(x1, Vector::all(-l1[3]), x3)) * Vector::all(l2[tile_rows + 3]);
    x0.store(c), x1.store(c + 12), x2.store(c + 24), x3.store(c + 36);
  }
}

// Tile (i, j) of a panel that starts at tile `first`, all to the left of it being done: four columns at a time, the
// product reaching up to them.
inline void finish_tile(const Front& front, double* row_i, std::int32_t j, std::int32_t first) {
  const double* row_j = front.row(j);
  const std::size_t from = tile_size * static_cast<std::size_t>(first), to = tile_size * static_cast<std::size_t>(j);
  for (std::int32_t q = 0; q < columns_of(front, j); q += 4) {
    double* columns = row_i + to + tile_rows * q;
    subtract_product(columns, row_i + from, row_j + from + q, tile_rows * (j - first) + q);
    solve_columns(columns, row_j + to + tile_rows * q + q);
  }
}

std::int32_t factor_diagonal(const Front& front, std::int32_t first, std::int32_t last) {
  const std::size_t from = tile_size * static_cast<std::size_t>(first);
  for (std::int32_t j = first; j < last; ++j) {
    double* row_j = front.row(j);
    double* tile = row_j + tile_size * static_cast<std::size_t>(j);
    for (std::int32_t q = 0; q < columns_of(front, j); q += 4) {
      subtract_product(tile + tile_rows * q, row_j + from, row_j + from + q, tile_rows * (j - first) + q);
      const std::int32_t bad = factor_columns(tile, q, columns_of(front, j));
      if (bad >= 0) return tile_rows * j + bad;
    }
    for (std::int32_t i = j + 1; i < last; ++i) finish_tile(front, front.row(i), j, first);
  }
  return -1;
}

// Rows of tiles [begin, end) less the product of the panel's columns.
void subtract_panel(const Front& front, std::int32_t first, std::int32_t last, std::int32_t begin, std::int32_t end) {
  const std::int32_t corner_tiles = tiles_of(front.pivots);
  const std::size_t from = tile_size * static_cast<std::size_t>(first);
  const std::int32_t depth = std::min(tile_rows * last, front.pivots) - tile_rows * first;
  for (std::int32_t j = last; j < end; ++j) {
    const double* row_j = front.row(j) + from;
    const std::int32_t columns = j < corner_tiles ? columns_of(front, j) : tile_rows;
    for (std::int32_t i = std::max(j, begin); i < end; ++i) {
      double* row_i = front.row(i);
      double* tile = j < corner_tiles ? row_i + tile_size * static_cast<std::size_t>(j)
                                      : front.update + triangle_start(i - corner_tiles) +
                                            tile_size * static_cast<std::size_t>(j - corner_tiles);
      subtract_product(tile, row_i + from, row_j, depth, columns);
    }
  }
}

template <class F>
void for_blocks(std::int32_t begin, std::int32_t end, bool parallel, F&& body) {
  if (!parallel) {
    for (std::int32_t b = begin; b < end; b += block_tiles) body(b, std::min(b + block_tiles, end));
    return;
  }
  // Enough blocks to share where there are rows enough, and from the last on: those cost most.
  const std::int32_t block = std::clamp((end - begin) / 16, 1, block_tiles), blocks = (end - begin + block - 1) / block;
#pragma omp taskloop grainsize(1) default(shared)
  for (std::int32_t k = 0; k < blocks; ++k) {
    const std::int32_t b = begin + (blocks - 1 - k) * block;
    body(b, std::min(b + block, end));
  }
}

}  // namespace

std::int32_t factor_front(const Front& front, bool parallel) {
  const std::int32_t corner_tiles = tiles_of(front.pivots), rows = corner_tiles + tiles_of(front.others);
  for (std::int32_t first = 0; first < corner_tiles; first += panel_tiles) {
    const std::int32_t last = std::min(first + panel_tiles, corner_tiles);
    const std::int32_t bad = factor_diagonal(front, first, last);
    if (bad >= 0) return bad;
    for_blocks(last, rows, parallel, [&](std::int32_t begin, std::int32_t end) {
      for (std::int32_t j = first; j < last; ++j)
        for (std::int32_t i = begin; i < end; ++i) finish_tile(front, front.row(i), j, first);
    });
    for_blocks(last, rows, parallel,
               [&](std::int32_t begin, std::int32_t end) { subtract_panel(front, first, last, begin, end); });
  }
  return -1;
}

namespace {

// Column tiles that are gathered together on the way back: their sums stay in the first cache.
constexpr std::int32_t chunk_tiles = 8;

// y (a tile of Sides vectors) -= row of tiles x
template <int Sides>
inline void subtract_row(double* y, const double* row, const double* x, std::int32_t columns) {
  Vector sum[Sides][3];
  for (int r = 0; r < Sides; ++r)
    for (int v = 0; v < 3; ++v) sum[r][v] = Vector::all(0);
  for (std::int32_t first = 0; first < columns; first += tile_rows, x += tile_rows * Sides) {
    const std::int32_t end = std::min(tile_rows, columns - first);
    for (std::int32_t k = 0; k < end; ++k, row += tile_rows) {
      const Vector a[3] = {Vector::load(row), Vector::load(row + 4), Vector::load(row + 8)};
      for (int r = 0; r < Sides; ++r) {
        const Vector factor = Vector::all(x[tile_rows * r + k]);
        for (int v = 0; v < 3; ++v) sum[r][v] = mul_add(a[v], factor, sum[r][v]);
      }
    }
  }
  for (int r = 0; r < Sides; ++r)
    for (int v = 0; v < 3; ++v) {
      double* at = y + tile_rows * r + 4 * v;
      (Vector::load(at) - sum[r][v]).store(at);
    }
}

// sums (columns x Sides vectors) += part of a row of tiles, transposed, times y (a tile)
template <int Sides>
inline void add_transposed(Vector* sums, const double* row, const double* y, std::int32_t columns) {
  Vector b[Sides][3];
  for (int r = 0; r < Sides; ++r)
    for (int v = 0; v < 3; ++v) b[r][v] = Vector::load(y + tile_rows * r + 4 * v);
  for (std::int32_t k = 0; k < columns; ++k, row += tile_rows)
    for (int r = 0; r < Sides; ++r) {
      Vector sum = sums[k * Sides + r];
      for (int v = 0; v < 3; ++v) sum = mul_add(Vector::load(row + 4 * v), b[r][v], sum);
      sums[k * Sides + r] = sum;
    }
}

template <int Sides>
void forward(const Front& front, double* x, double* y) {
  constexpr std::size_t step = tile_rows * Sides;
  const std::int32_t corner_tiles = tiles_of(front.pivots);
  for (std::int32_t t = 0; t < corner_tiles; ++t) {
    double* xt = x + step * static_cast<std::size_t>(t);
    subtract_row<Sides>(xt, front.row(t), x, tile_rows * t);
    const double* l = front.row(t) + tile_size * static_cast<std::size_t>(t);
    const std::int32_t columns = columns_of(front, t);
    for (int r = 0; r < Sides; ++r, xt += tile_rows)
      for (std::int32_t k = 0; k < columns; ++k) {
        xt[k] *= l[tile_rows * k + k];
        for (std::int32_t i = k + 1; i < columns; ++i) xt[i] -= l[tile_rows * k + i] * xt[k];
      }
  }
  for (std::int32_t t = 0; t < tiles_of(front.others); ++t)
    subtract_row<Sides>(y + step * static_cast<std::size_t>(t), front.row(corner_tiles + t), x, front.pivots);
}

template <int Sides>
void backward(const Front& front, double* x, const double* y) {
  constexpr std::size_t step = tile_rows * Sides;
  const std::int32_t corner_tiles = tiles_of(front.pivots), rows = corner_tiles + tiles_of(front.others);
  Vector sums[chunk_tiles * tile_rows * Sides];
  for (std::int32_t last = corner_tiles; last > 0; last -= std::min(last, chunk_tiles)) {
    const std::int32_t first = std::max(0, last - chunk_tiles);
    const std::int32_t begin = tile_rows * first, columns = std::min(tile_rows * last, front.pivots) - begin;
    std::fill_n(sums, columns * Sides, Vector::all(0));
    for (std::int32_t t = last; t < rows; ++t) {
      const double* from = t < corner_tiles ? x + step * static_cast<std::size_t>(t)
                                            : y + step * static_cast<std::size_t>(t - corner_tiles);
      add_transposed<Sides>(sums, front.row(t) + static_cast<std::size_t>(begin) * tile_rows, from, columns);
    }
    for (std::int32_t t = last - 1; t >= first; --t) {
      double* xt = x + step * static_cast<std::size_t>(t);
      const double* l = front.row(t) + tile_size * static_cast<std::size_t>(t);
      const std::int32_t own = columns_of(front, t);
      for (int r = 0; r < Sides; ++r)
        for (std::int32_t k = own - 1; k >= 0; --k) {
          const Vector& s = sums[(tile_rows * (t - first) + k) * Sides + r];
          double value = xt[tile_rows * r + k] - ((s[0] + s[1]) + (s[2] + s[3]));
          for (std::int32_t i = k + 1; i < own; ++i) value -= l[tile_rows * k + i] * xt[tile_rows * r + i];
          xt[tile_rows * r + k] = value * l[tile_rows * k + k];
        }
      add_transposed<Sides>(sums, front.row(t) + static_cast<std::size_t>(begin) * tile_rows, xt,
                            tile_rows * (t - first));
    }
  }
}

}  // namespace

void solve_front_forward(const Front& front, double* x, double* y, int count) {
  switch (count) {
    case 1: return forward<1>(front, x, y);
    case 2: return forward<2>(front, x, y);
    case 3: return forward<3>(front, x, y);
    default: return forward<4>(front, x, y);
  }
}

void solve_front_backward(const Front& front, double* x, const double* y, int count) {
  switch (count) {
    case 1: return backward<1>(front, x, y);
    case 2: return backward<2>(front, x, y);
    case 3: return backward<3>(front, x, y);
    default: return backward<4>(front, x, y);
  }
}

}  // namespace ymir
