#include <gtest/gtest.h>

#include "ymir/base/random.h"
#include "ymir/physics/fluid/interpolation.h"

namespace ymir {
namespace {

TEST(MonotoneCubic, IsExactForStraightLines) {
  const double f[4]{1, 3, 5, 7};
  for (const double t : {0.0, 0.3, 0.9}) EXPECT_NEAR(monotone_cubic(f, t), 3 + 2 * t, 1e-14);
}

TEST(MonotoneCubic, IsCatmullRomWhereThatIsMonotone) {
  const double f[4]{0, 1, 4, 9}, t = 0.25;
  EXPECT_NEAR(monotone_cubic(f, t), 1.25 * 1.25, 1e-14);  // x^2, which has no third derivative
}

TEST(MonotoneCubic, NeverLeavesTheTwoSamplesAndRisesOrFallsOnly) {
  for (std::uint64_t n = 0; n < 2000; ++n) {
    Random random(7, n);
    double f[4];
    for (double& value : f) value = random.uniform(-1, 1) * (random.uniform() < 0.3 ? 10 : 1);
    double before = f[1];
    for (int i = 1; i <= 20; ++i) {
      const double now = monotone_cubic(f, i / 20.0);
      EXPECT_GE((now - before) * (f[2] - f[1]), -1e-12);
      before = now;
    }
    EXPECT_NEAR(before, f[2], 1e-12);
  }
}

TEST(Trilinear, TakesEachCornerExactlyAndEqualCornersAsTheyAre) {
  double c[2][2][2];
  for (int n = 0; n < 8; ++n) c[n / 4][n / 2 % 2][n % 2] = 0.1 * n + 0.7;
  EXPECT_EQ(trilinear(c, 0.0, 0.0, 0.0), c[0][0][0]);
  EXPECT_NEAR(trilinear(c, 1.0, 0.0, 1.0), c[1][0][1], 1e-15);
  EXPECT_NEAR(trilinear(c, 0.25, 0.5, 0.75), 0.7 + 0.1 * (0.25 + 2 * 0.5 + 4 * 0.75), 1e-15);
  for (auto& layer : c)
    for (auto& row : layer)
      for (double& value : row) value = 0.3;
  EXPECT_EQ(trilinear(c, 0.1, 0.7, 0.9), 0.3);
}

}  // namespace
}  // namespace ymir
