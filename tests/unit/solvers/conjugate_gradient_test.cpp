#include "ymir/solvers/conjugate_gradient.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "linear_problems.h"
#include "ymir/solvers/direct.h"

namespace ymir {
namespace {

using Preconditioner = std::function<void(std::span<const double>, std::span<double>)>;

struct NamedPreconditioner {
  std::string name;
  Preconditioner apply;
};

auto product_with(const SymmetricMatrix& a) {
  return [&a](std::span<const double> x, std::span<double> y) { a.multiply(x, y); };
}

Preconditioner factor_of(const SymmetricMatrix& a) {
  auto solver = std::make_shared<DirectSolver>();
  solver->analyze(a);
  EXPECT_TRUE(solver->factor(a));
  return [solver](std::span<const double> r, std::span<double> z) { solver->solve(r, z); };
}

std::vector<double> diagonal_of(const SymmetricMatrix& a) {
  std::vector<double> diagonal;
  diagonal.reserve(static_cast<std::size_t>(a.size()));
  for (std::int32_t j = 0; j < a.size(); ++j) diagonal.push_back(a.diagonal(j));
  return diagonal;
}

TEST(ConjugateGradient, SolvesEveryProblemWithEveryPreconditioner) {
  for (const LinearProblem& problem : definite_problems()) {
    const SymmetricMatrix& a = problem.matrix;
    const auto n = static_cast<std::size_t>(a.size());
    const std::vector<double> diagonal = diagonal_of(a), b = random_values(n, 1);
    std::vector<int> iterations;
    for (const auto& [name, precondition] : {NamedPreconditioner{"none", NoPreconditioner{}},
                                             NamedPreconditioner{"Jacobi", JacobiPreconditioner{diagonal}},
                                             NamedPreconditioner{"blocks", factor_of(block_diagonal(problem))},
                                             NamedPreconditioner{"factor", factor_of(a)}})
      for (const double relative : {1e-3, 1e-10}) {
        std::vector<double> x(n, 0.0), r(n);
        CgWorkspace workspace;
        const CgReport report = conjugate_gradient(product_with(a), precondition, b, x, workspace, {relative, 0, 5000});
        EXPECT_TRUE(report.converged) << problem.name << ", " << name;
        EXPECT_LE(report.residual, relative * norm_of(b));
        EXPECT_NEAR(report.residual, a.residual(b, x, r), 1e-14 * norm_of(b));
        if (relative < 1e-3) iterations.push_back(report.iterations);
      }
    EXPECT_LE(iterations[2], iterations[1]) << problem.name << ": blocks are no better than diagonals";
    EXPECT_LE(iterations[3], 2) << problem.name << ": the exact factor needs one iteration";
  }
}

TEST(ConjugateGradient, ReportsDirectionsOfNegativeCurvature) {
  const std::vector<Triplet> triplets{{0, 0, 1}, {1, 1, -2}, {2, 2, 3}};
  const SymmetricMatrix a(3, triplets);
  const std::vector<double> b{1, 1, 1};
  std::vector<double> x(3, 0.0), r(3);
  CgWorkspace workspace;
  const CgReport report = conjugate_gradient(product_with(a), NoPreconditioner{}, b, x, workspace);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.status, CgStatus::matrix_breakdown);
  EXPECT_LT(report.curvature, 0);
  EXPECT_TRUE(std::isfinite(norm_of(x)));
  EXPECT_NEAR(report.residual, a.residual(b, x, r), 1e-15);
}

TEST(ConjugateGradient, ReportsSingularMatricesWithoutDividingByZero) {
  const SymmetricMatrix zero(2, {});
  const std::vector<double> b{1, 2};
  std::vector<double> x(2, 0.0);
  CgWorkspace workspace;
  const CgReport report = conjugate_gradient(product_with(zero), NoPreconditioner{}, b, x, workspace);
  EXPECT_EQ(report.status, CgStatus::matrix_breakdown);
  EXPECT_EQ(x, (std::vector<double>{0, 0}));
}

TEST(ConjugateGradient, ReportsIndefinitePreconditioners) {
  const LinearProblem problem = laplacian(4);
  const std::vector<double> b = random_values(64, 2), minus(64, -1.0);
  std::vector<double> x(64, 0.0);
  CgWorkspace workspace;
  const CgReport report =
      conjugate_gradient(product_with(problem.matrix), JacobiPreconditioner{minus}, b, x, workspace);
  EXPECT_EQ(report.status, CgStatus::preconditioner_breakdown);
}

TEST(ConjugateGradient, ReportsValuesThatAreNotFinite) {
  const LinearProblem problem = laplacian(4);
  std::vector<double> b = random_values(64, 2), x(64, 0.0);
  b[5] = std::numeric_limits<double>::quiet_NaN();
  CgWorkspace workspace;
  EXPECT_EQ(conjugate_gradient(product_with(problem.matrix), NoPreconditioner{}, b, x, workspace).status,
            CgStatus::not_finite);
}

TEST(ConjugateGradient, StopsAtTheIterationLimitWithTheTrueResidual) {
  const LinearProblem problem = coupled_chains(20, 31, 1);
  const auto n = static_cast<std::size_t>(problem.matrix.size());
  const std::vector<double> b = random_values(n, 3);
  std::vector<double> x(n, 0.0), r(n);
  CgWorkspace workspace;
  const CgReport report =
      conjugate_gradient(product_with(problem.matrix), NoPreconditioner{}, b, x, workspace, {1e-10, 0, 7});
  EXPECT_EQ(report.status, CgStatus::too_many_iterations);
  EXPECT_EQ(report.iterations, 7);
  EXPECT_NEAR(report.residual, problem.matrix.residual(b, x, r), 1e-13 * norm_of(b));
}

TEST(ConjugateGradient, AdmitsThatAToleranceBelowRoundOffIsNotMet) {
  // The recurrence falls for ever, the true residual does not.
  const LinearProblem problem = coupled_chains(20, 31, 1);
  const auto n = static_cast<std::size_t>(problem.matrix.size());
  const std::vector<double> b = random_values(n, 3);
  std::vector<double> x(n, 0.0);
  CgWorkspace workspace;
  const CgReport report =
      conjugate_gradient(product_with(problem.matrix), factor_of(problem.matrix), b, x, workspace, {1e-25, 0, 5000});
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.status, CgStatus::stagnated);
  EXPECT_LT(report.residual, 1e-12 * norm_of(b));
}

