#include "ymir/solvers/direct.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linear_problems.h"
#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

std::vector<DirectBackend> backends() {
  std::vector<DirectBackend> all{DirectBackend::eigen};
  if (has_cholmod()) all.push_back(DirectBackend::cholmod);
  return all;
}

std::vector<double> solved(DirectSolver& solver, const SymmetricMatrix& a, const std::vector<double>& b) {
  solver.analyze(a);
  EXPECT_TRUE(solver.factor(a)) << solver.name();
  std::vector<double> x(b.size());
  solver.solve(b, x);
  return x;
}

// Saddle point system of a chain whose `links` neighbours are held together by multipliers of compliance c.
SymmetricMatrix saddle_point(std::int32_t size, std::int32_t links, double compliance, double stiffness) {
  std::vector<Triplet> triplets;
  for (std::int32_t i = 0; i < size; ++i) triplets.push_back({i, i, stiffness});
  for (std::int32_t i = 1; i < size; ++i) triplets.push_back({i, i - 1, -0.4});
  for (std::int32_t k = 0; k < links; ++k) {
    triplets.push_back({size + k, k, -1});
    triplets.push_back({size + k, k + 1, 1});
    triplets.push_back({size + k, size + k, -compliance});
  }
  return {size + links, triplets};
}

TEST(DirectSolver, SolvesEveryProblemWithEveryBackend) {
  for (const LinearProblem& problem : definite_problems())
    for (const DirectBackend backend : backends()) {
      DirectSolver solver(backend);
      const std::vector<double> b = random_values(static_cast<std::size_t>(problem.matrix.size()), 5);
      const std::vector<double> x = solved(solver, problem.matrix, b);
      std::vector<double> r(b.size());
      EXPECT_LT(problem.matrix.residual(b, x, r), 1e-13 * norm_of(b)) << problem.name << ", " << solver.name();
    }
}

TEST(DirectSolver, BackendsAgree) {
  if (!has_cholmod()) GTEST_SKIP() << "built without CHOLMOD";
  for (const LinearProblem& problem : definite_problems()) {
    const std::vector<double> b = random_values(static_cast<std::size_t>(problem.matrix.size()), 6);
    DirectSolver eigen(DirectBackend::eigen), cholmod(DirectBackend::cholmod);
    const std::vector<double> x = solved(eigen, problem.matrix, b), y = solved(cholmod, problem.matrix, b);
    EXPECT_LT(distance(x, y), 1e-12 * norm_of(x)) << problem.name;
    EXPECT_NE(eigen.name(), cholmod.name());
  }
}

TEST(DirectSolver, TakesCholmodWhereItCan) {
  EXPECT_EQ(DirectSolver().name(), DirectSolver(backends().back()).name());
  EXPECT_EQ(DirectSolver(DirectBackend::automatic, Definiteness::indefinite).name(),
            DirectSolver(DirectBackend::eigen).name());
  if (!has_cholmod()) {
    EXPECT_THROW(DirectSolver{DirectBackend::cholmod}, Error);
  }
}

TEST(DirectSolver, FactorsNewValuesWithTheOldAnalysis) {
  const LinearProblem problem = laplacian(8);
  SymmetricMatrix a = problem.matrix;
  const std::vector<double> b = random_values(static_cast<std::size_t>(a.size()), 8);
  for (const DirectBackend backend : backends()) {
    DirectSolver solver(backend);
    solver.analyze(problem.matrix);
    for (const double shift : {0.5, -1.0, 3.0}) {  // -1: fails in between
      a = problem.matrix;
      for (std::int32_t j = 0; j < a.size(); ++j)
        a.values()[static_cast<std::size_t>(a.starts()[static_cast<std::size_t>(j)])] += shift;
      ASSERT_EQ(solver.factor(a), shift > 0) << solver.name() << ", shift " << shift;
      if (shift < 0) continue;
      std::vector<double> x(b.size()), r(b.size());
      solver.solve(b, x);
      EXPECT_LT(a.residual(b, x, r), 1e-13 * norm_of(b));
    }
  }
}

TEST(DirectSolver, SolvesInPlace) {
  const LinearProblem problem = random_definite(100, 9);
  for (const DirectBackend backend : backends()) {
    DirectSolver solver(backend);
    std::vector<double> b = random_values(100, 10);
    const std::vector<double> x = solved(solver, problem.matrix, b);
    solver.solve(b, b);
    EXPECT_EQ(b, x);
  }
}

