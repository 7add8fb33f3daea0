#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/physics/particles/drag.h"
#include "ymir/physics/particles/point_newton.h"

namespace ymir {
namespace {

constexpr double pi = 3.141592653589793;
constexpr double gravity = 9.81;

Vec3d random_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

// Structure-of-arrays state of n points with gravity and drag, as a behavior would drive it.
struct Cloud {
  explicit Cloud(int n)
      : mass(static_cast<std::size_t>(n)), radius(mass.size()), n_(n), data_(18, std::vector<double>(mass.size())) {}
  double* plane(int p) { return data_[static_cast<std::size_t>(p)].data(); }
  Vec3Planes v() { return {plane(0), plane(1), plane(2)}; }
  Vec3Planes vn() { return {plane(3), plane(4), plane(5)}; }
  Vec3Planes u() { return {plane(6), plane(7), plane(8)}; }
  Vec3Planes f() { return {plane(9), plane(10), plane(11)}; }
  SymmetricPlanes j() { return {plane(12), plane(13), plane(14), plane(15), plane(16), plane(17)}; }

  double iterate(const DragParams& drag, double dt) {
    for (int p = 9; p < 18; ++p) std::fill_n(plane(p), n_, 0.0);
    for (int i = 0; i < n_; ++i) plane(10)[i] = -gravity * mass[static_cast<std::size_t>(i)];
    accumulate_drag(drag, n_, v(), u(), radius.data(), f(), j());
    return newton_step(n_, dt, 1e-9, mass.data(), vn(), f(), j(), v());
  }

  std::vector<double> mass, radius;

 private:
  int n_;
  std::vector<std::vector<double>> data_;
};

double sphere_mass(double radius, double density) { return 4.0 / 3.0 * pi * radius * radius * radius * density; }

TEST(Drag, HasTheForceOfStokesAndOfTheDragEquation) {
  const Vec3d w(3, 0, -4);
  const Drag<double> stokes = drag(DragParams{2e-3, 0, 0}, 0.01, w);
  EXPECT_NEAR(stokes.force.x, -6 * pi * 2e-3 * 0.01 * 3, 1e-15);
  const Drag<double> quadratic = drag(DragParams{0, 1.2, 0.5}, 0.1, w);
  EXPECT_NEAR(norm(quadratic.force), 0.5 * 1.2 * 0.5 * pi * 0.01 * 25, 1e-14);
  EXPECT_LT(dot(quadratic.force, w), 0);
  const Drag<double> both = drag(DragParams{2e-3, 1.2, 0.5}, 0.1, w);
  EXPECT_NEAR(both.force.z, drag(DragParams{2e-3, 0, 0}, 0.1, w).force.z + quadratic.force.z, 1e-14);
}

TEST(Drag, DerivativeMatchesFiniteDifferences) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    Random random(1, i);
    const DragParams p{random.uniform(0, 1e-2), random.uniform(0, 2), random.uniform(0, 1)};
    const double radius = random.uniform(0.01, 0.2);
    const Vec3d w = random_vector(random, 5), direction = random_vector(random, 1);
    constexpr double h = 1e-5;
    const Vec3d difference =
        (drag(p, radius, w + direction * h).force - drag(p, radius, w - direction * h).force) / (2 * h);
    const Drag<double> exact = drag(p, radius, w);
    EXPECT_LT(norm(difference - exact.derivative * direction), 1e-8 * norm(difference) + 1e-12);
    EXPECT_LT(dot(direction, exact.derivative * direction), 0);
  }
}

TEST(Drag, IsFiniteWithoutRelativeMotionAndInSinglePrecision) {
  const Drag<double> still = drag(DragParams{}, 0.1, Vec3d(0, 0, 0));
  EXPECT_EQ(norm(still.force), 0);
  EXPECT_NEAR(still.derivative.xx, -6 * pi * 1.81e-5 * 0.1, 1e-18);
  EXPECT_EQ(still.derivative.xy, 0);
  EXPECT_TRUE(std::isfinite(drag(DragParams{}, 0.1f, Vec3f(0, 0, 0)).derivative.xx));
}

TEST(Drag, BlockAddsToWhatIsThere) {
  constexpr int n = 13;
  Cloud cloud(n);
  for (int i = 0; i < n; ++i) {
    Random random(2, static_cast<std::uint64_t>(i));
    cloud.radius[static_cast<std::size_t>(i)] = random.uniform(0.01, 0.1);
    for (int p = 0; p < 18; ++p) cloud.plane(p)[i] = random.uniform(-1, 1);
  }
  Cloud before = cloud;
  const DragParams params{1e-3, 1, 0.5};
  accumulate_drag(params, n, cloud.v(), cloud.u(), cloud.radius.data(), cloud.f(), cloud.j());
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec3d w(cloud.v().x[i] - cloud.u().x[i], cloud.v().y[i] - cloud.u().y[i], cloud.v().z[i] - cloud.u().z[i]);
    const Drag<double> d = drag(params, cloud.radius[k], w);
    EXPECT_EQ(cloud.f().y[i], before.f().y[i] + d.force.y);
    EXPECT_EQ(cloud.j().zz[i], before.j().zz[i] + d.derivative.zz);
    EXPECT_EQ(cloud.j().xy[i], before.j().xy[i] + d.derivative.xy);
    EXPECT_EQ(cloud.j().xz[i], before.j().xz[i] + d.derivative.xz);
    EXPECT_EQ(cloud.j().yz[i], before.j().yz[i] + d.derivative.yz);
  }
}

