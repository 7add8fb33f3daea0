#include <gtest/gtest.h>

#include <cmath>

#include "linear_problems.h"
#include "poisson_case.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/amg/algebraic_solver.h"

namespace ymir {
namespace {

using bench::PoissonCase;
using bench::PoissonGeometry;

AlgebraicSystem system_of(PoissonGeometry geometry, int n, std::vector<double>* b = nullptr) {
  PoissonCase problem(geometry, n);
  TilePoisson tiles(problem.volume);
  tiles.set_matrix(problem.coefficient, problem.cell);
  if (b != nullptr) tiles.take_rows(problem.b, *b);
  return tiles.assemble();
}

CsrMatrix rows_of(const SymmetricMatrix& a) {
  std::vector<std::vector<std::pair<std::int32_t, double>>> rows(static_cast<std::size_t>(a.size()));
  CsrMatrix m;
  m.row_sums.assign(rows.size(), 0);
  for (std::size_t j = 0; j < rows.size(); ++j)
    for (auto k = static_cast<std::size_t>(a.starts()[j]); k < static_cast<std::size_t>(a.starts()[j + 1]); ++k) {
      const auto i = static_cast<std::size_t>(a.rows()[k]);
      m.row_sums[i] += a.values()[k];
      if (i == j) continue;
      m.row_sums[j] += a.values()[k];
      rows[i].emplace_back(static_cast<std::int32_t>(j), a.values()[k]);
      rows[j].emplace_back(static_cast<std::int32_t>(i), a.values()[k]);
    }
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      m.columns.push_back(column);
      m.values.push_back(static_cast<float>(value));
      m.exact.push_back(value);
    }
    m.starts.push_back(static_cast<std::int32_t>(m.columns.size()));
  }
  return m;
}

double inner(const std::vector<double>& a, const std::vector<double>& b) { return InnerProduct{}(a, b); }

CgReport solve(AlgebraicSystem system, AlgebraicMethod method, const AmgOptions& options, const std::vector<double>& b,
               std::vector<double>& x, double tolerance = 1e-6) {
  Communicator alone;
  AlgebraicSolver solver(alone);
  solver.set_system(std::move(system));
  solver.choose(method, options);
  x.assign(b.size(), 0);
  return solver.solve(b, x, {.relative = tolerance, .max_iterations = 200});
}

constexpr AmgOptions split_v{.sweeps = 2}, split_w{.sweeps = 2, .w_cycle = true};

struct Counts {
  PoissonGeometry geometry;
  int smoothed, split_v, split_w;  // at most
};

TEST(Amg, NeedsFewIterationsOnGeometriesThatAreHardForBlocks) {
  // Method notes C, 3: split V and W 12/9, 9/7, 8/7, 20/8, 42/17 at 64^3; theirs differ in places.
  for (const Counts& expected :
       {Counts{PoissonGeometry::pockets, 12, 9, 7}, Counts{PoissonGeometry::comb, 12, 9, 7},
        Counts{PoissonGeometry::sheet, 12, 8, 7}, Counts{PoissonGeometry::serpentine, 12, 14, 9},
        Counts{PoissonGeometry::sheets, 13, 17, 9}, Counts{PoissonGeometry::bubbles, 12, 50, 30},
        Counts{PoissonGeometry::drops, 12, 9, 8}, Counts{PoissonGeometry::random, 30, 43, 43}}) {
    std::vector<double> b, x;
    const AlgebraicSystem system = system_of(expected.geometry, 32, &b);
    const auto iterations = [&](AlgebraicMethod method, const AmgOptions& options) {
      const CgReport report = solve(system, method, options, b, x);
      EXPECT_TRUE(report.converged);
      return report.iterations;
    };
    EXPECT_LE(iterations(AlgebraicMethod::smoothed, {}), expected.smoothed);
    EXPECT_LE(iterations(AlgebraicMethod::split, split_v), expected.split_v);
    EXPECT_LE(iterations(AlgebraicMethod::split, split_w), expected.split_w);
  }
}

