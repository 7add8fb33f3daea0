// Four vectors of four numbers, rows and columns exchanged.
#pragma once

#include "ymir/math/simd.h"

namespace ymir {

inline void transpose(Lanes<double, 4> (&a)[4]) {
  const auto lo = __builtin_shufflevector(a[0].v[0], a[1].v[0], 0, 4, 2, 6);
  const auto hi = __builtin_shufflevector(a[0].v[0], a[1].v[0], 1, 5, 3, 7);
  const auto lo2 = __builtin_shufflevector(a[2].v[0], a[3].v[0], 0, 4, 2, 6);
  const auto hi2 = __builtin_shufflevector(a[2].v[0], a[3].v[0], 1, 5, 3, 7);
  a[0].v[0] = __builtin_shufflevector(lo, lo2, 0, 1, 4, 5);
  a[1].v[0] = __builtin_shufflevector(hi, hi2, 0, 1, 4, 5);
  a[2].v[0] = __builtin_shufflevector(lo, lo2, 2, 3, 6, 7);
  a[3].v[0] = __builtin_shufflevector(hi, hi2, 2, 3, 6, 7);
}

}  // namespace ymir
