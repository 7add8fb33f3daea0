// Gas at a wall that it may leave: the projection does not hold it there, and still stops it from flowing in.
#include <gtest/gtest.h>

#include <algorithm>

#include "ymir/fluid/gas_boundary.h"
#include "ymir/fluid/projection.h"

namespace ymir {
namespace {

constexpr double h = 0.125, floor_height = 0.5;  // [m]; a tile is 1 m

// Gas in a shaft over a floor at floor_height, open above. Returns the velocities along the shaft after projection of a
// uniform one.
std::vector<double> velocities(Wall wall, double speed, ProjectionReport& report) {
  Communicator alone;
  GasGrid grid(h, alone);
  GasBoundary boundary;
  boundary.add(GasSolid{[](Vec3d x) { return DistanceSample{x.y - floor_height, {0, 1, 0}}; }, 1.0, {}, wall});
  boundary.set_box({{{0, 0, 0}, {1, 2, 1}}, {true, true, false, false, true, true}});
  grid.set_wanted(tiles_in(grid.domain(), {{0.1, 0.1, 0.1}, {0.9, 1.9, 0.9}}));
  boundary.update(grid, 0, 1);
  EXPECT_EQ(grid.non_stick.valid(), wall == Wall::non_stick);
  Projection projection(grid);
  fill(grid.volume(), grid.velocity, [&](int, Vec3i, int axis) { return axis == 1 ? static_cast<float>(speed) : 0.f; });
  report = projection.project(grid.velocity, 1, {1e-8, 200});
  const VolumeView<float> u(grid.volume(), grid.velocity, 1);
  std::vector<double> result;
  for (int j = 5; j <= 15; ++j) result.push_back(static_cast<double>(u.value(0, {3, j, 4})));
  return result;
}

TEST(NonStickWall, LetsGasLeaveButNotEnter) {
  ProjectionReport report;
  for (const double u : velocities(Wall::free_slip, 1, report)) EXPECT_NEAR(u, 0, 1e-5);
  EXPECT_TRUE(report.solve.converged);

  const std::vector<double> leaving = velocities(Wall::non_stick, 1, report);
  EXPECT_TRUE(report.solve.converged);
  for (const double u : leaving) EXPECT_NEAR(u, 1, 1e-5);
  EXPECT_LT(report.divergence, 1e-5);  // the gap at the wall is none

  for (const double u : velocities(Wall::non_stick, -1, report)) EXPECT_NEAR(u, 0, 1e-5);
  EXPECT_TRUE(report.solve.converged);
}

}  // namespace
}  // namespace ymir