TEST(Amg, GrowsLittleWithTheGrid) {
  std::vector<double> b, x;
  const AlgebraicSystem system = system_of(PoissonGeometry::cut_sphere, 64, &b);
  EXPECT_LE(solve(system, AlgebraicMethod::smoothed, {}, b, x).iterations, 15);
  EXPECT_LE(solve(system, AlgebraicMethod::smoothed, {.wide = false}, b, x).iterations, 13);
}

TEST(Amg, IsASymmetricPreconditioner) {
  for (const PoissonGeometry geometry :
       {PoissonGeometry::cut_sphere, PoissonGeometry::random, PoissonGeometry::sheets}) {
    const AlgebraicSystem system = system_of(geometry, 32);
    const std::size_t n = system.matrix.row_sums.size();
    ASSERT_GT(n, 2 * 8192u);  // several blocks of rows
    const std::vector<double> u = random_values(n, 1), v = random_values(n, 2);
    std::vector<double> mu(n), mv(n);
    AmgHierarchy smoothed, split;
    smoothed.build(system.matrix);
    split.build_split(system.matrix, system.cells, split_w);
    for (AmgHierarchy* m : {&smoothed, &split}) {
      m->apply(u, mu);
      m->apply(v, mv);
      EXPECT_NEAR(inner(u, mv), inner(v, mu), 2e-6 * std::sqrt(inner(u, u) * inner(mv, mv)));
      EXPECT_GT(inner(u, mu), 0);
    }
  }
}

TEST(Amg, IsLinearInItsArgument) {
  const AlgebraicSystem system = system_of(PoissonGeometry::cut_sphere, 32);
  const std::size_t n = system.matrix.row_sums.size();
  std::vector<double> u = random_values(n, 1), mu(n), scaled(n);
  AmgHierarchy m;
  m.build(system.matrix);
  m.apply(u, mu);
  for (double& value : u) value *= std::ldexp(1.0, -300);
  m.apply(u, scaled);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(scaled[i], std::ldexp(mu[i], -300));
}

TEST(Amg, KeepsConstantsOnEveryLevel) {
  // In a closed box row sums vanish exactly, so they do on coarser levels, and constants are not seen.
  const AlgebraicSystem system = system_of(PoissonGeometry::closed_box, 32);
  const std::size_t n = system.matrix.row_sums.size();
  const std::vector<double> ones(n, 0.1);
  std::vector<double> y(n);
  system.matrix.multiply(ones, y);
  for (const double value : y) ASSERT_EQ(value, 0.0);
  AmgHierarchy m;
  m.build(system.matrix);
  EXPECT_GE(m.levels(), 3);
  for (int l = 0; l + 1 < m.levels(); ++l)
    for (std::int32_t i = 0; i < m.level(l).rows; ++i) {
      double sum = 0;
      m.level(l).prolong.for_each(i, [&](std::int32_t, float value) { sum += static_cast<double>(value); });
      ASSERT_NEAR(sum, 1, 1e-6);
    }
  for (int l = 0; l < m.levels(); ++l)
    for (std::int32_t i = 0; i < m.level(l).rows; ++i) ASSERT_EQ(m.level(l).row_sum(i), 0.0f);
}

TEST(Amg, SolvesEveryClosedPocketUpToItsMean) {
  std::vector<double> b, x, y;
  const AlgebraicSystem system = system_of(PoissonGeometry::pockets, 32, &b);
  const CgReport report = solve(system, AlgebraicMethod::smoothed, {}, b, x, 1e-10);
  EXPECT_TRUE(report.converged);
  std::vector<double> sums(30, 0), means(30, 0);
  std::vector<int> rows(30, 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const std::int32_t c = system.closed[i]; c >= 0) {
      sums[static_cast<std::size_t>(c)] += x[i];
      means[static_cast<std::size_t>(c)] += b[i];
      ++rows[static_cast<std::size_t>(c)];
    }
  for (const double sum : sums) EXPECT_NEAR(sum, 0, 1e-8);
  y.resize(x.size());
  system.matrix.multiply(x, y);
  double rest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int32_t c = system.closed[i];
    const double mean = c < 0 ? 0 : means[static_cast<std::size_t>(c)] / rows[static_cast<std::size_t>(c)];
    rest += (b[i] - mean - y[i]) * (b[i] - mean - y[i]);
  }
  EXPECT_LE(std::sqrt(rest), 1.01e-10 * norm_of(b));
}

