// Rows of eight floats against rows of four, the two levels of a 2x2x2 block; and halves of rows in double precision.
#pragma once

#include <cstring>

#include "ymir/math/simd.h"

namespace ymir::poisson {

using Row = Lanes<float, 8>;
typedef float Four __attribute__((vector_size(16)));

inline Four even_lanes(const Row& a) { return __builtin_shufflevector(a.v[0], a.v[0], 0, 2, 4, 6); }
inline Four pair_sums(const Row& a) { return even_lanes(a) + __builtin_shufflevector(a.v[0], a.v[0], 1, 3, 5, 7); }
inline Row doubled(const Four& a) {
  Row row;
  row.v[0] = __builtin_shufflevector(a, a, 0, 0, 1, 1, 2, 2, 3, 3);
  return row;
}
inline Four load_four(const float* from) {
  Four a;
  std::memcpy(&a, from, sizeof a);
  return a;
}
inline void store_four(const Four& a, float* to) { std::memcpy(to, &a, sizeof a); }

using Half = Lanes<double, 4>;

inline Half load_half(const double* from) { return Half::load(from); }
inline Half load_half(const float* from) {
  Half half;
#if defined(__AVX__)
  half.v[0] = _mm256_cvtps_pd(_mm_loadu_ps(from));
#else
  for (int i = 0; i < 4; ++i) half.set(i, static_cast<double>(from[i]));
#endif
  return half;
}
inline void store_half(const Half& half, double* to) { half.store(to); }
inline void store_half(const Half& half, float* to) {
#if defined(__AVX__)
  _mm_storeu_ps(to, _mm256_cvtpd_ps(half.v[0]));
#else
  for (int i = 0; i < 4; ++i) to[i] = static_cast<float>(half[i]);
#endif
}

// A sum over a tile, added up in one order: one part per half of its rows.
struct HalfSums {
  Half part[2] = {Half::all(0), Half::all(0)};
  void add_product(int half, const Half& a, const Half& b) { part[half] = mul_add(a, b, part[half]); }
  void add(int half, const Half& a) { part[half] += a; }
  double total() const {
    const Half sum = part[0] + part[1];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

}  // namespace ymir::poisson
