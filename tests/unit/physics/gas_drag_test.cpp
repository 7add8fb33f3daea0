#include <gtest/gtest.h>

#include <random>

#include "ymir/physics/fluid/drag_laws.h"
#include "ymir/physics/fluid/face_fraction.h"

namespace ymir {
namespace {

const Gas air{1.2, 1.8e-5};

// Cd from a force across a fibre or on a sphere of given frontal area.
double coefficient(double force, double speed, double area) {
  return force / (0.5 * air.density * speed * speed * area);
}

TEST(GasDragLaws, FibresHaveTheCoefficientsOfWhite) {
  const double d = 80e-6, l = 0.01;
  for (const auto& [reynolds, cd] : {std::pair(1.0, 11.0), std::pair(10.0, 3.1544), std::pair(100.0, 1.4642)}) {
    const double speed = reynolds * air.viscosity / (air.density * d);
    const GasDrag drag = fibre_drag(air, d, l, {0, 1, 0}, {speed, 0, 0});
    EXPECT_NEAR(coefficient(drag.force.x, speed, d * l), cd, 1e-3 * cd);
  }
}

TEST(GasDragLaws, ARodInAStreamFeelsTheForceOfTheNotes) {
  const GasDrag drag = fibre_drag(air, 80e-6, 1, {0, 1, 0}, {1, 0, 0});
  EXPECT_NEAR(drag.force.x, 2.0524e-4, 1e-8);  // [N/m] at 1 m/s, Re 5.333, Cd 4.2759
}

TEST(GasDragLaws, DerivativesAreThoseOfTheForce) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3d t = normalized(Vec3d{any(random), any(random), any(random)});
    const Vec3d w = Vec3d{any(random), any(random), any(random)} * std::pow(10.0, 2 * any(random));
    for (const bool fibre : {false, true}) {
      const auto law = [&](Vec3d v) { return fibre ? fibre_drag(air, 8e-5, 5e-3, t, v) : sphere_drag(air, 1e-3, v); };
      const GasDrag at = law(w);
      const double scale = std::abs(at.derivative.xx) + std::abs(at.derivative.yy) + std::abs(at.derivative.zz);
      for (int k = 0; k < 3; ++k) {
        Vec3d step{0, 0, 0};
        step[k] = 1e-5 * norm(w);
        const Vec3d slope = (law(w + step).force - law(w - step).force) / (2 * step[k]);
        const Vec3d column = at.derivative * (step / step[k]);
        worst = std::max(worst, norm(slope - column) / scale);
      }
    }
  }
  EXPECT_LT(worst, 1e-8);
}

// By the direction of the fibre, too: turning it changes what is across and what is along.
TEST(GasDragLaws, FibresKnowTheirDerivativeByDirection) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-1, 1);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3d t = normalized(Vec3d{any(random), any(random), any(random)});
    const Vec3d w = Vec3d{any(random), any(random), any(random)} * std::pow(10.0, 2 * any(random));
    const Vec3d across = normalized(cross(t, Vec3d{any(random), any(random), any(random)}));
    for (const double coefficient : {1.0, 3.0}) {
      const auto law = [&](double angle) {
        return fibre_drag(air, 8e-5, 5e-3, t * std::cos(angle) + across * std::sin(angle), w, coefficient);
      };
      const FibreDrag at = law(0);
      const Vec3d slope = (law(1e-5).force - law(-1e-5).force) / 2e-5;
      Vec3d told{0, 0, 0};
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) told[a] += at.by_tangent[3 * a + b] * across[b];
      worst = std::max(worst, norm(slope - told) / norm(at.force));
    }
  }
  EXPECT_LT(worst, 1e-7);
}

// Laws of one kind alone: linear without density, quadratic without viscosity.
TEST(GasDragLaws, FibresWithoutDensityOrViscosityHaveOneLaw) {
  const double d = 1e-3, l = 0.01, speed = 4;
  const Gas thick{0, 2e-5}, ideal{1.2, 0};
  EXPECT_DOUBLE_EQ(fibre_drag(thick, d, l, {0, 1, 0}, {2 * speed, 0, 0}).force.x,
                   2 * fibre_drag(thick, d, l, {0, 1, 0}, {speed, 0, 0}).force.x);
  EXPECT_DOUBLE_EQ(fibre_drag(ideal, d, l, {0, 1, 0}, {speed, 0, 0}, 1.5).force.x,
                   1.5 * 0.5 * 1.2 * speed * speed * d * l);
  EXPECT_EQ(norm(fibre_drag(ideal, d, l, {0, 1, 0}, {0, speed, 0}).force), 0);
  // The linear law is the limit of the whole one.
  const Vec3d slow{1e-3 * air.viscosity / (air.density * d), 0, 0};
  const Gas same{0, air.viscosity};
  EXPECT_DOUBLE_EQ(fibre_drag(air, d, l, {0, 1, 0}, slow).force.x, fibre_drag(same, d, l, {0, 1, 0}, slow).force.x);
}

TEST(OpenFraction, IsExactForPlanes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int trial = 0; trial < 100; ++trial) {
    const double a = any(random), b = any(random), c = any(random);
    const auto d = [&](double x, double y) { return a * x + b * y + c; };
    const double w = open_fraction(d(0, 0), d(1, 0), d(0, 1), d(1, 1));
    const int n = 400;
    int open = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) open += d((i + 0.5) / n, (j + 0.5) / n) >= 0 ? 1 : 0;
    EXPECT_NEAR(w, static_cast<double>(open) / (n * n), 4.0 / n);
    // The rest is the fraction of the other side.
    EXPECT_NEAR(w + open_fraction(-d(0, 0), -d(1, 0), -d(0, 1), -d(1, 1)), 1, 1e-12);
  }
}

TEST(OpenFraction, OpensOppositeCorners) {
  EXPECT_DOUBLE_EQ(open_fraction(1, -1, -1, 1), 0.75);
  EXPECT_DOUBLE_EQ(open_fraction(1, -3, -3, 1), 2 * 0.5 * 0.25 * 0.25);
}

}  // namespace
}  // namespace ymir