TEST(Amg, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  std::vector<double> b, x, expected;
  const AlgebraicSystem system = system_of(PoissonGeometry::pockets, 64, &b);
  for (const AlgebraicMethod method : {AlgebraicMethod::smoothed, AlgebraicMethod::split}) {
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      solve(system, method, method == AlgebraicMethod::split ? split_w : AmgOptions{}, b, x);
      if (count == 1) expected = x;
      EXPECT_EQ(x, expected);
    }
  }
  set_threads(before);
}

TEST(Amg, AdaptsToOtherValuesInTheSameStructure) {
  std::vector<double> b, x;
  AlgebraicSystem box = system_of(PoissonGeometry::box, 32), bubbles = system_of(PoissonGeometry::bubbles, 32, &b);
  ASSERT_EQ(box.matrix.columns, bubbles.matrix.columns);
  Communicator alone;
  AlgebraicSolver solver(alone);
  solver.set_system(box);
  solver.choose(AlgebraicMethod::smoothed, {});
  x.assign(b.size(), 0);
  solver.solve(b, x, {});
  const auto iterations = [&] {
    x.assign(b.size(), 0);
    const CgReport report = solver.solve(b, x, {});
    EXPECT_TRUE(report.converged);
    std::vector<double> y(b.size());
    bubbles.matrix.multiply(x, y);
    EXPECT_LT(distance(y, b), 1.01e-6 * norm_of(b));
    return report.iterations;
  };
  solver.set_system(bubbles, true);
  const int adapted = iterations();
  solver.set_system(bubbles);
  EXPECT_LE(iterations(), 12);
  EXPECT_LE(adapted, 60);  // aggregates that ignore where the density jumps
}

TEST(Amg, SolvesGeneralMatrices) {
  for (const LinearProblem& problem : definite_problems()) {
    const auto n = static_cast<std::size_t>(problem.matrix.size());
    const std::vector<double> b = random_values(n, 5);
    std::vector<double> x, r(n);
    const CgReport report = solve({rows_of(problem.matrix), {}, {}}, AlgebraicMethod::smoothed, {}, b, x, 1e-10);
    EXPECT_TRUE(report.converged) << problem.name;
    EXPECT_LE(problem.matrix.residual(b, x, r), 1.01e-10 * norm_of(b)) << problem.name;
    EXPECT_LE(report.iterations, 60) << problem.name;
  }
}

// Small displacements of a cube of springs between neighbours, also across diagonals: three unknowns per node.
SymmetricMatrix spring_cube(int side, std::vector<double>& vectors) {
  std::vector<Triplet> triplets;
  const auto node = [&](Vec3i v) { return v.x + side * (v.y + side * v.z); };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const Vec3i a{x, y, z};
        // Translations and turns about the axes.
        for (int c = 0; c < 3; ++c) {
          const double turns[3][3] = {
              {0., double(-z), double(y)}, {double(z), 0., double(-x)}, {double(-y), double(x), 0.}};
          for (int k = 0; k < 3; ++k) vectors.push_back(k == c ? 1 : 0);
          for (int k = 0; k < 3; ++k) vectors.push_back(turns[k][c]);
          triplets.push_back({3 * node(a) + c, 3 * node(a) + c, z == 0 ? 1.0 : 0.0});  // held at the bottom
        }
        for (int d = 14; d < 27; ++d) {
          const Vec3i step = Vec3i{d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1}, b = a + step;
          if (b.x < 0 || b.y < 0 || b.z < 0 || b.x >= side || b.y >= side || b.z >= side) continue;
          const double square = step.x * step.x + step.y * step.y + step.z * step.z;
          const double along[3] = {double(step.x), double(step.y), double(step.z)};
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              const double k = along[i] * along[j] / square;
              if (i >= j) {
                triplets.push_back({3 * node(a) + i, 3 * node(a) + j, k});
                triplets.push_back({3 * node(b) + i, 3 * node(b) + j, k});
              }
              triplets.push_back({3 * node(b) + i, 3 * node(a) + j, -k});
            }
        }
      }
  return {3 * side * side * side, triplets};
}

