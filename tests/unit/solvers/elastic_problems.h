// Linear elastic beams of tetrahedra with their inertia, M/dt^2 + K, as matrices of 3x3 blocks.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solvers/block_matrix.h"

namespace ymir {

struct ElasticBeam {
  int across = 4;  // cubes of six tetrahedra
  int along = 4;   // times as many
  double side = 0.1;
  double nu = 0.3;
  double inertia = 1e-3;  // of a cube / (Young's modulus times its edge)
  bool clamped = true;    // nodes at the beginning are given
  std::function<double(Vec3d)> young = [](Vec3d) { return 1e5; };

  std::vector<Vec3d> positions;
  std::vector<std::int32_t> cells;
  std::vector<std::uint8_t> held;
  BlockMatrix matrix;

  void build() {
    const int nx = across * along, n = across;
    const double edge = side / n;
    const auto node = [&](int i, int j, int k) { return (k * (n + 1) + j) * (nx + 1) + i; };
    for (int k = 0; k <= n; ++k)
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= nx; ++i) {
          positions.push_back(Vec3d{1.0 * i, 1.0 * j, 1.0 * k} * edge);
          held.push_back(clamped && i == 0 ? 1 : 0);
        }
    constexpr std::array<std::array<int, 4>, 6> split{
        {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < nx; ++i) {
          const std::array<int, 8> corner{
              node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
              node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
          for (const auto& t : split)
            for (const int a : t) cells.push_back(corner[static_cast<std::size_t>(a)]);
        }
    const BlockMatrix::Elements list[] = {{cells, 4}};
    matrix = BlockMatrix(static_cast<std::int32_t>(positions.size()), list);
    assemble();
  }

  // Rigid motion of the whole; the matrix turns with it.
  void move(const std::function<Vec3d(Vec3d)>& to) {
    for (Vec3d& p : positions) p = to(p);
    assemble();
  }

  void assemble() {
    matrix.clear();
    for (std::size_t e = 0; e < cells.size(); e += 4) add_cell(cells.data() + e);
    matrix.hold(held);
  }

 private:
  void add_cell(const std::int32_t* c) {
    const auto x = [&](int a) { return positions[static_cast<std::size_t>(c[a])]; };
    const Vec3d u = x(1) - x(0), v = x(2) - x(0), w = x(3) - x(0);
    const double six = dot(cross(u, v), w), volume = six / 6;
    std::array<Vec3d, 4> g{Vec3d{0, 0, 0}, cross(v, w) / six, cross(w, u) / six, cross(u, v) / six};
    g[0] = (g[1] + g[2] + g[3]) * -1.0;
    const double e = young((x(0) + x(1) + x(2) + x(3)) * 0.25);
    const double mu = e / (2 * (1 + nu)), lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
    const double edge = std::cbrt(6 * volume);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        if (c[a] < c[b]) continue;
        double* block = matrix.block(matrix.slot(c[a], c[b]));
        const Vec3d ga = g[static_cast<std::size_t>(a)], gb = g[static_cast<std::size_t>(b)];
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 3; ++s)
            block[3 * r + s] +=
                volume * (lambda * ga[r] * gb[s] + mu * gb[r] * ga[s] + (r == s ? mu * dot(ga, gb) : 0));
        if (a == b)
          for (int r = 0; r < 3; ++r) block[4 * r] += inertia * e * edge / 24;
      }
  }
};

}  // namespace ymir
