// Four vectors of four numbers, rows and columns exchanged.
#pragma once

#include "ymir/math/simd.h"

namespace ymir {

inline void transpose(Lanes<double, 4>& a, Lanes<double, 4>& b, Lanes<double, 4>& c, Lanes<double, 4>& d) {
  const auto ab_even = __builtin_shufflevector(a.v[0], b.v[0], 0, 4, 2, 6);
  const auto ab_odd = __builtin_shufflevector(a.v[0], b.v[0], 1, 5, 3, 7);
  const auto cd_even = __builtin_shufflevector(c.v[0], d.v[0], 0, 4, 2, 6);
  const auto cd_odd = __builtin_shufflevector(c.v[0], d.v[0], 1, 5, 3, 7);
  a.v[0] = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  b.v[0] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  c.v[0] = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  d.v[0] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

}  // namespace ymir
