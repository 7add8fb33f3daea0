// Masks of lanes as bits: bit i is lane i.
#pragma once

#include "ymir/math/simd.h"

namespace ymir {

inline unsigned bits(const Lanes<float, 8>::Mask& mask) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask.m[0])));
#else
  unsigned set = 0;
  for (int i = 0; i < 8; ++i) set |= mask[i] ? 1u << i : 0u;
  return set;
#endif
}

}  // namespace ymir
