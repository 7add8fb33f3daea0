// Kernels of the multigrid cycle on one tile, in single precision: half sweeps of red-black Gauss-Seidel, the residual
// restricted to the coarser level, and the correction prolonged from it. A cell is red (colour 0) when i + j + k is
// even; tiles start at even indices, so its place in the tile decides. A half sweep computes whole rows and keeps one
// colour. [method notes C, 1, 3]
#pragma once

#include <algorithm>

#include "ymir/solvers/poisson/poisson_level.h"
#include "ymir/solvers/poisson/row_sums.h"

namespace ymir::poisson {

// Bits of a colour in row (j, k).
inline unsigned colour_bits(int colour, int j, int k) { return (j + k + colour) % 2 == 0 ? 0x55u : 0xaau; }

// The seven values around a row.
struct Cross {
  Row centre, x_low, x_high, y_low, y_high, z_low, z_high;
  Row sum() const { return ((x_low + x_high) + (y_low + y_high)) + (z_low + z_high); }
};

// The coefficients around a row.
struct CrossCoefficients {
  Row x_low, x_high, y_low, y_high, z_low, z_high;
  Row sum() const { return ((x_low + x_high) + (y_low + y_high)) + (z_low + z_high); }
  // start + sum of c v
  Row weighted(const Cross& v, const Row& start) const {
    const Row x = mul_add(x_high, v.x_high, mul_add(x_low, v.x_low, start));
    const Row y = mul_add(y_high, v.y_high, y_low * v.y_low);
    return mul_add(z_high, v.z_high, mul_add(z_low, v.z_low, x + y));
  }
  // start + sum of c (v - v at the centre)
  Row differences(const Cross& v, const Row& start) const {
    const Row x = mul_add(x_high, v.x_high - v.centre, mul_add(x_low, v.x_low - v.centre, start));
    const Row y = mul_add(y_high, v.y_high - v.centre, y_low * (v.y_low - v.centre));
    return mul_add(z_high, v.z_high - v.centre, mul_add(z_low, v.z_low - v.centre, x + y));
  }
};

// Walks the rows of a layer z = k of a tile. Rows go from "beside" to "centre" in registers: a row that was changed
// meanwhile is seen as it was, which is the same to a half sweep, because it reads the other colour.
class CrossWalk {
 public:
  [[gnu::always_inline]] CrossWalk(const TileRows<float, 8>& v, int k)
      : v_(v),
        first_(64 * k),
        low_(k > 0 ? v.centre + first_ - 64 : v.face[4] + 448),
        high_(k < 7 ? v.centre + first_ + 64 : v.face[5]),
        before_(Row::load(v.face[2] + first_ + 56)),
        here_(Row::load(v.centre + first_)) {}
  // Rows j = 0 to 7 in turn.
  [[gnu::always_inline]] Cross next(int j) {
    const int at = first_ + 8 * j;
    const Row after = Row::load(j < 7 ? v_.centre + at + 8 : v_.face[3] + first_);
    const Cross cross{here_,
                      here_.shifted_up(v_.face[0][at + 7]),
                      here_.shifted_down(v_.face[1][at]),
                      before_,
                      after,
                      Row::load(low_ + 8 * j),
                      Row::load(high_ + 8 * j)};
    before_ = here_;
    here_ = after;
    return cross;
  }

 private:
  const TileRows<float, 8>& v_;
  int first_;
  const float *low_, *high_;
  Row before_, here_;
};

// The same for coefficients.
class CoefficientWalk {
 public:
  [[gnu::always_inline]] CoefficientWalk(const TileRows<float, 8>& x, const TileRows<float, 8>& y,
                                         const TileRows<float, 8>& z, int k)
      : x_(x),
        y_(y),
        first_(64 * k),
        low_(z.centre + first_),
        high_(k < 7 ? low_ + 64 : z.face[5]),
        y_low_(Row::load(y.centre + first_)) {}
  [[gnu::always_inline]] CrossCoefficients next(int j) {
    const int at = first_ + 8 * j;
    const Row x = Row::load(x_.centre + at), y_high = Row::load(j < 7 ? y_.centre + at + 8 : y_.face[3] + first_);
    const CrossCoefficients c{x,      x.shifted_down(x_.face[1][at]), y_low_,
                              y_high, Row::load(low_ + 8 * j),        Row::load(high_ + 8 * j)};
    y_low_ = y_high;
    return c;
  }

