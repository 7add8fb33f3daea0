// The soft cube that every program of the comparison solves for: it hangs by its top, a Newton iteration from rest of
// the implicit step (M/dt^2 + K) x = M g, with K of linear tetrahedra and M lumped.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "measure.h"

namespace peers {

struct HangingCube {
  static constexpr double size = 0.2, young = 5e4, nu = 0.45, density = 1000, dt = 1.0 / 48, gravity = 9.81;
  static constexpr double tolerance = 1e-6;  // of |b - A x| / |b|, where solvers iterate

  int side;  // cubes along an edge, six tetrahedra each
  std::vector<std::array<double, 3>> positions;
  std::vector<std::array<int, 4>> cells;

  explicit HangingCube(int n) : side(n) {
    const int row = n + 1;
    const auto node = [&](int i, int j, int k) { return (k * row + j) * row + i; };
    for (int k = 0; k < row; ++k)
      for (int j = 0; j < row; ++j)
        for (int i = 0; i < row; ++i) positions.push_back({i * (size / n), j * (size / n), k * (size / n)});
    constexpr std::array<std::array<int, 4>, 6> split{
        {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          const std::array<int, 8> corner{
              node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
              node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
          for (const auto& t : split)
            cells.push_back({corner[static_cast<std::size_t>(t[0])], corner[static_cast<std::size_t>(t[1])],
                             corner[static_cast<std::size_t>(t[2])], corner[static_cast<std::size_t>(t[3])]});
        }
  }
  bool held(int node) const { return node / (side + 1) % (side + 1) == side; }
  double volume() const { return size * size * size / static_cast<double>(cells.size()); }  // of a cell
};

// Assembly in place of setup; displacements by node, for the script to compare.
inline void report(const Result& r, const std::vector<double>& x, const char* to) {
  std::FILE* file = std::fopen(to, "wb");
  if (file == nullptr || std::fwrite(x.data(), sizeof(double), x.size(), file) != x.size() || std::fclose(file) != 0) {
    std::fprintf(stderr, "%s: cannot be written\n", to);
    std::exit(1);
  }
  print(r);
}

}  // namespace peers
