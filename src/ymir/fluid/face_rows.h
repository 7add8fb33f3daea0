// Rows of a tile and of its neighbours as plain pointers, for passes between faces and cells: a cell owns its lower
// faces, its upper ones belong to the next cells.
#pragma once

#include "ymir/data/tile_rows.h"
#include "ymir/fluid/gas_grid.h"

namespace ymir {

template <class T>
struct FaceRows {
  static constexpr int n = GasGrid::side;
  TileRows<T, n> tile;

  static constexpr int at(int j, int k) { return TileRows<T, n>::at(j, k); }
  const T* row(int j, int k) const { return tile.centre + at(j, k); }
  const T* low(int axis, int j, int k) const {  // axis 1 or 2
    if (axis == 1) return j > 0 ? row(j - 1, k) : tile.face[2] + at(n - 1, k);
    return k > 0 ? row(j, k - 1) : tile.face[4] + at(j, n - 1);
  }
  const T* high(int axis, int j, int k) const {
    if (axis == 1) return j < n - 1 ? row(j + 1, k) : tile.face[3] + at(0, k);
    return k < n - 1 ? row(j, k + 1) : tile.face[5] + at(j, 0);
  }
  T before(int j, int k) const { return tile.face[0][at(j, k) + n - 1]; }
  T after(int j, int k) const { return tile.face[1][at(j, k)]; }

  // What each cell of a row finds below it along an axis.
  void copy_low(int axis, int j, int k, T* to) const {
    if (axis > 0) {
      std::copy_n(low(axis, j, k), n, to);
      return;
    }
    to[0] = before(j, k);
    std::copy_n(row(j, k), n - 1, to + 1);
  }
};

// The three components of a face channel.
template <class T>
struct FaceTile {
  FaceRows<T> axis[3];

  template <class Reader>
  FaceTile(const Reader& reader, int t)
      : axis{{reader.template rows<GasGrid::side>(t, 0)},
             {reader.template rows<GasGrid::side>(t, 1)},
             {reader.template rows<GasGrid::side>(t, 2)}} {}
};

// out[i] = sum over axes of flux above - flux below, for the cells of a row. flux(axis, value): value(rows) picks the
// face's value of any FaceRows.
template <class Flux>
[[gnu::always_inline]] inline void net_outflow(int j, int k, Flux&& flux, double* out) {
  constexpr int n = GasGrid::side;
  double x[n + 1];
  for (int i = 0; i < n; ++i) x[i] = flux(0, [&](const auto& r) { return r.row(j, k)[i]; });
  x[n] = flux(0, [&](const auto& r) { return r.after(j, k); });
  for (int i = 0; i < n; ++i) out[i] = x[i + 1] - x[i];
  for (int axis = 1; axis < 3; ++axis)
    for (int i = 0; i < n; ++i)
      out[i] += flux(axis, [&](const auto& r) { return r.high(axis, j, k)[i]; }) -
                flux(axis, [&](const auto& r) { return r.row(j, k)[i]; });
}

}  // namespace ymir