TEST(Amg, NeedsTheRotationsOfElasticBodies) {
  std::vector<double> vectors;
  const SymmetricMatrix matrix = spring_cube(12, vectors);
  const CsrMatrix rows = rows_of(matrix);
  const auto n = static_cast<std::size_t>(matrix.size());
  const std::vector<double> b = random_values(n, 3);
  const auto iterations = [&](AmgHierarchy& m) {
    std::vector<double> x(n, 0), r(n);
    CgWorkspace w;
    const CgReport report = conjugate_gradient(
        [&](std::span<const double> p, std::span<double> q) { rows.multiply(p, q); },
        [&](std::span<const double> p, std::span<double> q) { m.apply(p, q); }, b, x, w, {.relative = 1e-8});
    EXPECT_TRUE(report.converged);
    EXPECT_LE(matrix.residual(b, x, r), 1.01e-8 * norm_of(b));
    return report.iterations;
  };
  AmgHierarchy with, without;
  with.build(rows, 6, vectors, 3);
  without.build(rows);
  EXPECT_GE(with.levels(), 2);
  const int few = iterations(with);
  EXPECT_LE(few, 30);
  EXPECT_GT(iterations(without), few);
}

TEST(Amg, LeavesRowsWithoutLinksAlone) {
  // Two linked rows, one with a diagonal only, one with nothing.
  CsrMatrix m;
  m.starts = {0, 1, 2, 2, 2};
  m.columns = {1, 0};
  m.values = {-1, -1};
  m.row_sums = {0.5, 0, 4, 0};
  std::vector<double> x;
  const CgReport report = solve({m, {}, {}}, AlgebraicMethod::smoothed, {}, {1, 0, 8, 0}, x, 1e-12);
  EXPECT_TRUE(report.converged);
  EXPECT_NEAR(x[0], 2, 1e-10);
  EXPECT_NEAR(x[1], 2, 1e-10);
  EXPECT_NEAR(x[2], 2, 1e-10);
  EXPECT_EQ(x[3], 0.0);
}

TEST(Amg, JoinsCellsThatBlocksKeepApartAtFirst) {
  // Pairs of cells, each pair across the border of two blocks, weakly tied to the outside.
  AlgebraicSystem system;
  CsrMatrix& m = system.matrix;
  constexpr int pairs = 3000;
  for (int i = 0; i < 2 * pairs; ++i) {
    m.columns.push_back(i ^ 1);
    m.values.push_back(-1);
    m.starts.push_back(i + 1);
    m.row_sums.push_back(i % 2 == 0 ? 1e-5 : 0);
    system.cells.push_back({4 * (i / 2) + 1 + i % 2, 0, 0});
  }
  std::vector<double> x;
  const std::vector<double> b = random_values(2 * pairs, 9);
  const CgReport report = solve(system, AlgebraicMethod::split, split_w, b, x);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 10);
}

TEST(Amg, AnswersAnEmptySystem) {
  std::vector<double> x;
  EXPECT_TRUE(solve({}, AlgebraicMethod::smoothed, {}, {}, x).converged);
  EXPECT_TRUE(solve({}, AlgebraicMethod::split, {}, {}, x).converged);
}

TEST(AlgebraicSolver, SolvesDirectlyWithClosedPockets) {
  std::vector<double> b, x, y;
  const AlgebraicSystem system = system_of(PoissonGeometry::pockets, 24, &b);
  const CgReport report = solve(system, AlgebraicMethod::direct, {}, b, x, 1e-12);
  EXPECT_TRUE(report.converged);
  solve(system, AlgebraicMethod::smoothed, {}, b, y, 1e-11);
  EXPECT_LT(distance(x, y), 1e-8 * norm_of(y));
}

}  // namespace
}  // namespace ymir