 private:
  const TileRows<float, 8>&x_, &y_;
  int first_;
  const float *low_, *high_;
  Row y_low_;
};

// body(j, k, at, cross) for the 64 rows.
template <class F>
[[gnu::always_inline]] inline void for_each_cross(const TileRows<float, 8>& v, F&& body) {
  for (int k = 0; k < 8; ++k) {
    CrossWalk walk(v, k);
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) body(j, k, 64 * k + 8 * j, walk.next(j));
  }
}
// body(j, k, at, coefficients)
template <class F>
[[gnu::always_inline]] inline void for_each_coefficients(const LevelArrays& a, int t, F&& body) {
  const TileRows<float, 8> x = a.faces(t, 0), y = a.faces(t, 1), z = a.faces(t, 2);
  for (int k = 0; k < 8; ++k) {
    CoefficientWalk walk(x, y, z, k);
    for (int j = 0; j < 8; ++j) body(j, k, 64 * k + 8 * j, walk.next(j));
  }
}
// body(j, k, at, cross, coefficients)
template <class F>
[[gnu::always_inline]] inline void for_each_weighted_cross(const LevelArrays& a, int t, const TileRows<float, 8>& v,
                                                           F&& body) {
  const TileRows<float, 8> x = a.faces(t, 0), y = a.faces(t, 1), z = a.faces(t, 2);
  for (int k = 0; k < 8; ++k) {
    CrossWalk walk(v, k);
    CoefficientWalk coefficients(x, y, z, k);
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) body(j, k, 64 * k + 8 * j, walk.next(j), coefficients.next(j));
  }
}

// body(j, k, at) for the 64 rows.
template <class F>
[[gnu::always_inline]] inline void for_each_row(F&& body) {
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j) body(j, k, 64 * k + 8 * j);
}

// Rows of a uniform tile differ in the number of faces that are not walls. Faces across y and z are counted per row,
// across x per lane.
class UniformRows {
 public:
  explicit UniformRows(const TileShape& shape) : walls_(shape.walls) {
    for (int missing = 0; missing < 3; ++missing) {
      Row count = Row::all(static_cast<float>(6 - missing));
      if (walls_ & 1) count.set(0, static_cast<float>(5 - missing));
      if (walls_ & 2) count.set(7, static_cast<float>(5 - missing));
      counts_[missing] = count;
    }
  }
  int missing(int j, int k) const {
    const unsigned y = j == 0   ? walls_ >> 2
                       : j == 7 ? walls_ >> 3
                                : 0,
                   z = k == 0   ? walls_ >> 4
                       : k == 7 ? walls_ >> 5
                                : 0;
    return static_cast<int>((y & 1) + (z & 1));
  }
  const Row& count(int missing_faces) const { return counts_[missing_faces]; }

 private:
  unsigned walls_;
  Row counts_[3];
};

// Masks of a colour in rows with j + k even and odd.
struct ColourMasks {
  Row::Mask mask[2];
  explicit ColourMasks(int colour)
      : mask{tile_bits::lanes<float>(colour_bits(colour, 0, 0)), tile_bits::lanes<float>(colour_bits(colour, 0, 1))} {}
  const Row::Mask& row(int j, int k) const { return mask[(j + k) % 2]; }
};

