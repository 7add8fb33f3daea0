#include "ymir/solvers/pc_lcp.h"

#include <gtest/gtest.h>

#include "lcp_tank.h"

namespace ymir {
namespace {

using lcp::Case;
using lcp::Tank;

TEST(PcLcp, NeedsNoCorrectionWhereNothingSeparates) {
  Tank tank(Case::still, 64);
  const LcpReport report = tank.solve(1e-10);
  EXPECT_TRUE(report.solve.converged);
  EXPECT_EQ(report.solves, 1);
  EXPECT_EQ(report.held, 0);
  EXPECT_LE(tank.worst_error(), 1e-10);
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
    EXPECT_LE(tank.worst_error(), 1e-10);
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
    EXPECT_LE(tank.worst_error(), 1e-10);
  }
}

TEST(PcLcp, IsThePlainSolveWithoutBounds) {
  Tank tank(Case::ceiling, 64);
  fill(tank.volume, tank.bounded, [](int, Vec3i, int) -> std::uint8_t { return 0; });
  const LcpReport report = tank.solve(1e-10);
  EXPECT_TRUE(report.solve.converged);
  EXPECT_EQ(report.solves, 1);
  EXPECT_LE(tank.worst_error(), 1e-8);
}

}  // namespace
}  // namespace ymir
