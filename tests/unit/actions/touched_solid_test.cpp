// What a point meets on its way through a substep.
#include "ymir/actions/touched_solid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/random.h"

namespace ymir {
namespace {

// A plate of 2 m x 1 cm x 2 m, its upper side at y = 0.
Collider plate() {
  BoxShape box;
  box.center = {0, -0.005, 0};
  box.half_size = {1, 0.005, 1};
  return {.distance = [box](Vec3d x) { return signed_distance(box, x); }};
}

TEST(TouchedOnTheWay, APointIsBehindThePlateThroughWhichItFell) {
  const SolidDuring solid = solid_during(plate());
  const SolidAtEnd at = solid(0, 1);
  Random random(5, 0);
  for (int k = 0; k < 1000; ++k) {
    const Vec3d begin{random.uniform(-0.5, 0.5), random.uniform(1e-6, 0.3), random.uniform(-0.5, 0.5)};
    const Vec3d now{random.uniform(-0.5, 0.5), random.uniform(-0.3, 0.2), random.uniform(-0.5, 0.5)};
    const TouchedSolid touched = touched_on_the_way(at, begin, now);
    EXPECT_NEAR(touched.distance, now.y, 1e-12) << begin.y << " " << now.y;  // above, inside or below: the upper side's
    EXPECT_NEAR(touched.normal.y, 1, 1e-12);
  }
}

TEST(TouchedOnTheWay, APointBesideThePlateIsFree) {
  const SolidDuring solid = solid_during(plate());
  const SolidAtEnd at = solid(0, 1);
  const TouchedSolid touched = touched_on_the_way(at, {1.3, 0.2, 0}, {1.2, -0.4, 0});
  EXPECT_NEAR(touched.distance, std::hypot(0.2, 0.39), 1e-12);
  // And below it, where it began there.
  EXPECT_NEAR(touched_on_the_way(at, {0, -0.3, 0}, {0, -0.2, 0}).distance, 0.19, 1e-12);
}

TEST(TouchedOnTheWay, APlateThatSweepsUpTakesAPointAlong) {
  Collider moving = plate();
  moving.pose = [](double time) {
    RigidTransform pose;
    pose.translation = {0, 2 * time - 1, 0};
    return pose;
  };
  const SolidDuring solid = solid_during(moving);
  const SolidAtEnd at = solid(0, 1);  // from y = -1 to 1, past the point
  const TouchedSolid touched = touched_on_the_way(at, {0, 0.1, 0}, {0, 0.1, 0});
  EXPECT_NEAR(touched.distance, 0.1 - 1, 1e-12);
  EXPECT_NEAR(touched.normal.y, 1, 1e-12);
  EXPECT_NEAR(touched.carried.y, 2, 1e-12);
}

TEST(TouchedOnTheWay, ABallIsEnteredWhereTheWayMeetsIt) {
  const SphereShape ball{{0, 0, 0}, 0.1};
  const SolidDuring solid = solid_during({.distance = [ball](Vec3d x) { return signed_distance(ball, x); }});
  const SolidAtEnd at = solid(0, 1);
  const TouchedSolid touched = touched_on_the_way(at, {0.06, 1, 0}, {0.06, -1, 0});
  EXPECT_NEAR(touched.normal.x, 0.6, 1e-3);
  EXPECT_NEAR(touched.normal.y, 0.8, 1e-3);
  EXPECT_NEAR(touched.distance, -(1 + 0.08) * 0.8, 2e-3);
  // A chord that leaves on the side of the entry's plane: pushed out to where it is nearest.
  EXPECT_GT(touched_on_the_way(at, {0.11, 1, 0}, {0.11, -1, 0}).distance, 0);
}

}  // namespace
}  // namespace ymir
