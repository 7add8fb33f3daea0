// Solves with a factor of band_ldl.h, for those who do little else: the unknowns that a column reaches stay in
// registers, and a sum begins with what has been known longest, so that rows overlap. Other bits than
// BandLdl::solve, which goes through memory.
#pragma once

#include <cstddef>

namespace ymir {

template <class T, int Block, int HalfBandwidth>
struct BandSolve {
  static constexpr int column = HalfBandwidth + 1;
  static constexpr int spare = HalfBandwidth + Block;  // entries of b behind the last row, zero

  // b <- A^-1 b.
  static void solve(const T* a, T* b, int blocks) {
    T window[Block + HalfBandwidth];
    for (int k = 0; k < Block + HalfBandwidth; ++k) window[k] = b[k];
    for (int i = 0; i < blocks; ++i)
      forward(a + static_cast<std::ptrdiff_t>(i) * Block * column, b + Block * i, window);
    for (int k = 0; k < Block + HalfBandwidth; ++k) window[k] = T{};
    for (int i = blocks - 1; i >= 0; --i)
      backward(a + static_cast<std::ptrdiff_t>(i) * Block * column, b + Block * i, window);
  }

 private:
  static inline __attribute__((always_inline)) void forward(const T* a, T* b, T (&window)[Block + HalfBandwidth]) {
#pragma GCC unroll 8
    for (int c = 0; c < Block; ++c) {
      const T x = -window[c];
#pragma GCC unroll 16
      for (int k = 1; k <= HalfBandwidth - c; ++k) window[c + k] = mul_add(x, a[c * column + k], window[c + k]);
    }
#pragma GCC unroll 8
    for (int c = 0; c < Block; ++c) b[c] = window[c];
#pragma GCC unroll 16
    for (int k = 0; k < HalfBandwidth; ++k) window[k] = window[k + Block];
#pragma GCC unroll 8
    for (int c = 0; c < Block; ++c) window[HalfBandwidth + c] = b[Block + HalfBandwidth + c];
  }

  static inline __attribute__((always_inline)) void backward(const T* a, T* b, T (&window)[Block + HalfBandwidth]) {
#pragma GCC unroll 16
    for (int k = HalfBandwidth - 1; k >= 0; --k) window[k + Block] = window[k];
#pragma GCC unroll 8
    for (int c = Block - 1; c >= 0; --c) {
      T sum = b[c] * a[c * column];
#pragma GCC unroll 16
      for (int k = HalfBandwidth - c; k >= 1; --k) sum = mul_add(-a[c * column + k], window[c + k], sum);
      window[c] = sum;
      b[c] = sum;
    }
  }
};

}  // namespace ymir