TEST(DirectSolver, ReportsTheRowOfTheFirstBadPivot) {
  // A row that nothing couples is the bad pivot whatever the order, which is not the given one: the hub 0 goes last.
  for (const double bad :
       {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const DirectBackend backend : backends()) {
      std::vector<Triplet> triplets;
      for (std::int32_t i = 0; i < 20; ++i) triplets.push_back({i, i, i == 13 ? bad : 30.0});
      for (std::int32_t i = 1; i < 20; ++i)
        if (i != 13) triplets.push_back({i, 0, -1.0});
      const SymmetricMatrix a(20, triplets);
      DirectSolver solver(backend);
      solver.analyze(a);
      EXPECT_FALSE(solver.factor(a)) << solver.name() << ", " << bad;
      EXPECT_EQ(solver.report().bad_pivot, 13) << solver.name() << ", " << bad;
      std::vector<double> x(20);
      EXPECT_THROW(solver.solve(x, x), CheckFailed);
    }
}

TEST(DirectSolver, RefusesIndefiniteMatrices) {
  for (const DirectBackend backend : backends()) {
    for (LinearProblem& problem : definite_problems()) {
      // A coupling stronger than its diagonals makes one negative eigenvalue.
      std::size_t j = 0;
      while (problem.matrix.starts()[j + 1] - problem.matrix.starts()[j] < 2) ++j;
      problem.matrix.values()[static_cast<std::size_t>(problem.matrix.starts()[j]) + 1] = 1e4;
      DirectSolver solver(backend);
      solver.analyze(problem.matrix);
      EXPECT_FALSE(solver.factor(problem.matrix)) << solver.name() << ", " << problem.name;
      EXPECT_GE(solver.report().bad_pivot, 0);
    }
    // Large enough for CHOLMOD to go supernodal.
    LinearProblem large = laplacian(22);
    large.matrix.values()[static_cast<std::size_t>(large.matrix.starts()[5000])] = -6;
    DirectSolver solver(backend);
    solver.analyze(large.matrix);
    EXPECT_FALSE(solver.factor(large.matrix)) << solver.name();
    EXPECT_GE(solver.report().bad_pivot, 0);
  }
}

TEST(DirectSolver, HandlesEmptyAndSingleSystems) {
  for (const DirectBackend backend : backends()) {
    DirectSolver solver(backend);
    EXPECT_TRUE(solved(solver, SymmetricMatrix(), {}).empty());
    EXPECT_EQ(solver.factor_entries(), 0);
    const std::vector<Triplet> four{{0, 0, 4}};
    EXPECT_EQ(solved(solver, SymmetricMatrix(1, four), {2}), std::vector<double>{0.5});
    EXPECT_EQ(solver.factor_entries(), 1);
  }
}

TEST(DirectSolver, RefusesAMatrixItHasNotAnalysed) {
  DirectSolver solver;
  EXPECT_THROW(solver.factor(SymmetricMatrix()), CheckFailed);
  solver.analyze(laplacian(3).matrix);
  EXPECT_THROW(solver.factor(laplacian(4).matrix), CheckFailed);
}

TEST(DirectSolver, SolvesSaddlePointsAndCountsTheirMultipliers) {
  for (const double compliance : {0.0, 1e-12, 1e-2})
    for (const std::int32_t links : {0, 1, 25, 49}) {
      const SymmetricMatrix a = saddle_point(50, links, compliance, 1.0);
      DirectSolver solver(DirectBackend::eigen, Definiteness::indefinite);
      const std::vector<double> b = random_values(static_cast<std::size_t>(a.size()), 11);
      std::vector<double> x = solved(solver, a, b), r(b.size());
      EXPECT_EQ(solver.report().negative_pivots, links) << compliance;
      EXPECT_LT(a.residual(b, x, r), 1e-11 * norm_of(b)) << compliance << ", " << links;
      const double refined = solver.solve_refined(a, b, x);
      EXPECT_LT(refined, 1e-13 * norm_of(b)) << compliance << ", " << links;
      EXPECT_EQ(refined, a.residual(b, x, r));
    }
}

TEST(DirectSolver, CountsTheNegativeEigenvaluesOfAnIndefiniteBlock) {
  // Stiffness 0.5, coupling -0.4: eigenvalues 0.5 - 0.8 cos(k pi / 51).
  std::int32_t negative = 0;
  for (int k = 1; k <= 50; ++k) negative += 0.5 - 0.8 * std::cos(k * std::acos(-1.0) / 51) < 0;
  DirectSolver solver(DirectBackend::eigen, Definiteness::indefinite);
  const SymmetricMatrix a = saddle_point(50, 0, 0, 0.5);
  solver.analyze(a);
  EXPECT_TRUE(solver.factor(a));
  EXPECT_EQ(solver.report().negative_pivots, negative);
}

TEST(DirectSolver, ReportsDependentConstraints) {
  // The same constraint twice, without compliance: singular.
  const std::vector<Triplet> triplets{{0, 0, 1}, {1, 1, 1}, {2, 0, 1}, {2, 1, -1}, {3, 0, 1}, {3, 1, -1}};
  const SymmetricMatrix a(4, triplets);
  DirectSolver solver(DirectBackend::eigen, Definiteness::indefinite);
  solver.analyze(a);
  EXPECT_FALSE(solver.factor(a));
  EXPECT_GE(solver.report().bad_pivot, 2);
}

}  // namespace
}  // namespace ymir
