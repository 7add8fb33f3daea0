#include "ymir/math/lane_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/random.h"

namespace ymir {
namespace {

using Real = Lanes<double, 4>;
constexpr double stated = 4e-16;  // relative error of every function

Real four(double a, double b, double c, double d) {
  const double values[] = {a, b, c, d};
  return Real::load(values);
}

double relative(double got, long double exact) {
  return exact == 0 ? std::fabs(got) : static_cast<double>(std::fabs((static_cast<long double>(got) - exact) / exact));
}

TEST(LaneMath, SineAndCosineAreRightToTheLastBits) {
  Random random(1, 0);
  double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    const double size = std::pow(10.0, random.uniform(-6, 5));
    const double a = random.uniform(-size, size);
    const auto sc = sine_cosine(four(a, -a, a / 3, 1));
    worst = std::max({worst, relative(sc.sine[0], std::sin(static_cast<long double>(a))),
                      relative(sc.cosine[1], std::cos(static_cast<long double>(-a))),
                      relative(sc.sine[2], std::sin(static_cast<long double>(a / 3)))});
  }
  EXPECT_LT(worst, stated);
  const auto zero = sine_cosine(Real::all(0));
  EXPECT_EQ(zero.sine[0], 0);
  EXPECT_EQ(zero.cosine[0], 1);
}

TEST(LaneMath, SineAndCosineKeepTheirSignsInEveryQuadrant) {
  for (int q = -9; q <= 9; ++q) {
    const double a = 1.5707963267948966 * q + 0.3;
    const auto sc = sine_cosine(Real::all(a));
    EXPECT_NEAR(sc.sine[0], std::sin(a), 1e-15) << q;
    EXPECT_NEAR(sc.cosine[0], std::cos(a), 1e-15) << q;
  }
}

TEST(LaneMath, AngleOfAPointIsRightInEveryDirection) {
  Random random(2, 0);
  double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    const double angle = random.uniform(-3.14159, 3.14159), size = std::pow(10.0, random.uniform(-100, 100));
    const double x = size * std::cos(angle), y = size * std::sin(angle);
    worst = std::max(worst, relative(atan2(Real::all(y), Real::all(x))[0],
                                     std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
  }
  EXPECT_LT(worst, stated);
}

TEST(LaneMath, AngleOfAPointIsExactOnTheAxes) {
  const Real angle = atan2(four(0, 0, 1, -1), four(1, -1, 0, 0));
  EXPECT_EQ(angle[0], 0);
  EXPECT_EQ(angle[1], 3.141592653589793);
  EXPECT_EQ(angle[2], 1.5707963267948966);
  EXPECT_EQ(angle[3], -1.5707963267948966);
  EXPECT_EQ(atan2(Real::all(0), Real::all(0))[0], 0);
  EXPECT_EQ(atan2(Real::all(1e-300), Real::all(1))[0], 1e-300);
}

TEST(LaneMath, NearestRoundsHalvesToEvenAsForPlainNumbers) {
  for (const double a : {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4999, -7.0, 123456.7})
    EXPECT_EQ(nearest(Real::all(a))[2], nearest(a)) << a;
}

TEST(LaneMath, ExponentialIsThatOfTheLibrary) {
  const Real e = exp(four(0, -1, 700, -800));
  EXPECT_EQ(e[0], 1);
  EXPECT_EQ(e[1], std::exp(-1.0));
  EXPECT_EQ(e[2], std::exp(700.0));
  EXPECT_EQ(e[3], 0);
}

TEST(LaneMath, LanesDoNotMix) {
  const double nan = std::nan("");
  const auto sc = sine_cosine(four(nan, 0.5, nan, 2));
  const auto alone = sine_cosine(Real::all(0.5));
  EXPECT_EQ(sc.sine[1], alone.sine[0]);
  EXPECT_EQ(sc.cosine[1], alone.cosine[0]);
  EXPECT_TRUE(std::isnan(sc.sine[0]));
  EXPECT_EQ(atan2(four(nan, 0.5, 1, 1), four(1, 2, nan, 1))[1], atan2(Real::all(0.5), Real::all(2))[0]);
}

}  // namespace
}  // namespace ymir
