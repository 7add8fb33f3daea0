// A quadratic form C'WC minimised over some of its rows: what remains is the Schur complement on the others.
#pragma once

#include <array>

#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"
#include "ymir/physics/constraints/kernel.h"

namespace ymir {

// W positive semi-definite, lower triangle packed by rows. gone[k] 1: minimised over row k, 0: kept. Rows that are gone
// are left as zeros.
template <int N, class T>
YMIR_HD std::array<T, packed_size(N)> minimised_over(std::array<T, packed_size(N)> w, const T* gone) {
  for (int k = 0; k < N; ++k) {
    const auto row_gone = gone[k] > 0.5;
    T column[N];
    for (int a = 0; a < N; ++a) column[a] = w[a >= k ? packed(a, k) : packed(k, a)];
    const T inverse = select(row_gone & (column[k] > T{}), 1.0 / column[k], T{});
    for (int a = 0; a < N; ++a)
      for (int b = 0; b <= a; ++b) {
        T& entry = w[packed(a, b)];
        entry = a == k || b == k ? select(row_gone, T{}, entry) : entry - column[a] * column[b] * inverse;
      }
  }
  return w;
}

}  // namespace ymir
