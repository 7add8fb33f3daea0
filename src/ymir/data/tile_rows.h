// Rows of a tile and of its six face neighbours, without a branch per voxel. A tile holds R^3 values, x fastest; a row
// is the R values along x at (j, k) and one Lanes. A missing neighbour is the channel's constant tile, so kernels read
// all six alike. [method notes C, 1]
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "ymir/base/check.h"
#include "ymir/data/bucket.h"
#include "ymir/math/simd.h"

namespace ymir {

// Directions of the six face neighbours: -x, +x, -y, +y, -z, +z.
inline constexpr std::array<int, 6> face_directions{direction(-1, 0, 0), direction(1, 0, 0),  direction(0, -1, 0),
                                                    direction(0, 1, 0),  direction(0, 0, -1), direction(0, 0, 1)};

template <class T, int R>
struct TileRows {
  using Row = Lanes<T, R>;
  static constexpr int row_stride = R, layer_stride = R * R;

  const T* centre;
  std::array<const T*, 6> face;  // tiles in the order of face_directions

  static constexpr int at(int j, int k) { return (k * R + j) * R; }

  Row row(int j, int k) const { return Row::load(centre + at(j, k)); }
  // The row moved by one voxel: what each voxel of (j, k) sees at its lower or upper neighbour.
  Row x_low(const Row& centre_row, int j, int k) const { return centre_row.shifted_up(face[0][at(j, k) + R - 1]); }
  Row x_high(const Row& centre_row, int j, int k) const { return centre_row.shifted_down(face[1][at(j, k)]); }
  Row y_low(int j, int k) const { return Row::load(j > 0 ? centre + at(j - 1, k) : face[2] + at(R - 1, k)); }
  Row y_high(int j, int k) const { return Row::load(j < R - 1 ? centre + at(j + 1, k) : face[3] + at(0, k)); }
  Row z_low(int j, int k) const { return Row::load(k > 0 ? centre + at(j, k - 1) : face[4] + at(j, R - 1)); }
  Row z_high(int j, int k) const { return Row::load(k < R - 1 ? centre + at(j, k + 1) : face[5] + at(j, 0)); }

  // Asks the second-level cache for row (j, k) and for what it reads from the + neighbours along the given axes. Called
  // on the tile `tiles_ahead` further on while a tile is computed: hardware follows neither the hops to + neighbours,
  // whose first touch this is, nor that many streams; without it a stencil in memory takes twice as long (Zen 4).
  // Always inlined: GCC drops calls to functions that only prefetch, as having no effect.
  template <bool X, bool Y, bool Z>
  [[gnu::always_inline]] void prefetch(int j, int k) const {
    const int first = at(j, k);
    if (first * static_cast<int>(sizeof(T)) % line != 0) return;  // came with the row before
    for (int i = 0; i < R; i += line / static_cast<int>(sizeof(T))) to_second_level(centre + first + i);
    if constexpr (X) to_second_level(face[1] + first);
    if constexpr (Y)
      if (j == 0) to_second_level(face[3] + first);
    if constexpr (Z)
      if (k == 0) to_second_level(face[5] + first);
  }
  // The same for a row that will be written.
  [[gnu::always_inline]] static void prefetch_to_write(T* tile, int j, int k) {
    const int first = at(j, k);
    if (first * static_cast<int>(sizeof(T)) % line != 0) return;
    for (int i = 0; i < R; i += line / static_cast<int>(sizeof(T))) __builtin_prefetch(tile + first + i, 1, 2);
  }
  // About 16 KB of one channel.
  static constexpr int tiles_ahead = std::max(1, 16384 / (R * R * R * static_cast<int>(sizeof(T))));

 private:
  static constexpr int line = 64;  // bytes of a cache line
  [[gnu::always_inline]] static void to_second_level(const T* address) { __builtin_prefetch(address, 0, 2); }
};

// body(std::integral_constant<int, R>) for the resolution R known at run time: kernels are compiled for each.
template <class F>
void with_resolution(int resolution, F&& body) {
  switch (resolution) {
    case 4: return body(std::integral_constant<int, 4>{});
    case 8: return body(std::integral_constant<int, 8>{});
    case 16: return body(std::integral_constant<int, 16>{});
    default: check_failed("resolution is 4, 8 or 16", __FILE__, __LINE__);
  }
}

}  // namespace ymir
