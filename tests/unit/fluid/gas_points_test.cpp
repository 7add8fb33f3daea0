#include "ymir/fluid/gas_points.h"

#include <gtest/gtest.h>

#include "ymir/base/random.h"
#include "ymir/fluid/gas_boundary.h"

namespace ymir {
namespace {

constexpr double h = 0.1;

// A closed box of 32^3 voxels with a ball cut out, points below the voxel's size and balls up to several tiles across.
struct Tank {
  Communicator alone;
  GasGrid grid{h, alone};
  GasBoundary boundary;
  GasPoints points{grid};
  std::vector<Vec3d> where;
  std::vector<double> radii;  // [voxels]

  Tank() {
    boundary.set_box({{{0, 0, 0}, {3.2, 3.2, 3.2}}, {true, true, true, true, true, true}});
    boundary.add(GasSolid{[](Vec3d x) { return DistanceSample{norm(x - Vec3d{1, 1, 1}) - 0.4, {0, 1, 0}}; }});
    grid.set_wanted(tiles_in(grid.domain(), {{0.05, 0.05, 0.05}, {3.15, 3.15, 3.15}}));
    boundary.update(grid, 0, 0);
    for (std::uint64_t i = 0; i < 40; ++i) {
      Random random(2, i);
      const Vec3d x{random.uniform(0.3, 2.9), random.uniform(0.3, 2.9), random.uniform(0.3, 2.9)};
      if (norm(x - Vec3d{1, 1, 1}) < 0.5) continue;
      where.push_back(x);
      radii.push_back(i % 3 == 0 ? 0 : i % 3 == 1 ? 1.25 : random.uniform(1.25, 11));
    }
    points.locate(where, radii);
  }
  ChannelId<double> channel(const char* name) {
    return grid.volume().add_channel<double>(name, {8, Sampling::face, 0.0, 3, true});
  }
};

TEST(GasPoints, ReadAnEvenFlowAsItIs) {
  Tank tank;
  const auto u = tank.channel("u");
  fill(tank.grid.volume(), u, [](int, Vec3i, int c) { return 1.5 - c; });
  std::vector<Vec3d> found(tank.where.size());
  tank.points.sample(u, found);
  for (const Vec3d& v : found) EXPECT_LT(norm(v - Vec3d{1.5, 0.5, -0.5}), 1e-14);
}

TEST(GasPoints, GiveWithTheWeightsTheyReadWith) {
  Tank tank;
  DiscreteVolume& volume = tank.grid.volume();
  const auto u = tank.channel("u"), f = tank.channel("f"), one = tank.channel("one");
  fill(volume, u, [](int, Vec3i v, int c) {
    return Random(4, static_cast<std::uint64_t>(((v.z * 100 + v.y) * 100 + v.x) * 3 + c)).uniform(-1, 1);
  });
  std::vector<Vec3d> given, read(tank.where.size());
  for (std::uint64_t i = 0; i < tank.where.size(); ++i) {
    Random random(6, i);
    given.push_back({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
  }
  tank.points.sample(u, read);
  tank.points.splat(given, f);
  Vec3d sum{0, 0, 0}, all{0, 0, 0};
  double there = 0, here = 0, in_solids = 0;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < volume.buckets().local_count() * GasGrid::voxels; ++i) {
      there += volume.tiles(u, c)[i] * volume.tiles(f, c)[i];
      sum[c] += volume.tiles(f, c)[i];
      if (!(volume.tiles(tank.grid.open, c)[i] > 0)) in_solids += std::abs(volume.tiles(f, c)[i]);
    }
  for (std::size_t i = 0; i < read.size(); ++i) here += dot(read[i], given[i]), all += given[i];
  EXPECT_NEAR(there, here, 1e-11);
  EXPECT_LT(norm(sum - all), 1e-11);
  EXPECT_EQ(in_solids, 0);
  // Squares of weights are what a point reads of what it gives.
  std::vector<Vec3d> squares(tank.where.size());
  tank.points.squares(squares);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    fill(volume, one, [](int, Vec3i, int) { return 0.0; });
    std::vector<Vec3d> unit(tank.where.size(), {0, 0, 0});
    unit[i] = {1, 1, 1};
    tank.points.splat(unit, one);
    tank.points.sample(one, read);
    EXPECT_LT(norm(read[i] - squares[i]), 1e-15) << i;
  }
}

}  // namespace
}  // namespace ymir
