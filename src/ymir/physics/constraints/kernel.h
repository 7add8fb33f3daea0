// What a constraint kernel is: a stateless struct that models an energy C' S C, S diagonal. [Lesser2022, eq. 1]
//
// C depends on a few coordinates z, and each coordinate is one degree of freedom or the difference of two (an edge
// vector, an angle). Kernels written in differences conserve momentum by construction, and have smaller matrices.
//
//   K::rows, K::coordinates, K::dofs
//   K::chain                      constexpr std::array<Difference, coordinates>: z_k = q[plus] - q[minus]
//   K::Geometry<T>                all that is known at one configuration
//   K::value(g, c)                c[rows]                       C before the rest value is subtracted
//   K::gradient(g, j)             j[rows][coordinates]          dC/dz
//   K::add_curvature(g, y, h)     h[packed] += sum_a y_a d2C_a/dz2, lower triangle by rows: packed(a, b), a >= b
//
// Rest values p are parameters of every kernel: C = value - p, dC/dp = -1, so that forces are linear in p [6.3, inverse
// dynamics]. T is double or Lanes.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

namespace ymir {

struct Difference {
  int plus;
  int minus = -1;  // none: the coordinate is the degree of freedom itself
};

constexpr std::size_t packed(int row, int column) { return static_cast<std::size_t>(row * (row + 1) / 2 + column); }
constexpr std::size_t packed_size(int n) { return static_cast<std::size_t>(n * (n + 1) / 2); }

template <class K>
concept ConstraintKernel = requires(const typename K::template Geometry<double>& g, double* c,
                                    double (*j)[static_cast<std::size_t>(K::coordinates)], double* h) {
  { K::rows } -> std::convertible_to<int>;
  { K::dofs } -> std::convertible_to<int>;
  { K::chain.size() } -> std::convertible_to<std::size_t>;
  K::value(g, c);
  K::gradient(g, j);
  K::add_curvature(g, static_cast<const double*>(c), h);
};

}  // namespace ymir
