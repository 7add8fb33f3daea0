// Loads of short runs of floats from eight places at once: what interpolation along x needs. Plain loads and shuffles,
// because the gather instructions of AVX2 are slower on many processors and load single values only.
#pragma once

#include <cstdint>
#include <cstring>

#include "ymir/math/simd.h"

namespace ymir {

using Lanes8 = Lanes<float, 8>;

// Eight offsets from one address, in memory where loads find them one by one.
struct LaneIndex {
  alignas(32) std::int32_t at[8];

  // Of whole numbers below 2^24.
  static LaneIndex of(const Lanes8& numbers) {
    LaneIndex index;
#if defined(__AVX2__)
    _mm256_store_si256(reinterpret_cast<__m256i*>(index.at), _mm256_cvttps_epi32(numbers.v[0]));
#else
    for (int i = 0; i < 8; ++i) index.at[i] = static_cast<std::int32_t>(numbers[i]);
#endif
    return index;
  }
};

// run[n][lane] = from[index[lane] + n], n = 0, 1
inline void gather_pairs(const float* from, const LaneIndex& index, Lanes8 (&run)[2]) {
#if defined(__AVX2__)
  const auto two = [&](int a, int b) {
    double low, high;
    std::memcpy(&low, from + index.at[a], sizeof(low));
    std::memcpy(&high, from + index.at[b], sizeof(high));
    return _mm_castpd_ps(_mm_set_pd(high, low));
  };
  const __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(two(0, 1)), two(4, 5), 1);
  const __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(two(2, 3)), two(6, 7), 1);
  run[0].v[0] = _mm256_shuffle_ps(a, b, 0x88);
  run[1].v[0] = _mm256_shuffle_ps(a, b, 0xdd);
#else
  for (int i = 0; i < 8; ++i)
    for (int n = 0; n < 2; ++n) run[n].set(i, from[index.at[i] + n]);
#endif
}

// run[n][lane] = from[index[lane] + n], n = 0 .. 3
inline void gather_quads(const float* from, const LaneIndex& index, Lanes8 (&run)[4]) {
#if defined(__AVX2__)
  const auto two = [&](int a, int b) {
    const __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(from + index.at[a]));
    return _mm256_insertf128_ps(low, _mm_loadu_ps(from + index.at[b]), 1);
  };
  const __m256 a = two(0, 4), b = two(1, 5), c = two(2, 6), d = two(3, 7);
  const __m256 ab_low = _mm256_unpacklo_ps(a, b), ab_high = _mm256_unpackhi_ps(a, b);
  const __m256 cd_low = _mm256_unpacklo_ps(c, d), cd_high = _mm256_unpackhi_ps(c, d);
  run[0].v[0] = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
  run[1].v[0] = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
  run[2].v[0] = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
  run[3].v[0] = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
#else
  for (int i = 0; i < 8; ++i)
    for (int n = 0; n < 4; ++n) run[n].set(i, from[index.at[i] + n]);
#endif
}

}  // namespace ymir
