// A tile with one layer of voxels of its neighbours around it, for stencils that reach diagonally.
#pragma once

#include <algorithm>

#include "ymir/data/volume_accessor.h"

namespace ymir {

template <class T>
class PaddedTile {
 public:
  static constexpr int side = 8, padded = side + 2;

  // Needs Stencil::box.
  void load(const VolumeReader<T>& reader, const std::array<int, 27>& neighbours, int component = 0) {
    for (int z = -1; z <= side; ++z)
      for (int y = -1; y <= side; ++y) {
        const int sy = y < 0 ? -1 : y == side ? 1 : 0, sz = z < 0 ? -1 : z == side ? 1 : 0;
        const int row = ((z - sz * side) * side + (y - sy * side)) * side;
        const auto tile = [&](int sx) {
          return reader.tile(neighbours[static_cast<std::size_t>(direction(sx, sy, sz))], component) + row;
        };
        T* to = &values_[z + 1][y + 1][1];
        std::copy_n(tile(0), side, to);
        to[-1] = tile(-1)[side - 1];
        to[side] = tile(1)[0];
      }
  }
  // Indices -1 to 8.
  T operator()(int x, int y, int z) const { return values_[z + 1][y + 1][x + 1]; }

 private:
  T values_[padded][padded][padded];
};

}  // namespace ymir
