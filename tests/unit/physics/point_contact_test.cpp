#include "ymir/physics/contact/point_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/random.h"

namespace ymir {
namespace {

constexpr double gravity = 9.81;

Vec3d random_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

ColliderShape plane(Vec3d normal) {
  ColliderShape shape;
  shape.plane.normal = normal;
  return shape;
}

ColliderShape sphere(double radius, bool container = false) {
  ColliderShape shape;
  shape.kind = ShapeKind::sphere;
  shape.sphere.radius = radius;
  shape.sphere.container = container;
  return shape;
}

ColliderShape box(Vec3d half_size, double rounding = 0, bool container = false) {
  ColliderShape shape;
  shape.kind = ShapeKind::box;
  shape.box.half_size = half_size;
  shape.box.rounding = rounding;
  shape.box.container = container;
  return shape;
}

auto distance_to(const ColliderShape& shape) {
  return [&shape](Vec3d x) { return signed_distance(shape, x); };
}

// One step under the acceleration g, alone with one static collider.
PointState advance(const ColliderShape& shape, const ContactParams& params, double radius, double dt, Vec3d g,
                   const PointState& start) {
  const Vec3d v = start.v + g * dt;
  const ContactResult r =
      resolve_contact(distance_to(shape), params, radius, dt, Vec3d(0, 0, 0), start, {start.x + v * dt, v});
  return {r.x, r.v};
}

TEST(Shapes, DistancesAreExact) {
  EXPECT_DOUBLE_EQ(signed_distance(plane({0, 1, 0}), Vec3d(5, -2, 1)).distance, -2);
  EXPECT_DOUBLE_EQ(signed_distance(sphere(2), Vec3d(0, 0, 5)).distance, 3);
  EXPECT_DOUBLE_EQ(signed_distance(sphere(2, true), Vec3d(0, 0, 1.5)).distance, 0.5);
  EXPECT_EQ(signed_distance(sphere(2, true), Vec3d(0, 0, 1.5)).normal, Vec3d(0, 0, -1));
  EXPECT_DOUBLE_EQ(signed_distance(box({1, 2, 3}), Vec3d(4, 6, 3)).distance, 5);
  EXPECT_DOUBLE_EQ(signed_distance(box({1, 2, 3}), Vec3d(0.75, 0, 0)).distance, -0.25);
  EXPECT_DOUBLE_EQ(signed_distance(box({1, 2, 3}, 0.5), Vec3d(1, 0, 0)).distance, 0);
  EXPECT_DOUBLE_EQ(signed_distance(box({1, 1, 1}, 0.5), Vec3d(1, 1, 0)).distance, (std::sqrt(2.0) - 1) / 2);
  EXPECT_DOUBLE_EQ(signed_distance(box({1, 1, 1}, 0, true), Vec3d(0.5, 0, 0)).distance, 0.5);
}

TEST(Shapes, NormalsAreTheGradients) {
  ColliderShape turned = box({0.5, 0.3, 0.7}, 0.1);
  turned.box.axis_x = {0.6, 0.8, 0};
  turned.box.axis_y = {-0.8, 0.6, 0};
  turned.box.center = {0.1, 0.2, 0.3};
  for (const ColliderShape& shape :
       {plane({0.6, 0, 0.8}), sphere(0.5), sphere(0.9, true), box({0.5, 0.3, 0.7}), turned})
    for (std::uint64_t i = 0; i < 100; ++i) {
      Random random(1, i);
      const Vec3d x = random_vector(random, 1.2), direction = random_vector(random, 1);
      constexpr double h = 1e-6;
      const double slope =
          (signed_distance(shape, x + direction * h).distance - signed_distance(shape, x - direction * h).distance) /
          (2 * h);
      const DistanceSample s = signed_distance(shape, x);
      EXPECT_NEAR(slope, dot(s.normal, direction), 1e-5);
      EXPECT_NEAR(norm(s.normal), 1, 1e-12);
    }
}

TEST(PointContact, RestitutionIsExactOnPlaneAndSphere) {
  for (const double e : {0.0, 0.3, 1.0}) {
    const ContactParams params{e, 0};
    const PointState on_plane = advance(plane({0, 1, 0}), params, 0.1, 0.01, {0, 0, 0}, {{0, 0.12, 0}, {1, -5, 0}});
    EXPECT_NEAR(on_plane.v.y, 5 * e, 1e-12);
    EXPECT_DOUBLE_EQ(on_plane.v.x, 1);
    EXPECT_NEAR(on_plane.x.y, 0.1 + (0.01 - 0.02 / 5) * 5 * e, 1e-9);
    EXPECT_NEAR(on_plane.x.x, 0.01, 1e-12);
    // Head-on against a sphere along an oblique direction.
    const Vec3d d(0.48, 0.6, -0.64);
    const PointState on_sphere = advance(sphere(1), params, 0.1, 0.01, {0, 0, 0}, {d * 1.12, d * -5.0});
    EXPECT_LT(norm(on_sphere.v - d * (5 * e)), 1e-9);
  }
}

TEST(PointContact, RestitutionActsOnTheStartOfTheStep) {
  // Gravity of the step is no impact: the rebound is e times the speed at the start, whatever dt.
  const PointState after = advance(plane({0, 1, 0}), {0.5, 0}, 0, 0.1, {0, -gravity, 0}, {{0, 0.1, 0}, {0, -3, 0}});
  EXPECT_NEAR(after.v.y, 1.5, 1e-12);
}

// Height of the first bounce relative to e^2 h.
double bounce_error(double h, double e, double dt) {
  PointState s{{0, h, 0}, {0, 0, 0}};
  bool rising = false;
  double top = 0;
  while (!rising || s.v.y >= 0) {
    s = advance(plane({0, 1, 0}), {e, 0}, 0, dt, {0, -gravity, 0}, s);
    EXPECT_GE(s.x.y, -1e-12);
    rising = rising || s.v.y > 0;
    if (rising) top = std::max(top, s.x.y);
  }
  return std::fabs(top / (e * e * h) - 1);
}

TEST(PointContact, BounceHeightConvergesToRestitutionSquared) {
  // The error depends on where within its step the impact falls, so it is averaged over heights.
  const auto mean_error = [](double dt) {
    double sum = 0;
    for (int i = 0; i < 20; ++i) sum += bounce_error(1 + 0.013 * i, 0.7, dt) / 20;
    return sum;
  };
  const double coarse = mean_error(4e-3), fine = mean_error(1e-3);
  EXPECT_LT(fine, 5e-3);
  EXPECT_NEAR(std::log2(coarse / fine) / 2, 1, 0.15);
}

TEST(PointContact, RestingPointStaysExactly) {
  for (const double dt : {1e-4, 1e-2, 1.0}) {
    PointState s{{0.3, 0.05, 0}, {0, 0, 0}};
    for (int i = 0; i < 1000; ++i) {
      s = advance(plane({0, 1, 0}), {0.9, 0.5}, 0.05, dt, {0, -gravity, 0}, s);
      ASSERT_NEAR(s.x.y, 0.05, 1e-12);
      ASSERT_EQ(s.v, Vec3d(0, 0, 0));
    }
    EXPECT_EQ(s.x.x, 0.3);
  }
}

TEST(PointContact, RestsFarFromTheOrigin) {
  PointState s{{1e4, 1e-3, 1e4}, {0, 0, 0}};
  ColliderShape floor = plane({0, 1, 0});
  floor.plane.point = {0, 1e4, 0};
  s.x.y += 1e4;
  for (int i = 0; i < 500; ++i) s = advance(floor, {0, 0.5}, 1e-6, 1e-3, {0, -gravity, 0}, s);
  EXPECT_NEAR(s.x.y, 1e4 + 1e-6, 1e-8);
  EXPECT_LT(norm(s.v), 1e-12);
}

TEST(PointContact, InclineThresholdIsTheTangent) {
  for (const double angle : {0.1, 0.6, 1.2}) {
    const Vec3d n(std::sin(angle), std::cos(angle), 0), down(std::cos(angle), -std::sin(angle), 0);
    const double mu = std::tan(angle);
    constexpr double dt = 1e-3;
    PointState sticks{n * 0.1, {0, 0, 0}}, slides = sticks;
    for (int i = 0; i < 1000; ++i) {
      sticks = advance(plane(n), {0.5, mu * 1.001}, 0.1, dt, {0, -gravity, 0}, sticks);
      slides = advance(plane(n), {0.5, mu * 0.999}, 0.1, dt, {0, -gravity, 0}, slides);
    }
    EXPECT_LT(norm(sticks.v), 1e-14);
    EXPECT_LT(norm(sticks.x - n * 0.1), 1e-9);
    const double acceleration = gravity * (std::sin(angle) - 0.999 * mu * std::cos(angle));
    EXPECT_NEAR(dot(slides.v, down) / acceleration, 1, 1e-6);
    EXPECT_NEAR(dot(slides.x, down) / (acceleration / 2), 1, 2e-3);
    EXPECT_NEAR(dot(slides.x, n), 0.1, 1e-9);
  }
}

TEST(PointContact, FrictionOfAnImpactIsBoundedByItsWholeNormalImpulse) {
  const PointState start{{0, 0.02, 0}, {1, -5, 0}};
  const PointState slips = advance(plane({0, 1, 0}), {0.5, 0.1}, 0, 0.01, {0, 0, 0}, start);
  EXPECT_NEAR(slips.v.x, 1 - 0.1 * 7.5, 1e-12);
  EXPECT_NEAR(slips.v.y, 2.5, 1e-12);
  const PointState sticks = advance(plane({0, 1, 0}), {0.5, 0.14}, 0, 0.01, {0, 0, 0}, start);
  EXPECT_EQ(sticks.v.x, 0);
}

TEST(PointContact, NothingIsPassedThroughAtAnySpeed) {
  const ColliderShape plate = box({10, 1e-4, 10});
  for (const double speed : {1.0, 1e3, 1e6}) {
    const PointState s = advance(plate, {0, 0}, 0, 1, {0, 0, 0}, {{0.3, 1, 0.2}, {0.1, -speed, 0}});
    EXPECT_NEAR(s.x.y, 1e-4, 2e-9 * (1 + speed));
    EXPECT_GE(signed_distance(plate, s.x).distance, -1e-12 * speed);
  }
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Random random(6, i);
    const Vec3d from = normalized(random_vector(random, 1)) * 2.0;
    const Vec3d target = random_vector(random, 0.3);
    const double speed = std::pow(10, random.uniform(0.6, 5));
    const Vec3d v = normalized(target - from) * speed;
    const ColliderShape ball = sphere(0.6);
    const PointState s = advance(ball, {random.uniform(), random.uniform()}, 0.01, 1, {0, 0, 0}, {from, v});
    // It left on the side it came from, or stayed at the surface.
    EXPECT_GE(signed_distance(ball, s.x).distance - 0.01, -1e-9 * speed);
    EXPECT_GT(norm(s.v - v), 0.1);
  }
}

TEST(PointContact, FlyingLowAlongASurfaceIsFree) {
  // Gaps far below the length of the path must not hold the point back.
  const PointState s = advance(plane({0, 1, 0}), {0, 1}, 0, 1, {0, 0, 0}, {{0, 1e-6, 0}, {100, 0, 0}});
  EXPECT_EQ(s.x, Vec3d(100, 1e-6, 0));
  EXPECT_EQ(s.v, Vec3d(100, 0, 0));
}

TEST(PointContact, NeverGainsEnergyNorEndsInside) {
  const ColliderShape shapes[] = {plane({0.6, 0.8, 0}), sphere(0.5), sphere(1.5, true), box({0.5, 0.3, 0.7}, 0.05),
                                  box({1.2, 1.4, 1.3}, 0, true)};
  int touched = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random(7, i);
    const ColliderShape& shape = shapes[i % 5];
    const ContactParams params{random.uniform(), random.uniform(0, 2)};
    const double radius = random.uniform(0, 0.1), dt = std::pow(10, random.uniform(-3, 0));
    const PointState start{random_vector(random, 1), random_vector(random, 10)};
    const Vec3d v = i % 3 == 0 ? start.v : random_vector(random, 10);
    const Vec3d vc = i % 2 == 0 ? Vec3d(0, 0, 0) : random_vector(random, 3);
    const ContactResult r = resolve_contact(distance_to(shape), params, radius, dt, vc, start, {start.x + v * dt, v});
    EXPECT_LE(norm(r.v - vc), norm(v - vc) * (1 + 1e-12)) << i;
    EXPECT_GE(signed_distance(shape, r.x - vc * dt).distance - radius, -1e-7) << i;
    EXPECT_TRUE(r.touched || r.v == v) << i;
    touched += r.touched;
  }
  EXPECT_GT(touched, 5000);
}

