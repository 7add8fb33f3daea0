// Entries of the inverse of a band matrix within the band, from a factor of band_ldl.h: no more work than the factor.
//
//   Z = A^-1,  Z(j, i) = -sum_k L(k, i) Z(k, j),  Z(i, i) = 1/D(i) - sum_k L(k, i) Z(k, i),  k, j = i + 1 .. end of
//   column i
//
// [Takahashi, Fagan, Chin 1973: from Z L = L'^-1 D^-1, whose part below the diagonal vanishes]
#pragma once

#include <algorithm>
#include <cstddef>

namespace ymir {

template <class T, int Block, int HalfBandwidth>
struct BandInverse {
  static constexpr int column = HalfBandwidth + 1;

  // z: columns as those of the factor, lower triangle.
  static void within_band(const T* factor, T* z, int blocks) {
    const int rows = Block * blocks;
    const auto at = [&](T* of, int row, int col) -> T& {
      return of[static_cast<std::ptrdiff_t>(col) * column + row - col];
    };
    for (int i = rows - 1; i >= 0; --i) {
      const T* l = factor + static_cast<std::ptrdiff_t>(i) * column;
      const int reach = std::min(HalfBandwidth - i % Block, rows - 1 - i);
      T diagonal = l[0];
      for (int j = 1; j <= reach; ++j) {
        T sum = T::all(0);
        for (int k = 1; k <= reach; ++k) sum = mul_add(-l[k], at(z, i + std::max(j, k), i + std::min(j, k)), sum);
        at(z, i + j, i) = sum;
        diagonal = mul_add(-l[j], sum, diagonal);
      }
      at(z, i, i) = diagonal;
    }
  }
};

}  // namespace ymir
