#include "ymir/fluid/viscosity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/fluid/diffusion.h"

namespace ymir {
namespace {

constexpr double h = 0.125;  // [m]

// A gas of some tiles in a box that begins at 0.
struct Gas {
  explicit Gas(Vec3d high, bool closed = true) : grid(h, alone), viscosity(grid), diffusion(grid) {
    box = {{{0, 0, 0}, high}, {}, {}, {}};
    box.closed.fill(closed);
    heat = grid.volume().add_channel<float>("heat", {.background = 2});
  }
  void begin(double dt = 0) {
    boundary.set_box(box);
    const Vec3d inset = Vec3d{1, 1, 1} * (1e-3 * h);
    grid.set_wanted(tiles_in(grid.domain(), {inset, box.box.high - inset}),
                    [&](BucketCoord tile) { return boundary.behind_wall(grid.domain(), tile); });
    boundary.update(grid, 0, dt);
    viscosity.boundary_changed(boundary, 0, dt);
  }
  void set_velocity(Vec3d u) {
    fill(grid.volume(), grid.velocity, [&](int, Vec3i, int c) { return static_cast<float>(u[c]); });
  }
  void set_heat(const std::function<double(Vec3i)>& value) {
    fill(grid.volume(), heat, [&](int, Vec3i v, int) { return static_cast<float>(value(v)); });
  }
  float velocity(Vec3i v, int axis) const { return VolumeView<float>(grid.volume(), grid.velocity, axis).value(0, v); }
  float heat_at(Vec3i v) const { return VolumeView<float>(grid.volume(), heat).value(0, v); }

  Communicator alone;
  GasGrid grid;
  GasBoundary boundary;
  GasBox box;
  Viscosity viscosity;
  Diffusion diffusion;
  ChannelId<float> heat;
};

TEST(Viscosity, LeavesGasAloneThatMovesWithItsWalls) {
  Gas gas({2, 1.9, 1});
  gas.box.wall = {Wall::free_slip, Wall::free_slip, Wall::no_slip, Wall::no_slip, Wall::no_slip, Wall::no_slip};
  gas.box.closed[0] = gas.box.closed[1] = false;
  gas.box.velocity.fill({0.7, 0, 0});
  gas.begin();
  gas.set_velocity({0.7, 0, 0});
  EXPECT_TRUE(gas.viscosity.apply(gas.grid.velocity, 0.5, {1e-12, 1000}).converged);
  for (int y = 0; y < 15; ++y)
    for (int x = 0; x <= 16; ++x) EXPECT_FLOAT_EQ(gas.velocity({x, y, 3}, 0), 0.7f) << x << ", " << y;
}

TEST(Viscosity, TakesNothingFromGasThatSlidesAlongASolid) {
  // Its surface lies within voxels.
  Gas gas({2, 2, 1});
  gas.box.closed[0] = gas.box.closed[1] = false;
  GasSolid floor;
  floor.distance = [](Vec3d x) { return DistanceSample{x.y - 0.31, {0, 1, 0}}; };
  gas.boundary.add(floor);
  gas.begin();
  gas.set_velocity({1, 0, 0});
  EXPECT_TRUE(gas.viscosity.apply(gas.grid.velocity, 0.5, {1e-12, 1000}).converged);
  for (int y = 3; y < 16; ++y) EXPECT_FLOAT_EQ(gas.velocity({8, y, 3}, 0), 1) << y;
}

TEST(Viscosity, BrakesGasThatSticksToASolid) {
  Gas gas({2, 2, 1});
  gas.box.closed[0] = gas.box.closed[1] = false;
  GasSolid floor;
  floor.distance = [](Vec3d x) { return DistanceSample{x.y - 0.31, {0, 1, 0}}; };
  floor.wall = Wall::no_slip;
  gas.boundary.add(floor);
  gas.begin();
  gas.set_velocity({1, 0, 0});
  EXPECT_TRUE(gas.viscosity.apply(gas.grid.velocity, 1e-3).converged);
  // The centre of the lowest face with gas lies 0.02 voxels above the floor.
  EXPECT_LT(gas.velocity({8, 2, 3}, 0), 0.4f);
  EXPECT_GT(gas.velocity({8, 5, 3}, 0), 0.99f);
  gas.viscosity.extend(gas.grid.velocity);
  EXPECT_LT(gas.velocity({8, 1, 3}, 0), 0);
}

TEST(Viscosity, ContinuesTheProfileBehindAWallThatMoves) {
  Gas gas({1, 1, 1});
  gas.box.wall[3] = Wall::no_slip;
  gas.box.velocity[3] = {3, 5, 0};
  gas.begin();
  gas.set_velocity({1, 0, 0});
  gas.viscosity.extend(gas.grid.velocity);
  EXPECT_FLOAT_EQ(gas.velocity({4, 8, 4}, 0), 5);  // 2 wall - gas
  EXPECT_FLOAT_EQ(gas.velocity({4, 8, 4}, 1), 0);  // never across itself
}

TEST(Viscosity, ReportsThatItDidNotConverge) {
  Gas gas({1, 1, 1});
  gas.box.wall.fill(Wall::no_slip);
  gas.begin();
  gas.set_velocity({1, 2, 3});
  EXPECT_FALSE(gas.viscosity.apply(gas.grid.velocity, 10, {1e-12, 2}).converged);
  gas.set_velocity({1, std::nan(""), 3});
  EXPECT_FALSE(gas.viscosity.apply(gas.grid.velocity, 10).converged);
}

TEST(Diffusion, KeepsTheAmountBetweenInsulatingWalls) {
  Gas gas({2, 2, 1});
  gas.begin();
  gas.set_heat([](Vec3i v) { return v.x == 3 && v.y == 9 ? 100.0 : 0.0; });
  const DiffusionReport report = gas.diffusion.diffuse(gas.heat, 0.1, gas.boundary, {1e-10, 1000});
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.iterations, 3);
  double sum = 0;
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) sum += static_cast<double>(gas.heat_at({x, y, 5}));
  EXPECT_NEAR(sum, 100, 1e-4);
  EXPECT_LT(gas.heat_at({3, 9, 5}), 20);
  EXPECT_GT(gas.heat_at({15, 0, 5}), 0);
}

TEST(Diffusion, TakesTheValuesOfWallsAndOfTheAirAround) {
  Gas gas({1, 1, 1});
  gas.box.closed[1] = false;
  gas.begin();
  gas.diffusion.set_wall_value([](int side, Vec3d) { return side == 0 ? std::optional(10.0) : std::nullopt; });
  gas.set_heat([](Vec3i) { return 0.0; });
  EXPECT_TRUE(gas.diffusion.diffuse(gas.heat, 1e5, gas.boundary, {1e-12, 1000}).converged);
  // Linear from 10 at the wall to 2, the ambient value, in the middle of the voxel after the last.
  for (int x = 0; x < 8; ++x) EXPECT_NEAR(gas.heat_at({x, 3, 3}), 10 - 8 * (x + 0.5) / 8.5, 1e-4) << x;
}

}  // namespace
}  // namespace ymir