// Tiles read while this one is computed will be found in the cache: two rows are one line.
class Ahead {
 public:
  Ahead(const LevelArrays& a, int t, bool coefficients)
      : x_(LevelArrays::tile(a.x, t)),
        b_(LevelArrays::tile(a.b, t)),
        general_(coefficients && a.tiles[t].general >= 0) {
    const auto home = static_cast<std::ptrdiff_t>(a.tiles[t].home) * tile_cells;
    for (std::size_t axis = 0; axis < 3; ++axis) c_[axis] = a.c[axis] + home;
    c_[3] = a.inverse + std::ptrdiff_t{std::max(a.tiles[t].general, 0)} * tile_cells;
  }
  [[gnu::always_inline]] void row(int j, int at) const {
    if (j % 2 != 0) return;
    __builtin_prefetch(x_ + at, 1, 2);
    __builtin_prefetch(b_ + at, 0, 2);
    if (!general_) return;
    for (const float* c : c_) __builtin_prefetch(c + at, 0, 2);
  }

 private:
  const float *x_, *b_;
  std::array<const float*, 4> c_;
  bool general_;
};

// x of one colour from its neighbours; `ahead` is the tile to be visited a little later.
[[gnu::flatten]] inline void half_sweep(const LevelArrays& a, int t, int colour, int ahead) {
  float* x = LevelArrays::tile(a.x, t);
  const float* b = LevelArrays::tile(a.b, t);
  const TileRows<float, 8> around = a.around<float>(a.x, t);
  const Ahead next(a, ahead, true);
  const ColourMasks masks(colour);
  const TileShape& shape = a.tiles[t];
  if (shape.uniform > 0) {
    const UniformRows rows(shape);
    const Row c = Row::all(shape.uniform);
    Row inverse[3];
    for (int missing = 0; missing < 3; ++missing) inverse[missing] = 1.0f / (c * rows.count(missing));
    for_each_cross(around, [&](int j, int k, int at, const Cross& v) {
      next.row(j, at);
      const Row solved = mul_add(v.sum(), c, Row::load(b + at)) * inverse[rows.missing(j, k)];
      select(masks.row(j, k), solved, v.centre).store(x + at);
    });
    return;
  }
  const float* inverse = LevelArrays::tile(a.inverse, shape.general);
  for_each_weighted_cross(a, t, around, [&](int j, int k, int at, const Cross& v, const CrossCoefficients& c) {
    next.row(j, at);
    const Row solved = c.weighted(v, Row::load(b + at)) * Row::load(inverse + at);
    select(masks.row(j, k), solved, v.centre).store(x + at);
  });
}

// 1 / diagonal of a tile, 0 where there is no unknown.
inline void invert_diagonal(const LevelArrays& a, int t, float* inverse) {
  const float* d = a.d == nullptr ? nullptr : LevelArrays::tile(a.d, t);
  for_each_coefficients(a, t, [&](int j, int k, int at, const CrossCoefficients& c) {
    const Row links = c.sum();
    const Row diagonal = d == nullptr ? links : links + Row::load(d + at);
    select(tile_bits::lanes<float>(tile_bits::row(a.cells[t], j, k)), 1.0f / diagonal, 0.0f).store(inverse + at);
  });
}

// x = b / diagonal on the cells of one colour, or of both, 0 elsewhere: the first half sweep from x = 0.
[[gnu::flatten]] inline void divide_by_diagonal(const LevelArrays& a, int t, bool both, int ahead) {
  float* x = LevelArrays::tile(a.x, t);
  const float* b = LevelArrays::tile(a.b, t);
  const Ahead next(a, ahead, false);
  const TileShape& shape = a.tiles[t];
  ColourMasks masks(0);
  if (both) masks.mask[0] = masks.mask[1] = tile_bits::lanes<float>(0xff);
  if (shape.uniform > 0) {
    const UniformRows rows(shape);
    Row inverse[3];
    for (int missing = 0; missing < 3; ++missing) inverse[missing] = 1.0f / (shape.uniform * rows.count(missing));
    for_each_row([&](int j, int k, int at) {
      next.row(j, at);
      select(masks.row(j, k), Row::load(b + at) * inverse[rows.missing(j, k)], 0.0f).store(x + at);
    });
    return;
  }
  const float* inverse = LevelArrays::tile(a.inverse, shape.general);
  for_each_row([&](int j, int k, int at) {
    next.row(j, at);
    select(masks.row(j, k), Row::load(b + at) * Row::load(inverse + at), 0.0f).store(x + at);
  });
}