TEST(PointContact, StartInsideMovesOutKeepingTheVelocity) {
  const PointState start{{0, -0.2, 0}, {1, 0.5, 0}};
  const PointState s = advance(plane({0, 1, 0}), {1, 0}, 0.1, 0.01, {0, 0, 0}, start);
  EXPECT_EQ(s.v, start.v);
  EXPECT_NEAR(s.x.y, 0.1 + 0.005, 1e-12);
}

TEST(PointContact, SlidingInABowlKeepsTouchWithoutGaining) {
  // Released at the side of a frictionless bowl: swings through the bottom and never leaves it upwards.
  const ColliderShape bowl = sphere(1, true);
  PointState s{{0.9, 0, 0}, {0, 0, 0}};
  double highest_speed = 0, lowest = 0;
  for (int i = 0; i < 2000; ++i) {
    s = advance(bowl, {0, 0}, 0.1, 1e-3, {0, -gravity, 0}, s);
    ASSERT_LT(norm(s.x), 0.9 + 1e-9);
    highest_speed = std::max(highest_speed, norm(s.v));
    lowest = std::min(lowest, s.x.y);
  }
  EXPECT_NEAR(lowest, -0.9, 1e-3);
  EXPECT_LT(highest_speed, std::sqrt(2 * gravity * 0.9));
  EXPECT_GT(highest_speed, 0.99 * std::sqrt(2 * gravity * 0.9));
}