TEST(PointNewton, SolvesSymmetricPositiveDefiniteSystems) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    Random random(3, i);
    const Vec3d p = random_vector(random, 1), q = random_vector(random, 1), x = random_vector(random, 10);
    const Symmetric3<double> a{0.1 + p.x * p.x + q.x * q.x, 0.1 + p.y * p.y + q.y * q.y, 0.1 + p.z * p.z + q.z * q.z,
                               p.x * p.y + q.x * q.y,       p.x * p.z + q.x * q.z,       p.y * p.z + q.y * q.z};
    EXPECT_LT(norm(solve_spd(a, a * x) - x), 1e-12 * norm(x));
  }
}

TEST(PointNewton, ConvergesFromAnyStartForAllStepsAndSizes) {
  constexpr int n = 400;
  int most = 0;
  for (const DragParams& params : {DragParams{0, 1.2, 0.47}, DragParams{1.8e-5, 1.2, 0.47}, DragParams{0, 1000, 0.47}})
    for (double dt = 1e-4; dt < 2e2; dt *= 10) {
      Cloud cloud(n);
      for (int i = 0; i < n; ++i) {
        Random random(4, static_cast<std::uint64_t>(i));
        const auto k = static_cast<std::size_t>(i);
        cloud.radius[k] = std::pow(10, random.uniform(-6, 0));
        cloud.mass[k] = sphere_mass(cloud.radius[k], std::pow(10, random.uniform(0, 4)));
        const double reach = i % 7 == 0 ? 0 : std::pow(10, random.uniform(-3, 4));
        for (int p = 0; p < 9; ++p) cloud.plane(p)[i] = random.uniform(-reach, reach);
      }
      int iterations = 0;
      double change = 1;
      for (; iterations < 60 && !(change < 1e-9); ++iterations) change = cloud.iterate(params, dt);
      EXPECT_LT(change, 1e-9) << "dt " << dt;
      most = std::max(most, iterations);
      // The step after convergence leaves the residual at rounding level.
      for (int i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Vec3d v(cloud.v().x[i], cloud.v().y[i], cloud.v().z[i]);
        const Vec3d vn(cloud.vn().x[i], cloud.vn().y[i], cloud.vn().z[i]);
        const Vec3d u(cloud.u().x[i], cloud.u().y[i], cloud.u().z[i]);
        const double m = cloud.mass[k];
        const Vec3d force = drag(params, cloud.radius[k], v - u).force + Vec3d(0, -gravity * m, 0);
        const double size =
            norm(force) + m / dt * (norm(v) + norm(vn)) + m * gravity +
            norm(drag(params, cloud.radius[k], v - u).derivative * (Vec3d(1, 1, 1) * (norm(v) + norm(u))));
        EXPECT_LT(norm(force - (v - vn) * (m / dt)), 1e-8 * size) << i;
      }
    }
  RecordProperty("most_iterations", most);
  EXPECT_LE(most, 40);
}

TEST(PointNewton, ReachesTheTerminalVelocityAtAnyStep) {
  const DragParams quadratic{0, 1.2, 0.47};
  for (const double radius : {1e-3, 1e-2}) {
    const double mass = sphere_mass(radius, 1000);
    const double terminal = std::sqrt(mass * gravity / (0.5 * 1.2 * 0.47 * pi * radius * radius));
    for (const double dt : {1e-4, 1e-3, 1e-2, 1e-1}) {
      Cloud cloud(1);
      cloud.mass[0] = mass;
      cloud.radius[0] = radius;
      const int steps = static_cast<int>(std::ceil(8 * terminal / gravity / dt));
      for (int s = 0; s < steps; ++s) {
        for (int p = 0; p < 3; ++p) cloud.plane(3 + p)[0] = cloud.plane(p)[0];
        int iterations = 0;
        while (iterations < 60 && !(cloud.iterate(quadratic, dt) < 1e-10)) ++iterations;
        ASSERT_LT(iterations, 60);
      }
      EXPECT_NEAR(-cloud.v().y[0] / terminal, 1, 1e-3) << "dt " << dt << " radius " << radius;
      EXPECT_EQ(cloud.v().x[0], 0);
    }
  }
}

TEST(PointNewton, ReportsNaNOfAnyPoint) {
  constexpr int n = 9;
  for (int bad = 0; bad < n; ++bad) {
    Cloud cloud(n);
    for (std::size_t i = 0; i < n; ++i) cloud.mass[i] = cloud.radius[i] = 1;
    cloud.v().x[bad] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(cloud.iterate(DragParams{}, 0.1))) << bad;
  }
}

}  // namespace
}  // namespace ymir