// Sums over 2x2x2 blocks of rows that come in order.
class BlockSums {
 public:
  explicit BlockSums(const BlockAddress<float>& to) : to_(to) {}
  [[gnu::always_inline]] void add(int j, int k, const Row& row) {
    if (j % 2 == 0) {
      first_ = row;
      return;
    }
    if (k % 2 == 0)
      layer_[j / 2] = first_ + row;
    else
      store_four(pair_sums(layer_[j / 2] + (first_ + row)), to_.data + to_.row * (j / 2) + to_.layer * (k / 2));
  }

 private:
  BlockAddress<float> to_;
  Row first_{}, layer_[4]{};
};

// b - A x after a black half sweep, summed over blocks. It vanishes on black cells, so only red ones are taken.
[[gnu::flatten]] inline void restrict_residual(const LevelArrays& a, int t, const BlockAddress<float>& to, int ahead) {
  const float* b = LevelArrays::tile(a.b, t);
  const TileRows<float, 8> around = a.around<float>(a.x, t);
  const Ahead next(a, ahead, true);
  const ColourMasks masks(0);
  const TileShape& shape = a.tiles[t];
  BlockSums sums(to);
  if (shape.uniform > 0) {
    const UniformRows rows(shape);
    const Row c = Row::all(shape.uniform);
    for_each_cross(around, [&](int j, int k, int at, const Cross& v) {
      next.row(j, at);
      const Row outflow = v.sum() - v.centre * rows.count(rows.missing(j, k));
      sums.add(j, k, select(masks.row(j, k), mul_add(outflow, c, Row::load(b + at)), 0.0f));
    });
    return;
  }
  const float* d = a.d == nullptr ? nullptr : LevelArrays::tile(a.d, t);
  for_each_weighted_cross(a, t, around, [&](int j, int k, int at, const Cross& v, const CrossCoefficients& c) {
    next.row(j, at);
    Row r = c.differences(v, Row::load(b + at));
    if (d != nullptr) r -= Row::load(d + at) * v.centre;
    sums.add(j, k, select(tile_bits::lanes<float>(tile_bits::row(a.cells[t], j, k) & colour_bits(0, j, k)), r, 0.0f));
  });
}

// Adds the correction of the coarser level to red cells. The black half sweep that follows overwrites the others.
[[gnu::flatten]] inline void prolong(const LevelArrays& a, int t, const BlockAddress<float>& from, int ahead) {
  float* x = LevelArrays::tile(a.x, t);
  const Ahead next(a, ahead, false);
  for_each_row([&](int j, int k, int at) {
    next.row(j, at);
    const unsigned bits = colour_bits(0, j, k) & tile_bits::row(a.cells[t], j, k);
    const Row correction = doubled(load_four(from.data + from.row * (j / 2) + from.layer * (k / 2)));
    (Row::load(x + at) + select(tile_bits::lanes<float>(bits), correction, 0.0f)).store(x + at);
  });
}

// Sum of b x over the tile.
[[gnu::flatten]] inline double product(const LevelArrays& a, int t) {
  const float *x = LevelArrays::tile(a.x, t), *b = LevelArrays::tile(a.b, t);
  HalfSums sum;
  for (int i = 0; i < tile_cells; i += 8)
    for (int h = 0; h < 2; ++h) sum.add_product(h, load_half(x + i + 4 * h), load_half(b + i + 4 * h));
  return sum.total();
}

}  // namespace ymir::poisson
