// Where the packed Hessian of an element of a kernel goes in the matrix of its degrees of freedom, at compile time.
#pragma once

#include <array>
#include <cstddef>

#include "ymir/physics/constraints/kernel.h"

namespace ymir {

// Sum of h_ab over the degrees of freedom behind coordinates a and b, at compile time: emit(row, column, sign, packed
// index) for every entry of the lower triangle.
template <class K, class Emit>
constexpr void for_each_entry(Emit&& emit) {
  const auto pair = [&](int a, int b) {
    const Difference da = K::chain[static_cast<std::size_t>(a)], db = K::chain[static_cast<std::size_t>(b)];
    const int u[2] = {da.plus, da.minus}, v[2] = {db.plus, db.minus};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        if (u[i] < 0 || v[j] < 0) continue;
        const double sign = i == j ? 1 : -1;
        if (a == b && u[i] < v[j]) continue;  // the transpose comes too
        if (a != b && u[i] == v[j])
          emit(u[i], v[j], 2 * sign, packed(a, b));
        else
          emit(u[i] > v[j] ? u[i] : v[j], u[i] > v[j] ? v[j] : u[i], sign, packed(a, b));
      }
  };
  for (int a = 0; a < K::coordinates; ++a)
    for (int b = 0; b <= a; ++b) pair(a, b);
}

// The same as a table, so that scattering unrolls.
struct ScatterEntry {
  int row, column;
  double sign;
  std::size_t from;
};
template <class K>
struct ScatterTable {
  static constexpr std::size_t size = [] {
    std::size_t n = 0;
    for_each_entry<K>([&](int, int, double, std::size_t) { ++n; });
    return n;
  }();
  static constexpr std::array<ScatterEntry, size> entries = [] {
    std::array<ScatterEntry, size> table{};
    std::size_t n = 0;
    for_each_entry<K>([&](int row, int column, double sign, std::size_t from) {
      table[n++] = {row, column, sign, from};
    });
    return table;
  }();
};

}  // namespace ymir
