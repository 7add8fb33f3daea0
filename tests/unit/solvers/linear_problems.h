// Systems the linear solvers are tried on.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/solvers/sparse_matrix.h"

namespace ymir {

struct LinearProblem {
  std::string name;
  SymmetricMatrix matrix;
  std::int32_t block;  // unknowns per diagonal block
};

inline std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<double> values(count);
  for (double& v : values) v = random.uniform(-1, 1);
  return values;
}

inline double norm_of(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference(a);
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] -= b[i];
  return norm_of(difference);
}

// 7-point stencil on a cube with the value fixed around it.
inline LinearProblem laplacian(std::int32_t side) {
  std::vector<Triplet> triplets;
  const auto index = [&](std::int32_t x, std::int32_t y, std::int32_t z) { return x + side * (y + side * z); };
  for (std::int32_t z = 0; z < side; ++z)
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t x = 0; x < side; ++x) {
        triplets.push_back({index(x, y, z), index(x, y, z), 6});
        if (x > 0) triplets.push_back({index(x, y, z), index(x - 1, y, z), -1});
        if (y > 0) triplets.push_back({index(x, y - 1, z), index(x, y, z), -1});
        if (z > 0) triplets.push_back({index(x, y, z), index(x, y, z - 1), -1});
      }
  return {"laplacian", SymmetricMatrix(side * side * side, triplets), side};
}

// Random couplings made definite by diagonals above the sum of their row, and scaled unevenly.
inline LinearProblem random_definite(std::int32_t size, std::uint64_t seed) {
  Random random(seed, 1);
  std::vector<double> scale(static_cast<std::size_t>(size));
  for (double& s : scale) s = std::pow(10.0, random.uniform(-1, 1));
  std::vector<Triplet> triplets;
  const auto pick = [&] { return static_cast<std::int32_t>(random.uniform() * size); };
  for (std::int32_t k = 0; k < 4 * size; ++k) {
    const std::int32_t i = pick(), j = pick();
    if (i == j) continue;
    const double si = scale[static_cast<std::size_t>(i)], sj = scale[static_cast<std::size_t>(j)];
    const double v = random.uniform(-1, 1);
    triplets.push_back({i, j, v * si * sj});
    triplets.push_back({i, i, std::fabs(v) * si * si});
    triplets.push_back({j, j, std::fabs(v) * sj * sj});
  }
  for (std::int32_t i = 0; i < size; ++i) {
    const double s = scale[static_cast<std::size_t>(i)];
    triplets.push_back({i, i, 0.1 * s * s});
  }
  return {"random definite", SymmetricMatrix(size, triplets), 5};
}

// Stiff chains joined by a few springs, as strands by contacts: blocks on the diagonal, weak couplings off it.
inline LinearProblem coupled_chains(std::int32_t chains, std::int32_t length, double coupling) {
  std::vector<Triplet> triplets;
  const auto spring = [&](std::int32_t i, std::int32_t j, double k) {
    triplets.push_back({i, i, k});
    triplets.push_back({j, j, k});
    triplets.push_back({i, j, -k});
  };
  for (std::int32_t c = 0; c < chains; ++c)
    for (std::int32_t i = 0; i < length; ++i) {
      triplets.push_back({c * length + i, c * length + i, 1});
      if (i > 0) spring(c * length + i, c * length + i - 1, 1000);
    }
  Random random(7, 2);
  const std::int32_t n = chains * length;
  for (std::int32_t k = 0; k < 2 * chains; ++k) {
    const auto i = static_cast<std::int32_t>(random.uniform() * n), j = static_cast<std::int32_t>(random.uniform() * n);
    if (i / length != j / length) spring(i, j, coupling);
  }
  return {"coupled chains", SymmetricMatrix(n, triplets), length};
}

inline std::vector<LinearProblem> definite_problems() {
  std::vector<LinearProblem> problems;
  problems.push_back(laplacian(12));
  problems.push_back(random_definite(400, 3));
  problems.push_back(coupled_chains(20, 31, 1));
  return problems;
}

// The blocks of `block` unknowns on the diagonal, without what couples them.
inline SymmetricMatrix block_diagonal(const LinearProblem& problem) {
  const SymmetricMatrix& a = problem.matrix;
  std::vector<Triplet> triplets;
  for (std::int32_t j = 0; j < a.size(); ++j)
    for (auto k = static_cast<std::size_t>(a.starts()[static_cast<std::size_t>(j)]);
         k < static_cast<std::size_t>(a.starts()[static_cast<std::size_t>(j) + 1]); ++k)
      if (a.rows()[k] / problem.block == j / problem.block) triplets.push_back({a.rows()[k], j, a.values()[k]});
  return {a.size(), triplets};
}

}  // namespace ymir
