// Soft bodies whose linear systems conjugate gradients with smoothed aggregation solve, against the factor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "soft_run.h"
#include "ymir/base/hash.h"
#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

MeshObject::Description with(LinearSolver solver, double tolerance = 1e-7) {
  MeshObject::Description d = SoftRun::description(tolerance, 1000);
  d.solver = solver;
  return d;
}

double farthest(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, norm(a[i] - b[i]));
  return most;
}

// Newton's method ends at the same place whatever solves its systems; what is left of it is the tolerance, 1e-7 of an
// edge, times the condition of the body.
TEST(LargeBody, MovesAsWithTheFactor) {
  for (const CellShape shape : {CellShape::tetrahedron, CellShape::hexahedron, CellShape::quadratic_tetrahedron})
    for (const double nu : {0.3, 0.49}) {
      const Vec3i cells = shape == CellShape::quadratic_tetrahedron ? Vec3i{6, 2, 2} : Vec3i{12, 4, 4};
      std::vector<std::vector<Vec3d>> ends;
      std::vector<int> newton;
      for (const LinearSolver solver : {LinearSolver::direct, LinearSolver::cg}) {
        SoftRun run(block(shape, cells, {0.3, 0.1, 0.1}), {5e4, nu}, with(solver));
        run.gravity({0, -9.81, 0});
        run.hold([](Vec3d x) { return x.x == 0; });
        run.start();
        int iterations = 0;
        for (int k = 0; k < 6; ++k) iterations += run.step(1.0 / 24);
        newton.push_back(iterations);
        ends.push_back(run.object().positions());
        EXPECT_EQ(run.object().report().cg_iterations > 0, solver == LinearSolver::cg);
        EXPECT_EQ(run.object().report().direct_solves, 0);
      }
      EXPECT_LT(farthest(ends[0], ends[1]), 1e-5 * 0.025) << static_cast<int>(shape) << " " << nu;
      EXPECT_LE(newton[1], newton[0] + 2) << static_cast<int>(shape) << " " << nu;
    }
}

TEST(LargeBody, SizeDecidesUnlessTheUserDoes) {
  for (const int across : {10, 16}) {  // 1331 and 4913 nodes
    SoftRun run(block(CellShape::tetrahedron, {across, across, across}, {0.1, 0.1, 0.1}), {5e4, 0.3},
                with(LinearSolver::automatic, 1e-4));
    run.gravity({0, -9.81, 0});
    run.hold([](Vec3d x) { return x.y == 0; });
    run.start();
    run.step(1.0 / 24);
    EXPECT_EQ(run.object().report().cg_iterations > 0, across == 16);
  }
}

// Kicked so that cells invert: curvature is negative, which conjugate gradients tell as pivots do, and Newton's method
// goes the same way. Momentum stays.
TEST(LargeBody, SurvivesNegativeCurvature) {
  for (const CellShape shape : {CellShape::tetrahedron, CellShape::hexahedron}) {
    std::vector<int> newton;
    for (const LinearSolver solver : {LinearSolver::direct, LinearSolver::cg}) {
      SoftRun run(block(shape, {6, 6, 6}, {0.1, 0.1, 0.1}), {5e4, 0.45}, with(solver, 1e-6));
      run.start();
      Random random(3, 0);
      for (Vec3d& v : run.object().velocities())
        v = Vec3d{random.uniform(-2, 3), random.uniform(-2, 2), random.uniform(-3, 2)} * 1.5;
      const Vec3d before = run.momentum();
      newton.push_back(run.step(1.0 / 96));
      for (int k = 0; k < 9; ++k) run.step(1.0 / 96);
      EXPECT_LT(norm(run.momentum() - before), 1e-4 * norm(before));
    }
    EXPECT_GE(newton[0], 10) << "no negative curvature";
    EXPECT_NEAR(newton[1], newton[0], 2);
  }
}

// Linear tetrahedra that are all but incompressible: too many iterations, the factor takes over and the report says so.
TEST(LargeBody, FactorTakesOverWhereIterationsAreTooMany) {
  std::vector<std::vector<Vec3d>> ends;
  for (const LinearSolver solver : {LinearSolver::direct, LinearSolver::automatic}) {
    SoftRun run(block(CellShape::tetrahedron, {16, 16, 16}, {0.1, 0.1, 0.1}), {5e4, 0.4999}, with(solver, 1e-6));
    run.gravity({0, -9.81, 0});
    run.hold([](Vec3d x) { return x.y == 0; });
    run.start();
    run.step(1.0 / 24);
    EXPECT_EQ(run.object().report().direct_solves > 0, solver == LinearSolver::automatic);
    ends.push_back(run.object().positions());
  }
  EXPECT_LT(farthest(ends[0], ends[1]), 1e-5 * 0.1 / 16);
}

TEST(LargeBody, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  std::vector<std::uint64_t> hashes;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    SoftRun run(block(CellShape::hexahedron, {10, 10, 10}, {0.1, 0.1, 0.1}), {5e4, 0.45}, with(LinearSolver::cg));
    run.gravity({0, -9.81, 0});
    run.hold([](Vec3d x) { return x.y == 0; });
    run.start();
    for (int k = 0; k < 3; ++k) run.step(1.0 / 24);
    hashes.push_back(run.object().hash());
  }
  set_threads(before);
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

// One cell, and a body all of whose nodes are held.
TEST(LargeBody, SmallestBodies) {
  for (const bool all_held : {false, true}) {
    SoftRun run(block(CellShape::hexahedron, {1, 1, 1}, {0.1, 0.1, 0.1}), {5e4, 0.3}, with(LinearSolver::cg));
    run.gravity({0, -9.81, 0});
    if (all_held) run.hold([](Vec3d) { return true; });
    run.start();
    for (int k = 0; k < 3; ++k) run.step(1.0 / 24);
    const double fall = all_held ? 0 : 9.81 * (1 + 2 + 3) / (24.0 * 24.0);
    EXPECT_NEAR(run.object().positions()[0].y, -fall, 1e-9);
  }
}

}  // namespace
}  // namespace ymir
