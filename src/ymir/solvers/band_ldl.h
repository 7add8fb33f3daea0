// LDL' factorisation of symmetric band matrices without pivoting, one matrix per lane of T. [Golub2013, 4.3]
//
// A matrix has n columns; column j stores the diagonal and `HalfBandwidth` entries below it, a[j][k] = A(j + k, j).
// Columns past the end are never touched: entries that would lie below the last row must be zero, and storage must have
// HalfBandwidth spare columns.
//
// Within a block of `Block` columns (the unknowns of one vertex) all columns end at the same row, so column c of a
// block has only HalfBandwidth - c entries; the rest are structurally zero and are skipped.
#pragma once

#include <cstddef>
#include <type_traits>

#include "ymir/math/portable.h"

namespace ymir {

template <class T, int Block, int HalfBandwidth>
struct BandLdl {
  static constexpr int column = HalfBandwidth + 1;  // values stored per column

  // In place: 1/D on the diagonal, L below. on_pivot(j, d) sees every pivot D(j, j) and returns the one to use.
  template <class OnPivot>
  static void factor(T* a, int blocks, OnPivot&& on_pivot) {
    for (int i = 0; i < blocks; ++i) factor_block(a, i, on_pivot, std::integral_constant<int, 0>{});
  }

  // b <- A^-1 b with a factored matrix; b has HalfBandwidth spare entries, which are zero.
  static void solve(const T* a, T* b, int blocks) {
    forward(a, b, blocks);
    backward(a, b, blocks);
  }

 private:
  template <class OnPivot, int C>
  static void factor_block(T* a, int i, OnPivot&& on_pivot, std::integral_constant<int, C>) {
    constexpr int below = HalfBandwidth - C;
    const int j = Block * i + C;
    T* p = a + static_cast<std::ptrdiff_t>(j) * column;
    const T inverse = 1.0 / on_pivot(j, p[0]);
    T l[static_cast<std::size_t>(below)];
    for (int k = 0; k < below; ++k) l[k] = p[k + 1] * inverse;
    for (int k = 0; k < below; ++k) {
      T* q = p + static_cast<std::ptrdiff_t>(k + 1) * column;
      const T factor = -l[k];
      for (int m = k; m < below; ++m) q[m - k] = mul_add(factor, p[m + 1], q[m - k]);
    }
    p[0] = inverse;
    for (int k = 0; k < below; ++k) p[k + 1] = l[k];
    if constexpr (C + 1 < Block) factor_block(a, i, on_pivot, std::integral_constant<int, C + 1>{});
  }

  static void forward(const T* a, T* b, int blocks) {
    for (int i = 0; i < blocks; ++i)
      for (int c = 0; c < Block; ++c) {
        const int j = Block * i + c;
        const T* p = a + static_cast<std::ptrdiff_t>(j) * column;
        const T factor = -b[j];
        for (int k = 1; k <= HalfBandwidth - c; ++k) b[j + k] = mul_add(factor, p[k], b[j + k]);
      }
  }

  static void backward(const T* a, T* b, int blocks) {
    for (int i = blocks - 1; i >= 0; --i)
      for (int c = Block - 1; c >= 0; --c) {
        const int j = Block * i + c;
        const T* p = a + static_cast<std::ptrdiff_t>(j) * column;
        T sum = b[j] * p[0];
        for (int k = 1; k <= HalfBandwidth - c; ++k) sum = mul_add(-p[k], b[j + k], sum);
        b[j] = sum;
      }
  }
};

}  // namespace ymir