TEST(PointContact, MovingPlaneCarriesAndThrows) {
  const Vec3d up(0, 2, 0);
  const ColliderShape floor = plane({0, 1, 0});
  const ContactResult carried =
      resolve_contact(distance_to(floor), {0, 0}, 0, 0.1, up, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}});
  EXPECT_NEAR(carried.v.y, 2, 1e-14);
  EXPECT_NEAR(carried.x.y, 0.2, 1e-14);
  const ContactResult thrown =
      resolve_contact(distance_to(floor), {1, 0}, 0, 0.1, up, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}});
  EXPECT_NEAR(thrown.v.y, 4, 1e-14);
}

TEST(PointContact, SequentialPassesSettleACorner) {
  const ColliderShape walls[] = {plane({0.6, 0.8, 0}), plane({-0.6, 0.8, 0})};
  PointState s{{0.2, 1, 0}, {0, 0, 0}};
  for (int i = 0; i < 3000; ++i) {
    const PointState start = s;
    const Vec3d v = start.v + Vec3d(0, -gravity, 0) * 2e-3;
    s = {start.x + v * 2e-3, v};
    bool touched = true;
    for (int pass = 0; pass < 3 && touched; ++pass) {
      touched = false;
      for (const ColliderShape& wall : walls) {
        const ContactResult r = resolve_contact(distance_to(wall), {0.3, 0.2}, 0.05, 2e-3, {0, 0, 0}, start, s);
        s = {r.x, r.v};
        touched = touched || r.touched;
      }
    }
    for (const ColliderShape& wall : walls) ASSERT_GT(signed_distance(wall, s.x).distance, 0.05 - 1e-4) << i;
  }
  EXPECT_NEAR(s.x.y, 0.05 / 0.8, 1e-3);
  EXPECT_NEAR(s.x.x, 0, 1e-3);
}

}  // namespace
}  // namespace ymir
