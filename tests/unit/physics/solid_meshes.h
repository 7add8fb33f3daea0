// Boxes of solid elements and their global matrices, for tests.
#pragma once

#include <Eigen/Sparse>
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "ymir/physics/elements/deformed_volume.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"
#include "ymir/physics/hyperelastic/mixed_neo_hookean.h"
#include "ymir/physics/hyperelastic/stable_neo_hookean.h"

namespace ymir {

template <class Element>
struct SolidMesh {
  std::vector<Vec3d> rest;
  std::vector<std::array<int, Element::nodes>> cells;
};

// A box with a corner at the origin, split into cells along each axis.
struct BoxGrid {
  Vec3i cells;
  Vec3d size;

  int node(int i, int j, int k) const { return (i * (cells.y + 1) + j) * (cells.z + 1) + k; }
  std::vector<Vec3d> positions() const {
    std::vector<Vec3d> x;
    for (int i = 0; i <= cells.x; ++i)
      for (int j = 0; j <= cells.y; ++j)
        for (int k = 0; k <= cells.z; ++k)
          x.push_back({size.x * i / cells.x, size.y * j / cells.y, size.z * k / cells.z});
    return x;
  }
  bool on_boundary(const Vec3d& x) const {
    for (int a = 0; a < 3; ++a)
      if (x[a] < 1e-9 || x[a] > size[a] - 1e-9) return true;
    return false;
  }
};

inline SolidMesh<Hexahedron> hexahedra(const BoxGrid& grid) {
  SolidMesh<Hexahedron> mesh{grid.positions(), {}};
  for (int i = 0; i < grid.cells.x; ++i)
    for (int j = 0; j < grid.cells.y; ++j)
      for (int k = 0; k < grid.cells.z; ++k) {
        std::array<int, 8> cell{};
        for (std::size_t a = 0; a < 8; ++a) {
          const Vec3d c = Hexahedron::corner[a];
          cell[a] = grid.node(i + (c.x > 0), j + (c.y > 0), k + (c.z > 0));
        }
        mesh.cells.push_back(cell);
      }
  return mesh;
}

enum class Split { kuhn, five };  // six tetrahedra round a diagonal; five, mirrored from cell to cell

inline SolidMesh<Tetrahedron> tetrahedra(const BoxGrid& grid, Split split) {
  SolidMesh<Tetrahedron> mesh{grid.positions(), {}};
  for (int i = 0; i < grid.cells.x; ++i)
    for (int j = 0; j < grid.cells.y; ++j)
      for (int k = 0; k < grid.cells.z; ++k) {
        const auto add = [&](std::array<Vec3i, 4> at) {
          if (split == Split::five && (i + j + k) % 2 == 1)
            for (Vec3i& c : at) c.x = 1 - c.x;
          const Vec3i e = at[1] - at[0], f = at[2] - at[0], g = at[3] - at[0];
          if (dot(cross(e, f), g) < 0) std::swap(at[1], at[2]);
          std::array<int, 4> cell{};
          for (std::size_t a = 0; a < 4; ++a) cell[a] = grid.node(i + at[a].x, j + at[a].y, k + at[a].z);
          mesh.cells.push_back(cell);
        };
        if (split == Split::kuhn) {
          // One tetrahedron for each order of the axes on the way from (0, 0, 0) to (1, 1, 1).
          std::array<int, 3> order{0, 1, 2};
          do {
            Vec3i a{}, b;
            a[order[0]] = 1;
            b = a;
            b[order[1]] = 1;
            add({Vec3i{0, 0, 0}, a, b, Vec3i{1, 1, 1}});
          } while (std::next_permutation(order.begin(), order.end()));
        } else {
          // The four corners of odd parity are cut off.
          const std::array<Vec3i, 4> even{{{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
          add(even);
          for (const Vec3i& tip : {Vec3i{1, 0, 0}, Vec3i{0, 1, 0}, Vec3i{0, 0, 1}, Vec3i{1, 1, 1}}) {
            std::array<Vec3i, 4> cut{tip};
            std::size_t n = 1;
            for (const Vec3i& c : even)
              if (dot(c - tip, c - tip) == 1) cut[n++] = c;
            add(cut);
          }
        }
      }
  return mesh;
}

inline SolidMesh<QuadraticTetrahedron> quadratic(const SolidMesh<Tetrahedron>& linear) {
  SolidMesh<QuadraticTetrahedron> mesh{linear.rest, {}};
  std::map<std::pair<int, int>, int> middle;
  for (const auto& corners : linear.cells) {
    std::array<int, 10> cell{};
    std::copy(corners.begin(), corners.end(), cell.begin());
    for (std::size_t k = 0; k < 6; ++k) {
      const int a = cell[static_cast<std::size_t>(QuadraticTetrahedron::edge[k][0])],
                b = cell[static_cast<std::size_t>(QuadraticTetrahedron::edge[k][1])];
      const auto [at, added] = middle.try_emplace(std::minmax(a, b), static_cast<int>(mesh.rest.size()));
      if (added)
        mesh.rest.push_back((linear.rest[static_cast<std::size_t>(a)] + linear.rest[static_cast<std::size_t>(b)]) *
                            0.5);
      cell[4 + k] = at->second;
    }
    mesh.cells.push_back(cell);
  }
  return mesh;
}

// Force (dE/dx) and matrix of one element whose pressure is one number, from the mean of J (Q1P0).
template <class Element>
void assemble_mean_pressure(const Vec3d* x, const RestGradients<Element, double>& rest, const Lame<double>& l,
                            double* f, double* h) {
  constexpr int n = 3 * Element::nodes;
  double whole = 0, d[n] = {};
  for (const double w : rest.weight) whole += w;
  const double pressure = l.lambda * (deformed_volume(x, rest, d) / whole - 1);
  const MixedNeoHookean::Parameters<double> p{l.mu, 0, pressure};
  assemble_element<MixedNeoHookean, Element>(x, rest, p, f, h);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) h[packed(i, j)] += l.lambda / whole * d[i] * d[j];
}

enum class Pressure { at_points, mean };

// Residual dE/dx and matrix d2E/dx2 of a whole mesh of stable neo-Hookean elements.
template <class Element>
Eigen::SparseMatrix<double> assemble_mesh(const SolidMesh<Element>& mesh, const std::vector<Vec3d>& x,
                                          const Lame<double>& l, Pressure pressure, Eigen::VectorXd& residual) {
  constexpr int n = 3 * Element::nodes;
  const auto size = static_cast<Eigen::Index>(3 * x.size());
  residual = Eigen::VectorXd::Zero(size);
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& cell : mesh.cells) {
    Vec3d here[Element::nodes], rest[Element::nodes];
    for (int a = 0; a < Element::nodes; ++a) {
      const auto node = static_cast<std::size_t>(cell[static_cast<std::size_t>(a)]);
      here[a] = x[node], rest[a] = mesh.rest[node];
    }
    const auto gradients = rest_gradients<Element>(rest);
    double f[n] = {}, h[packed_size(n)] = {};
    if (pressure == Pressure::mean)
      assemble_mean_pressure<Element>(here, gradients, l, f, h);
    else
      assemble_element<StableNeoHookean, Element>(here, gradients, StableNeoHookean::from_lame(l), f, h);
    const auto dof = [&](int i) { return 3 * cell[static_cast<std::size_t>(i / 3)] + i % 3; };
    for (int i = 0; i < n; ++i) {
      residual(dof(i)) += f[i];
      for (int j = 0; j < n; ++j) entries.emplace_back(dof(i), dof(j), h[packed(std::max(i, j), std::min(i, j))]);
    }
  }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// The rows and columns of `matrix` that are kept, in their order.
inline Eigen::SparseMatrix<double> restricted(const Eigen::SparseMatrix<double>& matrix, const std::vector<int>& kept) {
  std::vector<int> place(static_cast<std::size_t>(matrix.rows()), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) place[static_cast<std::size_t>(kept[i])] = static_cast<int>(i);
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < matrix.outerSize(); ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator at(matrix, c); at; ++at) {
      const int row = place[static_cast<std::size_t>(at.row())], column = place[static_cast<std::size_t>(c)];
      if (row >= 0 && column >= 0) entries.emplace_back(row, column, at.value());
    }
  const auto size = static_cast<Eigen::Index>(kept.size());
  Eigen::SparseMatrix<double> out(size, size);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

}  // namespace ymir
