#include "ymir/solvers/poisson/pressure_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "poisson_case.h"
#include "ymir/base/random.h"
#include "ymir/data/volume_accessor.h"

namespace ymir::bench {
namespace {

std::vector<double> values(const PoissonCase& problem) {
  const double* first = problem.volume.tiles(problem.x);
  return {first, first + 512 * std::ptrdiff_t{problem.volume.buckets().local_count()}};
}

TEST(PressureSolver, StaysWithMultigridWhereThatIsFast) {
  PoissonCase problem(PoissonGeometry::cut_sphere, 32);
  PressureSolver solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  const PoissonReport report = solver.solve(problem.b, problem.x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.solver, "V(2,2)");
  EXPECT_TRUE(solver.algebraic().empty());
}

TEST(PressureSolver, TurnsToSplitAggregatesWhereWallsAreThin) {
  PoissonCase problem(PoissonGeometry::serpentine, 64);
  PressureSolver solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  const PoissonReport first = solver.solve(problem.b, problem.x);
  EXPECT_TRUE(first.converged);
  EXPECT_LE(first.residual, 1e-6);
  EXPECT_EQ(first.solver, "split W(2,2)");
  EXPECT_LE(first.iterations, 40);
  // From then on directly.
  problem.clear_solution();
  const PoissonReport second = solver.solve(problem.b, problem.x);
  EXPECT_TRUE(second.converged);
  EXPECT_LE(second.iterations, 12);
}

TEST(PressureSolver, TurnsToSmoothedAggregationWhereThatIsSlowToo) {
  // Coefficients that jump by six orders of magnitude from face to face.
  PoissonCase problem(PoissonGeometry::box, 32);
  fill(problem.volume, problem.coefficient, [&](int, Vec3i v, int axis) {
    Vec3i low = v;
    --low[axis];
    const auto inside = [](Vec3i p) { return std::min({p.x, p.y, p.z}) >= 0 && std::max({p.x, p.y, p.z}) < 32; };
    if (!inside(low) || !(inside(v) || v.y == 32)) return 0.f;
    const auto at = static_cast<std::uint64_t>(v.x + 100 * (v.y + 100 * (v.z + 100 * axis)));
    return static_cast<float>(std::pow(10, Random(5, at).uniform(-6, 0)));
  });
  PressureSolver solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  const PoissonReport report = solver.solve(problem.b, problem.x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.solver, "SA-AMG");
}

TEST(PressureSolver, AgreesWithItselfByAnyMethod) {
  for (const PoissonGeometry geometry : {PoissonGeometry::pockets, PoissonGeometry::bubbles}) {
    PoissonCase problem(geometry, 24);
    std::vector<double> expected;
    for (const PressureMethod method : {PressureMethod::multigrid, PressureMethod::split, PressureMethod::amg,
                                        PressureMethod::direct, PressureMethod::automatic}) {
      PressureSolver solver(problem.volume, method);
      problem.clear_solution();
      solver.set_matrix(problem.coefficient, problem.cell);
      const PoissonReport report = solver.solve(problem.b, problem.x, {.tolerance = 1e-10});
      EXPECT_TRUE(report.converged) << static_cast<int>(method);
      EXPECT_LE(report.residual, 1e-10);
      const std::vector<double> found = values(problem);
      if (expected.empty()) expected = found;
      double most = 0, scale = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        most = std::max(most, std::abs(found[i] - expected[i]));
        scale = std::max(scale, std::abs(expected[i]));
      }
      EXPECT_LT(most, 1e-7 * scale);
    }
  }
}

TEST(PressureSolver, KeepsWhatItBuiltWhenOnlyValuesChange) {
  PoissonCase problem(PoissonGeometry::comb, 32);
  PressureSolver solver(problem.volume, PressureMethod::amg);
  solver.set_matrix(problem.coefficient, problem.cell);
  const int fresh = solver.solve(problem.b, problem.x).iterations;
  const VolumeView<float> c[3] = {{problem.volume, problem.coefficient, 0},
                                  {problem.volume, problem.coefficient, 1},
                                  {problem.volume, problem.coefficient, 2}};
  const auto scaled = problem.volume.add_channel<float>("scaled", {.sampling = Sampling::face});
  fill(problem.volume, scaled, [&](int l, Vec3i v, int axis) { return 3 * c[axis].value(l, v); });
  solver.set_matrix(scaled, problem.cell);
  problem.clear_solution();
  const PoissonReport report = solver.solve(problem.b, problem.x);
  EXPECT_TRUE(report.converged);
  EXPECT_NEAR(report.iterations, fresh, 1);
}

TEST(PressureSolver, TriesMultigridAgainAfterSomeTopologies) {
  PoissonCase problem(PoissonGeometry::serpentine, 64);
  PressureSolver solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  EXPECT_NE(solver.solve(problem.b, problem.x).solver, "V(2,2)");
  const PoissonCase other(PoissonGeometry::box, 64);
  const auto view = [&](int axis) { return VolumeView<float>(other.volume, other.coefficient, axis); };
  // Unlike the one before, each.
  std::string last;
  for (int n = 0; n < 12; ++n) {
    fill(problem.volume, problem.cell,
         [](int, Vec3i v, int) -> std::uint8_t { return v.x < 64 && v.y < 64 && v.z < 64; });
    fill(problem.volume, problem.coefficient, [&](int l, Vec3i v, int axis) {
      return v == Vec3i{4, n + 2, 4} ? 0.f : view(axis).value(l, v);
    });
    problem.set_random_right_side();
    problem.clear_solution();
    solver.set_matrix(problem.coefficient, problem.cell);
    const PoissonReport report = solver.solve(problem.b, problem.x);
    EXPECT_TRUE(report.converged);
    last = report.solver;
  }
  EXPECT_EQ(last, "V(2,2)");
}

TEST(PressureSolver, ReportsARightSideThatIsNotFinite) {
  PoissonCase problem(PoissonGeometry::sphere, 32);
  fill(problem.volume, problem.b, [&](int, Vec3i v, int) {
    return v == Vec3i{9, 1, 30} ? std::numeric_limits<double>::quiet_NaN() : 0.5;
  });
  for (const PressureMethod method : {PressureMethod::automatic, PressureMethod::amg}) {
    PressureSolver solver(problem.volume, method);
    solver.set_matrix(problem.coefficient, problem.cell);
    const PoissonReport report = solver.solve(problem.b, problem.x);
    EXPECT_FALSE(report.finite);
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.not_finite, (BucketCoord{1, 0, 3, 0}));
  }
}

}  // namespace
}  // namespace ymir::bench
