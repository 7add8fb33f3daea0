// Liquid in a tank with walls it may leave, two dimensions: one layer of cells. [method notes C, 5, V13]
#include "ymir/solvers/pc_lcp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ymir/data/volume_accessor.h"

namespace ymir {
namespace {

enum class Case { still, slosh, ceiling };

struct Tank {
  Tank(Case which, int n_) : n(n_), domain(8.0 / n_, 1, Communicator::world()), volume(domain) {
    std::vector<BucketKey> keys;
    for (int j = 0; j <= n / 8; ++j)
      for (int i = 0; i <= n / 8; ++i)
        for (int k = 0; k < 2; ++k) keys.push_back(key_of({i, j, k, 0}));
    volume.set_buckets(keys);
    coefficient = volume.add_channel<float>("c", {.sampling = Sampling::face});
    cell = volume.add_channel<std::uint8_t>("cell");
    bounded = volume.add_channel<std::uint8_t>("bounded");
    b = volume.add_channel<double>("b");
    x = volume.add_channel<double>("x");
    const auto inside = [&](Vec3i v) { return v.x >= 0 && v.y >= 0 && v.x < n && v.y < n && v.z == 0; };
    const auto liquid = [=](Vec3i v) {
      const double px = (v.x + 0.5) / n_, py = (v.y + 0.5) / n_;
      return inside(v) && (which == Case::ceiling ? py > 0.55 || px < 0.3 : py < 0.6);
    };
    fill(volume, cell, [&](int, Vec3i v, int) -> std::uint8_t { return liquid(v); });
    fill(volume, bounded, [&](int, Vec3i v, int) -> std::uint8_t {
      return inside(v) && (v.x == 0 || v.y == 0 || v.x == n - 1 || v.y == n - 1);
    });
    fill(volume, coefficient, [&](int, Vec3i v, int axis) {
      Vec3i low = v;
      --low[axis];
      return inside(v) && inside(low) && (liquid(v) || liquid(low)) ? 1.f : 0.f;
    });
    // Velocity before: gravity for dt, and the liquid moving to the right; 0 on walls. In units where w = A p + div.
    const double dt = 0.02, speed = which == Case::still ? 0.02 : which == Case::slosh ? 0.1 : 0;
    const auto u = [=](int i) { return i > 0 && i < n_ ? speed : 0; };
    const auto w = [=](int j) { return j > 0 && j < n_ ? -9.81 * dt : 0; };
    fill(volume, b,
         [&](int, Vec3i v, int) { return liquid(v) ? -(u(v.x + 1) - u(v.x) + w(v.y + 1) - w(v.y)) / n / dt : 0; });
  }
  LcpReport solve(double tolerance) {
    PressureSolver solver(volume);
    PcLcp lcp(volume, solver);
    return lcp.solve(coefficient, cell, bounded, b, x, {.tolerance = tolerance});
  }

  int n;
  GridDomain domain;
  DiscreteVolume volume;
  ChannelId<float> coefficient;
  ChannelId<std::uint8_t> cell, bounded;
  ChannelId<double> b, x;
};

// Conditions of the problem, cell by cell, without the solver's help.
void expect_complementary(const Tank& tank, double tolerance) {
  const VolumeView<double> x(tank.volume, tank.x), b(tank.volume, tank.b);
  const VolumeView<std::uint8_t> cell(tank.volume, tank.cell), bounded(tank.volume, tank.bounded);
  double largest = 0;
  for (int j = 0; j < tank.n; ++j)
    for (int i = 0; i < tank.n; ++i) largest = std::max(largest, std::abs(x.value(0, {i, j, 0})));
  EXPECT_GT(largest, 0);
  double worst = 0;
  for (int j = 0; j < tank.n; ++j)
    for (int i = 0; i < tank.n; ++i) {
      if (cell.value(0, {i, j, 0}) == 0) continue;
      double diagonal = 0, rest = -b.value(0, {i, j, 0});
      for (int axis = 0; axis < 2; ++axis)
        for (int side = 0; side < 2; ++side) {
          Vec3i face{i, j, 0}, beside{i, j, 0};
          face[axis] += side;
          beside[axis] += 2 * side - 1;
          const auto c = static_cast<double>(VolumeView<float>(tank.volume, tank.coefficient, axis).value(0, face));
          diagonal += c;
          rest += c * (x.value(0, {i, j, 0}) - x.value(0, beside));
        }
      const double value = x.value(0, {i, j, 0});
      const double error = bounded.value(0, {i, j, 0}) != 0 ? std::min(value, rest / diagonal) : rest / diagonal;
      worst = std::max(worst, std::abs(error));
    }
  EXPECT_LE(worst, tolerance * largest);
}

TEST(PcLcp, NeedsNoCorrectionWhereNothingSeparates) {
  Tank tank(Case::still, 64);
  const LcpReport report = tank.solve(1e-10);
  EXPECT_TRUE(report.solve.converged);
  EXPECT_EQ(report.solves, 1);
  EXPECT_EQ(report.held, 0);
  expect_complementary(tank, 1e-10);
}

TEST(PcLcp, FindsTheWallsThatALiquidLeaves) {
  for (const int n : {64, 128}) {
    Tank tank(Case::slosh, n);
    const LcpReport report = tank.solve(1e-12);
    EXPECT_TRUE(report.solve.converged);
    EXPECT_EQ(report.held, n == 64 ? 2 : 6);
    EXPECT_EQ(report.solves, n == 64 ? 3 : 4);  // with the predictor
    EXPECT_EQ(report.sweeps, 0);
    EXPECT_LE(report.complementarity, 1e-10);
    expect_complementary(tank, 1e-10);
  }
}

TEST(PcLcp, LetsASlabFallOffTheWholeCeiling) {
  for (const int n : {64, 128}) {
    Tank tank(Case::ceiling, n);
    const LcpReport report = tank.solve(1e-12);
    EXPECT_TRUE(report.solve.converged);
    EXPECT_EQ(report.held, n);
    EXPECT_EQ(report.solves, 3);
    EXPECT_EQ(report.sweeps, 0);
    EXPECT_LE(report.complementarity, 1e-10);
    expect_complementary(tank, 1e-10);
  }
}

TEST(PcLcp, IsThePlainSolveWithoutBounds) {
  Tank tank(Case::ceiling, 64);
  fill(tank.volume, tank.bounded, [](int, Vec3i, int) -> std::uint8_t { return 0; });
  const LcpReport report = tank.solve(1e-10);
  EXPECT_TRUE(report.solve.converged);
  EXPECT_EQ(report.solves, 1);
  expect_complementary(tank, 1e-8);
}

}  // namespace
}  // namespace ymir
