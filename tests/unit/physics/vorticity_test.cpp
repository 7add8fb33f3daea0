#include "ymir/physics/fluid/vorticity.h"

#include <gtest/gtest.h>

#include <random>

namespace ymir {
namespace {

TEST(Vorticity, OfARigidTurnIsTwiceItsRate) {
  const Vec3d rate{0.3, -1.1, 2};
  const auto u = [&](double x, double y, double z) { return cross(rate, Vec3d{1 + x, 2 + y, z}); };
  const double h = 0.1;
  const Vec3d w = curl(u(-h, 0, 0), u(h, 0, 0), u(0, -h, 0), u(0, h, 0), u(0, 0, -h), u(0, 0, h), h);
  EXPECT_LT(norm(w - rate * 2.0), 1e-14);
}

TEST(Vorticity, APushIsCutToTheWorkAllowedAndNoFurther) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(-1, 1), decade(-9, 6);
  for (int i = 0; i < 10000; ++i) {
    const Vec3d u = Vec3d{part(random), part(random), part(random)} * std::pow(10, decade(random));
    const Vec3d dv = Vec3d{part(random), part(random), part(random)} * std::pow(10, decade(random));
    const double work = std::pow(10, decade(random));
    const double s = within_work(dot(u, dv), dot(dv, dv), work), done = std::abs(dot(u, dv)) * s + 0.5 * dot(dv, dv) * s * s;
    const double scale = work + std::abs(dot(u, dv)) * s;
    ASSERT_GE(s, 0);
    ASSERT_LE(s, 1);
    ASSERT_LE(done, work + 1e-12 * scale);
    if (s < 1) {
      ASSERT_NEAR(done, work, 1e-12 * scale);
    }
  }
}

}  // namespace
}  // namespace ymir