TEST(ConjugateGradient, StopsAtTheAbsoluteTolerance) {
  const LinearProblem problem = laplacian(8);
  const std::vector<double> b = random_values(512, 4);
  std::vector<double> x(512, 0.0);
  CgWorkspace workspace;
  const CgReport coarse =
      conjugate_gradient(product_with(problem.matrix), NoPreconditioner{}, b, x, workspace, {0, 1e-2, 1000});
  EXPECT_TRUE(coarse.converged);
  EXPECT_LE(coarse.residual, 1e-2);
  const CgReport again =
      conjugate_gradient(product_with(problem.matrix), NoPreconditioner{}, b, x, workspace, {0, 1e-2, 1000});
  EXPECT_EQ(again.iterations, 0);  // the guess is good enough
}

TEST(ConjugateGradient, SolvesEmptySingleAndHomogeneousSystems) {
  CgWorkspace workspace;
  const SymmetricMatrix empty;
  EXPECT_TRUE(conjugate_gradient(product_with(empty), NoPreconditioner{}, {}, {}, workspace).converged);

  const std::vector<Triplet> four{{0, 0, 4}};
  const SymmetricMatrix single(1, four);
  const std::vector<double> b{2};
  std::vector<double> x{0};
  const CgReport report = conjugate_gradient(product_with(single), NoPreconditioner{}, b, x, workspace);
  EXPECT_EQ(report.iterations, 1);
  EXPECT_EQ(x[0], 0.5);

  const std::vector<double> zero{0};
  EXPECT_TRUE(conjugate_gradient(product_with(single), NoPreconditioner{}, zero, x, workspace).converged);
  EXPECT_EQ(x[0], 0);
}

TEST(ConjugateGradient, TakesAnInnerProductThatSpansRanks) {
  // Two ranks played by one: each vector holds both halves, the inner product adds them as an exchange would.
  const LinearProblem problem = laplacian(8);
  const std::vector<double> b = random_values(512, 5);
  std::vector<double> alone(512, 0.0), halves(512, 0.0);
  CgWorkspace workspace;
  int calls = 0;
  const auto summed = [&](std::span<const double> u, std::span<const double> v) {
    ++calls;
    return InnerProduct{}(u.first(200), v.first(200)) + InnerProduct{}(u.subspan(200), v.subspan(200));
  };
  const auto product = product_with(problem.matrix);
  conjugate_gradient(product, NoPreconditioner{}, b, alone, workspace, {1e-12});
  const CgReport report = conjugate_gradient(product, NoPreconditioner{}, b, halves, workspace, {1e-12}, summed);
  EXPECT_TRUE(report.converged);
  EXPECT_GE(calls, 3 * report.iterations);
  EXPECT_LT(distance(alone, halves), 1e-11 * norm_of(alone));
}

TEST(ConjugateGradient, KeepsAWorkspaceOfTheRightSize) {
  const LinearProblem problem = laplacian(6);
  const std::vector<double> b = random_values(216, 6);
  std::vector<double> x(216, 0.0);
  CgWorkspace workspace;
  workspace.resize(216);
  const double *r = workspace.r.data(), *q = workspace.q.data();
  conjugate_gradient(product_with(problem.matrix), NoPreconditioner{}, b, x, workspace);
  EXPECT_EQ(workspace.r.data(), r);
  EXPECT_EQ(workspace.q.data(), q);
}

TEST(InnerProduct, DoesNotDependOnTheThreadCount) {
  const std::vector<double> a = random_values(3'000'001, 7), b = random_values(3'000'001, 8);
  const int before = threads();
  set_threads(1);
  const double one = InnerProduct{}(a, b);
  set_threads(3);
  const double three = InnerProduct{}(a, b);
  set_threads(before);
  EXPECT_EQ(one, three);
  long double exact = 0;
  for (std::size_t i = 0; i < a.size(); ++i) exact += static_cast<long double>(a[i]) * b[i];
  EXPECT_NEAR(one, static_cast<double>(exact), 1e-9);
}

}  // namespace
}  // namespace ymir
