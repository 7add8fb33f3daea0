// Sparse Cholesky of cubes of nodes (27-point stencil, 3x3 blocks): BlockCholesky next to CHOLMOD (supernodal) and
// Eigen's SimplicialLDLT. Built by hand, in the root of the repository:
//   g++ -std=c++20 -O3 -march=x86-64-v3 -ffp-contract=off -fno-math-errno -fopenmp -Isrc -I/usr/include/eigen3
//     -I/usr/include/suitesparse benchmarks/kernels/block_cholesky.cpp
//     src/ymir/solvers/{block_cholesky,dense_cholesky,nested_dissection,supernodes,minimum_separator,block_matrix,sparse_matrix}.cpp
//     src/ymir/parallel/threads.cpp src/ymir/base/{log,plain_text}.cpp -lcholmod -lfmt -o block_cholesky
//   ./block_cholesky [tet] [side ...]
// Each figure is the smallest of three. Eigen is left out where its factor would take minutes.
#include "ymir/solvers/block_cholesky.h"

#include <cholmod.h>
#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// Seconds on the clock, and of all processors: on a busy machine the second says more, for one thread.
struct Seconds {
  double wall = 1e300, cpu = 1e300;
};

template <class F>
Seconds best_of_three(F&& body) {
  using Clock = std::chrono::steady_clock;
  Seconds best;
  for (int k = 0; k < 3; ++k) {
    const auto start = Clock::now();
    const std::clock_t ticks = std::clock();
    body();
    best.cpu = std::min(best.cpu, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    best.wall = std::min(best.wall, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// Springs along and across every pair of nodes that share a cell, and a little mass.
BlockMatrix cube(std::int32_t side, bool tetrahedra) {
  const auto index = [&](int x, int y, int z) { return x + side * (y + side * z); };
  std::vector<std::int32_t> cells;
  for (int z = 0; z + 1 < side; ++z)
    for (int y = 0; y + 1 < side; ++y)
      for (int x = 0; x + 1 < side; ++x) {
        if (!tetrahedra) {
          for (int k = 0; k < 8; ++k) cells.push_back(index(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)));
          continue;
        }
        const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (const auto& path : axes) {
          int corner[3] = {x, y, z};
          cells.push_back(index(x, y, z));
          for (const int axis : path) {
            ++corner[axis];
            cells.push_back(index(corner[0], corner[1], corner[2]));
          }
        }
      }
  const BlockMatrix::Elements list[] = {{cells, tetrahedra ? 4 : 8}};
  BlockMatrix a(side * side * side, list);
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (int r = 0; r < 3; ++r) a.diagonal(j)[4 * r] += 0.01;
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (std::int32_t s = a.starts()[static_cast<std::size_t>(j)] + 1; s < a.starts()[static_cast<std::size_t>(j) + 1];
         ++s) {
      const std::int32_t i = a.rows()[static_cast<std::size_t>(s)];
      const double d[3] = {static_cast<double>(i % side - j % side),
                           static_cast<double>(i / side % side - j / side % side),
                           static_cast<double>(i / side / side - j / side / side)};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const double k = d[r] * d[c] + (r == c ? 0.1 : 0.0);
          a.block(s)[3 * r + c] -= k;
          a.diagonal(i)[3 * r + c] += k;
          a.diagonal(j)[3 * r + c] += k;
        }
    }
  return a;
}

void report(const std::string& name, Seconds analysis, Seconds factor, double flops, double entries, Seconds solve,
            const BlockMatrix& a, const std::vector<double>& b, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  a.multiply(x.data(), y.data());
  double residual = 0, scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    residual = std::max(residual, std::abs(y[i] - b[i]));
    scale = std::max(scale, std::abs(x[i]));
  }
  double largest = 0;
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (int r = 0; r < 3; ++r) largest = std::max(largest, a.diagonal(j)[4 * r]);
  fmt::print(
      "  {:<22} analysis {:8.4f} s  factor {:8.4f} s {:5.1f} GFlop/s (cpu {:8.4f} s {:5.1f})  solve {:7.4f} s (cpu "
      "{:7.4f})  L {:6.1f} M  {:7.2f} GFlop  residual {:.1e}\n",
      name, analysis.wall, factor.wall, flops / factor.wall * 1e-9, factor.cpu, flops / factor.cpu * 1e-9, solve.wall,
      solve.cpu, entries * 1e-6, flops * 1e-9, residual / (largest * scale));
  std::fflush(stdout);
}

void run_ours(const BlockMatrix& a, const std::vector<double>& b, int count) {
  set_threads(count);
  BlockCholesky ours;
  std::vector<double> x(b.size());
  const Seconds analysis = best_of_three([&] { ours.analyze(a); });
  const Seconds factor = best_of_three([&] {
    if (!ours.factor(a)) std::exit(1);
  });
  const Seconds solve = best_of_three([&] { ours.solve(b.data(), x.data()); });
  report(fmt::format("Ymir, {} thread(s)", count), analysis, factor, ours.flops(),
         static_cast<double>(ours.factor_entries()), solve, a, b, x);
}

void run_cholmod(const BlockMatrix& a, const std::vector<double>& b) {
  SymmetricMatrix scalars = a.scalar_pattern();
  a.copy_to(scalars);
  cholmod_common common{};
  cholmod_start(&common);
  common.supernodal = CHOLMOD_SUPERNODAL;
  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<std::size_t>(scalars.size());
  view.nzmax = scalars.values().size();
  view.p = const_cast<std::int32_t*>(scalars.starts().data());
  view.i = const_cast<std::int32_t*>(scalars.rows().data());
  view.x = scalars.values().data();
  view.stype = -1;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;
  cholmod_factor* factor = nullptr;
  const Seconds analysis = best_of_three([&] {
    cholmod_free_factor(&factor, &common);
    factor = cholmod_analyze(&view, &common);
  });
  const Seconds seconds = best_of_three([&] { cholmod_factorize(&view, factor, &common); });
  cholmod_dense right{};
  right.nrow = right.nzmax = right.d = b.size();
  right.ncol = 1;
  std::vector<double> copy = b;
  right.x = copy.data();
  right.xtype = CHOLMOD_REAL;
  right.dtype = CHOLMOD_DOUBLE;
  cholmod_dense *solution = nullptr, *work = nullptr, *more = nullptr;
  const Seconds solve = best_of_three(
      [&] { cholmod_solve2(CHOLMOD_A, factor, &right, nullptr, &solution, nullptr, &work, &more, &common); });
  const auto* values = static_cast<const double*>(solution->x);
  report("CHOLMOD", analysis, seconds, common.fl, common.lnz, solve, a, b, {values, values + b.size()});
  cholmod_free_dense(&solution, &common);
  cholmod_free_dense(&work, &common);
  cholmod_free_dense(&more, &common);
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
}

void run_eigen(const BlockMatrix& a, const std::vector<double>& b) {
  SymmetricMatrix scalars = a.scalar_pattern();
  a.copy_to(scalars);
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;
  const Matrix matrix =
      Eigen::Map<const Matrix>(scalars.size(), scalars.size(), static_cast<Eigen::Index>(scalars.values().size()),
                               scalars.starts().data(), scalars.rows().data(), scalars.values().data());
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower> ldlt;
  const Seconds analysis = best_of_three([&] { ldlt.analyzePattern(matrix); });
  const Seconds factor = best_of_three([&] { ldlt.factorize(matrix); });
  const Eigen::Map<const Eigen::VectorXd> right(b.data(), static_cast<Eigen::Index>(b.size()));
  Eigen::VectorXd x;
  const Seconds solve = best_of_three([&] { x = ldlt.solve(right); });
  const Matrix& l = ldlt.matrixL().nestedExpression();
  double flops = 0;
  for (Eigen::Index j = 0; j < l.cols(); ++j) {
    const double column = static_cast<double>(l.outerIndexPtr()[j + 1] - l.outerIndexPtr()[j]) + 1;
    flops += column * column;
  }
  report("Eigen SimplicialLDLT", analysis, factor, flops, static_cast<double>(l.nonZeros() + l.cols()), solve, a, b,
         {x.data(), x.data() + x.size()});
}

}  // namespace
}  // namespace ymir

int main(int count, char** arguments) {
  std::vector<std::int32_t> sides;
  bool tetrahedra = false;
  for (int k = 1; k < count; ++k) {
    if (std::string(arguments[k]) == "tet")
      tetrahedra = true;
    else
      sides.push_back(std::atoi(arguments[k]));
  }
  if (sides.empty()) sides = {10, 20, 30, 40};
  for (const std::int32_t side : sides) {
    const ymir::BlockMatrix a = ymir::cube(side, tetrahedra);
    std::vector<double> b(3 * static_cast<std::size_t>(a.nodes()));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i));
    fmt::print("{}^3 nodes, {} blocks, {}\n", side, a.block_count(), tetrahedra ? "tetrahedra" : "hexahedra");
    ymir::run_ours(a, b, 1);
    ymir::run_ours(a, b, 2);
    ymir::set_threads(1);
    ymir::run_cholmod(a, b);
    if (side <= 20) ymir::run_eigen(a, b);
  }
}
