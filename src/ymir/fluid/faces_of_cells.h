// From cell centres to faces.
#pragma once

#include "ymir/data/tile_rows.h"
#include "ymir/fluid/gas_grid.h"

namespace ymir {

// Adds the mean of a cell's value and that of its lower neighbour to the face between: to[i] += scale (f[i] +
// f[i-1])/2.
inline void add_to_faces(const TileRows<float, GasGrid::side>& rows, int axis, float scale, float* faces) {
  constexpr int n = GasGrid::side;
  using Values = Lanes<float, n>;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      const Values own = rows.row(j, k);
      const Values low = axis == 0 ? rows.x_low(own, j, k) : axis == 1 ? rows.y_low(j, k) : rows.z_low(j, k);
      float* to = faces + TileRows<float, n>::at(j, k);
      (Values::load(to) + (own + low) * (0.5f * scale)).store(to);
    }
}

}  // namespace ymir
