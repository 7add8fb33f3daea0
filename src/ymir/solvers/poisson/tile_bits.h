// One bit per cell of an 8^3 tile: word k is the layer z = k, bit 8 j + i its cell (i, j). Row (j, k) is one byte.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "ymir/math/simd.h"

namespace ymir {

using TileBits = std::array<std::uint64_t, 8>;

namespace tile_bits {

inline constexpr std::uint64_t first_column = 0x0101010101010101ull;

inline unsigned row(const TileBits& bits, int j, int k) {
  return static_cast<unsigned>(bits[static_cast<std::size_t>(k)] >> 8 * j) & 0xffu;
}
inline void set_row(TileBits& bits, int j, int k, unsigned row_bits) {
  bits[static_cast<std::size_t>(k)] |= std::uint64_t{row_bits} << 8 * j;
}
inline bool any(const TileBits& bits) {
  std::uint64_t all = 0;
  for (const std::uint64_t word : bits) all |= word;
  return all != 0;
}
inline int count(const TileBits& bits) {
  int sum = 0;
  for (const std::uint64_t word : bits) sum += std::popcount(word);
  return sum;
}
inline TileBits operator&(TileBits a, const TileBits& b) {
  for (std::size_t k = 0; k < 8; ++k) a[k] &= b[k];
  return a;
}
inline TileBits operator|(TileBits a, const TileBits& b) {
  for (std::size_t k = 0; k < 8; ++k) a[k] |= b[k];
  return a;
}
inline TileBits operator~(TileBits a) {
  for (std::uint64_t& word : a) word = ~word;
  return a;
}

// The lowest bit of each of the eight bytes, as one byte; and back.
inline std::uint64_t column_to_byte(std::uint64_t column) {
  return (column & first_column) * 0x0102040810204080ull >> 56;
}
inline std::uint64_t byte_to_column(std::uint64_t byte) {
  const std::uint64_t diagonal = (byte * first_column) & 0x8040201008040201ull;
  return (diagonal + 0x7f7f7f7f7f7f7f7full) >> 7 & first_column;
}

// The 64 cells of the layer on the lower (0) or upper (1) side across an axis: bit 8 b + a for the other axes a < b.
inline std::uint64_t plane(const TileBits& bits, int axis, int side) {
  if (axis == 2) return bits[side == 0 ? 0 : 7];
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    const std::uint64_t byte =
        axis == 0 ? column_to_byte(bits[k] >> (side == 0 ? 0 : 7)) : bits[k] >> (side == 0 ? 0 : 56) & 0xff;
    out |= byte << 8 * k;
  }
  return out;
}

// Every cell takes the bit of its lower neighbour along the axis; the first layer takes `outside`, a plane.
inline TileBits from_low(const TileBits& bits, int axis, std::uint64_t outside) {
  TileBits out;
  for (std::size_t k = 0; k < 8; ++k) {
    const std::uint64_t byte = outside >> 8 * k & 0xff;
    out[k] = axis == 0   ? (bits[k] << 1 & ~first_column) | byte_to_column(byte)
             : axis == 1 ? bits[k] << 8 | byte
             : k == 0    ? outside
                         : bits[k - 1];
  }
  return out;
}
// The same of its upper neighbour.
inline TileBits from_high(const TileBits& bits, int axis, std::uint64_t outside) {
  TileBits out;
  for (std::size_t k = 0; k < 8; ++k) {
    const std::uint64_t byte = outside >> 8 * k & 0xff;
    out[k] = axis == 0   ? (bits[k] >> 1 & ~(first_column << 7)) | byte_to_column(byte) << 7
             : axis == 1 ? bits[k] >> 8 | byte << 56
             : k == 7    ? outside
                         : bits[k + 1];
  }
  return out;
}

// The lowest N bits as a mask of lanes.
template <class T, int N = 8>
inline typename Lanes<T, N>::Mask lanes(unsigned bits) {
  using Row = Lanes<T, N>;
  static_assert(Row::chunks == 1);
  typename Row::NativeMask weights;
  for (int i = 0; i < N; ++i) weights[i] = 1 << i;
  return {{((typename Row::NativeMask{} + static_cast<typename Row::Integer>(bits)) & weights) == weights}};
}
// And back.
inline unsigned bits_of(const Lanes<float, 8>::Mask& mask) {
#if defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask.m[0])));
#else
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) bits |= (mask[i] ? 1u : 0u) << i;
  return bits;
#endif
}

}  // namespace tile_bits
}  // namespace ymir
