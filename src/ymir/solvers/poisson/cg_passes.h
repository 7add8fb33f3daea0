// Passes of conjugate gradients over one tile of the finest level: A in difference form, in double precision, on c in
// single precision. A constant field gives exactly 0 where no side is open, and uniform tiles the bits of general ones.
#pragma once

#include "ymir/solvers/poisson/sweeps.h"

namespace ymir::poisson {

// Calls body(j, k, half, at) for the 128 halves of rows.
template <class F>
[[gnu::always_inline]] inline void for_each_half(F&& body) {
  for (int k = 0; k < 8; ++k)
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
      body(j, k, 0, 64 * k + 8 * j);
      body(j, k, 1, 64 * k + 8 * j + 4);
    }
}

inline Half::Mask half_mask(const TileBits& cells, int j, int k, int half) {
  return tile_bits::lanes<double, 4>(tile_bits::row(cells, j, k) >> 4 * half & 0xfu);
}

// The seven values around half a row.
template <class T>
struct HalfCross {
  Half centre, x_low, x_high, y_low, y_high, z_low, z_high;

  [[gnu::always_inline]] HalfCross(const TileRows<T, 8>& v, int j, int k, int half) {
    const int at = 64 * k + 8 * j + 4 * half;
    centre = load_half(v.centre + at);
    x_low = half == 0 ? centre.shifted_up(static_cast<double>(v.face[0][at + 7])) : load_half(v.centre + at - 1);
    x_high = high_x(v, centre, half, at);
    y_low = load_half(j > 0 ? v.centre + at - 8 : v.face[2] + at + 56);
    y_high = high_y(v, j, at);
    z_low = load_half(k > 0 ? v.centre + at - 64 : v.face[4] + at + 448);
    z_high = high_z(v, k, at);
  }
  static Half high_x(const TileRows<T, 8>& v, const Half& here, int half, int at) {
    return half == 1 ? here.shifted_down(static_cast<double>(v.face[1][at - 4])) : load_half(v.centre + at + 1);
  }
  static Half high_y(const TileRows<T, 8>& v, int j, int at) {
    return load_half(j < 7 ? v.centre + at + 8 : v.face[3] + at - 56);
  }
  static Half high_z(const TileRows<T, 8>& v, int k, int at) {
    return load_half(k < 7 ? v.centre + at + 64 : v.face[5] + at - 448);
  }
  // Sum of c (value at the centre - value beside it).
  [[gnu::always_inline]] Half outflow(const Half& cx, const Half& cx_high, const Half& cy, const Half& cy_high,
                                      const Half& cz, const Half& cz_high) const {
    const Half x = mul_add(cx_high, centre - x_high, cx * (centre - x_low));
    const Half y = mul_add(cy_high, centre - y_high, mul_add(cy, centre - y_low, x));
    return mul_add(cz_high, centre - z_high, mul_add(cz, centre - z_low, y));
  }
};

// body(half, at, v, A v) for all halves of rows of a tile; v is 0 where there is no unknown.
template <class T, class F>
[[gnu::always_inline]] inline void for_each_product(const LevelArrays& a, int t, const TileRows<T, 8>& v, F&& body) {
  const TileShape& shape = a.tiles[t];
  if (shape.uniform > 0) {
    // Sides by number, as in face_directions; 0 where there is a wall.
    const Half inner = Half::all(static_cast<double>(shape.uniform));
    Half side[6];
    for (unsigned f = 0; f < 6; ++f) side[f] = shape.walls >> f & 1 ? Half::all(0) : inner;
    const Half low[2] = {inner.shifted_up(side[0][0]), inner};
    const Half high[2] = {inner, inner.shifted_down(side[1][0])};
    for_each_half([&](int j, int k, int half, int at) {
      const HalfCross<T> cross(v, j, k, half);
      body(half, at, cross.centre,
           cross.outflow(low[half], high[half], j == 0 ? side[2] : inner, j == 7 ? side[3] : inner,
                         k == 0 ? side[4] : inner, k == 7 ? side[5] : inner));
    });
    return;
  }
  const TileRows<float, 8> x = a.faces(t, 0), y = a.faces(t, 1), z = a.faces(t, 2);
  using C = HalfCross<float>;
  for_each_half([&](int j, int k, int half, int at) {
    const HalfCross<T> cross(v, j, k, half);
    const Half cx = load_half(x.centre + at);
    const Half sum = cross.outflow(cx, C::high_x(x, cx, half, at), load_half(y.centre + at), C::high_y(y, j, at),
                                   load_half(z.centre + at), C::high_z(z, k, at));
    body(half, at, cross.centre, select(half_mask(a.cells[t], j, k, half), sum, 0.0));
  });
}

// v'Av over the tile.
[[gnu::flatten]] inline double curvature(const LevelArrays& a, int t, const float* v) {
  HalfSums sum;
  for_each_product(a, t, a.around(v, t),
                   [&](int half, int, const Half& value, const Half& av) { sum.add_product(half, value, av); });
  return sum.total();
}

// x += step p, r -= step A p; b = r times a scale, in single precision. Returns the new r'r.
[[gnu::flatten]] inline double take_step(const LevelArrays& a, int t, const float* p, double step, double* x, double* r,
                                         float* b, double scale) {
  const Half forward = Half::all(step), back = Half::all(-step), scales = Half::all(scale);
  HalfSums sum;
  for_each_product(a, t, a.around(p, t), [&](int half, int at, const Half& value, const Half& ap) {
    mul_add(forward, value, Half::load(x + at)).store(x + at);
    const Half residual = mul_add(back, ap, Half::load(r + at));
    residual.store(r + at);
    store_half(residual * scales, b + at);
    sum.add_product(half, residual, residual);
  });
  return sum.total();
}

// r -= A x, from r = b on entry. Returns b'b and the new r'r.
[[gnu::flatten]] inline std::array<double, 2> subtract_product(const LevelArrays& a, int t,
                                                               const TileRows<double, 8>& x, double* r) {
  HalfSums before, after;
  for_each_product(a, t, x, [&](int half, int at, const Half&, const Half& ax) {
    const Half value = Half::load(r + at), rest = value - ax;
    rest.store(r + at);
    before.add_product(half, value, value);
    after.add_product(half, rest, rest);
  });
  return {before.total(), after.total()};
}

// Values of some cells of a tile, 0 for the others.
[[gnu::flatten]] inline void copy_cells(const double* from, const TileBits& cells, double* to) {
  for_each_half([&](int j, int k, int half, int at) {
    select(half_mask(cells, j, k, half), Half::load(from + at), 0.0).store(to + at);
  });
}

// values -= shift in some cells of a tile.
template <class T>
[[gnu::flatten]] void subtract(T* values, const TileBits& cells, double shift) {
  const Half all = Half::all(shift);
  for_each_half([&](int j, int k, int half, int at) {
    store_half(load_half(values + at) - select(half_mask(cells, j, k, half), all, 0.0), values + at);
  });
}

// Sum over some cells of a tile.
template <class T>
[[gnu::flatten]] double sum_over(const T* values, const TileBits& cells) {
  HalfSums sum;
  for_each_half([&](int j, int k, int half, int at) {
    sum.add(half, select(half_mask(cells, j, k, half), load_half(values + at), 0.0));
  });
  return sum.total();
}

}  // namespace ymir::poisson
