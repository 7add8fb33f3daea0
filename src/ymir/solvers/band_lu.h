// LU factorisation of band matrices with symmetric structure but not symmetric values, without pivoting, one matrix per
// lane of T. Stable where the symmetric part is positive definite. [Golub2013, 4.2 and 4.3]
//
// `lower` stores columns as band_ldl.h does, diagonal included; `upper` rows alike, upper[j][k] = A(j, j + k), its
// diagonal unused. Both have HalfBandwidth spare columns and the block profile of band_ldl.h.
#pragma once

#include <cstddef>
#include <type_traits>

#include "ymir/math/portable.h"

namespace ymir {

template <class T, int Block, int HalfBandwidth>
struct BandLu {
  static constexpr int column = HalfBandwidth + 1;

  // In place: 1/U(j, j) on the diagonal of `lower`, L below it, U in `upper`. on_pivot as in BandLdl.
  template <class OnPivot>
  static void factor(T* lower, T* upper, int blocks, OnPivot&& on_pivot) {
    for (int i = 0; i < blocks; ++i) factor_block(lower, upper, i, on_pivot, std::integral_constant<int, 0>{});
  }

  // b <- A^-1 b; b has HalfBandwidth spare entries, which are zero.
  static void solve(const T* lower, const T* upper, T* b, int blocks) {
    for (int i = 0; i < blocks; ++i)
      for (int c = 0; c < Block; ++c) {
        const int j = Block * i + c;
        const T* p = lower + static_cast<std::ptrdiff_t>(j) * column;
        const T factor = -b[j];
        for (int k = 1; k <= HalfBandwidth - c; ++k) b[j + k] = mul_add(factor, p[k], b[j + k]);
      }
    for (int i = blocks - 1; i >= 0; --i)
      for (int c = Block - 1; c >= 0; --c) {
        const int j = Block * i + c;
        const T* q = upper + static_cast<std::ptrdiff_t>(j) * column;
        T sum = b[j];
        for (int k = 1; k <= HalfBandwidth - c; ++k) sum = mul_add(-q[k], b[j + k], sum);
        b[j] = sum * lower[static_cast<std::ptrdiff_t>(j) * column];
      }
  }

 private:
  template <class OnPivot, int C>
  static void factor_block(T* lower, T* upper, int i, OnPivot&& on_pivot, std::integral_constant<int, C>) {
    constexpr int below = HalfBandwidth - C;
    const int j = Block * i + C;
    T* p = lower + static_cast<std::ptrdiff_t>(j) * column;
    const T* u = upper + static_cast<std::ptrdiff_t>(j) * column;
    const T inverse = 1.0 / on_pivot(j, p[0]);
    for (int k = 1; k <= below; ++k) p[k] = p[k] * inverse;
    for (int m = 1; m <= below; ++m) {
      T* q = lower + static_cast<std::ptrdiff_t>(j + m) * column;  // column j + m
      T* r = upper + static_cast<std::ptrdiff_t>(j + m) * column;  // row j + m
      const T by_column = -u[m], by_row = -p[m];
      for (int k = m; k <= below; ++k) q[k - m] = mul_add(by_column, p[k], q[k - m]);
      for (int k = m + 1; k <= below; ++k) r[k - m] = mul_add(by_row, u[k], r[k - m]);
    }
    p[0] = inverse;
    if constexpr (C + 1 < Block) factor_block(lower, upper, i, on_pivot, std::integral_constant<int, C + 1>{});
  }
};

}  // namespace ymir
