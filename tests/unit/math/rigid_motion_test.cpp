#include "ymir/math/rigid_motion.h"

#include <gtest/gtest.h>

#include "ymir/base/check.h"

namespace ymir {
namespace {

constexpr double deg = M_PI / 180;

void expect_near(Vec3d a, Vec3d b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Quaternion, TurnsAboutXThenYThenZ) {
  expect_near(rotate(quaternion_from_angles({90 * deg, 0, 0}), Vec3d{0, 1, 0}), {0, 0, 1}, 1e-15);
  expect_near(rotate(quaternion_from_angles({90 * deg, 90 * deg, 0}), Vec3d{0, 1, 0}), {1, 0, 0}, 1e-15);
  expect_near(rotate(quaternion_from_angles({90 * deg, 90 * deg, 90 * deg}), Vec3d{0, 1, 0}), {0, 1, 0}, 1e-15);
}

TEST(Quaternion, LogarithmInvertsTheExponentialUpToHalfATurn) {
  for (const double angle : {0.0, 1e-13, 1e-6, 0.3, 3.1}) {
    const Vec3d r = normalized(Vec3d{1, -2, 0.5}) * angle;
    expect_near(quaternion_log(quaternion_exp(r)), r, 1e-14);
    const Quaternion q = quaternion_exp(r);
    expect_near(quaternion_log({-q.w, -q.v}), r, 1e-14);
  }
}

TEST(Quaternion, SlerpHalfWayIsHalfTheAngle) {
  const Quaternion a = quaternion_from_angles({20 * deg, 0, 0}), b = quaternion_from_angles({80 * deg, 0, 0});
  const Quaternion half = slerp(a, b, 0.5), expected = quaternion_from_angles({50 * deg, 0, 0});
  EXPECT_NEAR(dot(half, expected), 1, 1e-15);
  EXPECT_NEAR(dot(half, half), 1, 1e-15);
}

TEST(RigidMotion, WithoutKeysIsTheIdentity) {
  const RigidMotion still;
  EXPECT_FALSE(still.moving());
  EXPECT_EQ(still.at(3), RigidTransform{});
}

TEST(RigidMotion, TurnsAboutThePivot) {
  const Vec3d pivot{1, 2, 3};
  const RigidMotion motion({{0, {}, {}}, {2, {0, 0, 5}, {0, 0, 90 * deg}}}, KeyInterpolation::linear, pivot);
  EXPECT_TRUE(motion.moving());
  expect_near(motion.at(2).to_world(pivot + Vec3d{1, 0, 0}), pivot + Vec3d{0, 1, 5}, 1e-14);
  const double c = std::cos(45 * deg);
  expect_near(motion.at(1).to_world(pivot + Vec3d{1, 0, 0}), pivot + Vec3d{c, c, 2.5}, 1e-14);
  expect_near(motion.at(0.7).to_body(motion.at(0.7).to_world({4, -1, 2})), {4, -1, 2}, 1e-14);
}

TEST(RigidMotion, HoldsThePoseBeforeTheFirstAndAfterTheLastKey) {
  const RigidMotion motion({{1, {1, 0, 0}, {0, 30 * deg, 0}}, {2, {2, 0, 0}, {0, 60 * deg, 0}}},
                           KeyInterpolation::smooth, {});
  EXPECT_EQ(motion.at(-5), motion.at(1));
  EXPECT_EQ(motion.at(9), motion.at(2));
  EXPECT_EQ(motion.at(9).translation, (Vec3d{2, 0, 0}));
}

TEST(RigidMotion, TurnsByFullTurnsWhereOneAngleChanges) {
  for (int axis = 0; axis < 3; ++axis)
    for (const KeyInterpolation how : {KeyInterpolation::linear, KeyInterpolation::smooth}) {
      const Vec3d start{0.3, 0.4, -0.7};
      Vec3d end = start;
      end[axis] += 4 * M_PI;  // two turns in a second
      const RigidMotion motion({{0, {}, start}, {1, {}, end}}, how, {});
      for (const double t : {0.125, 0.3, 0.5, 0.9}) {
        const double s = how == KeyInterpolation::linear ? t : t * t * (3 - 2 * t);
        Vec3d angles = start;
        angles[axis] += 4 * M_PI * s;
        expect_near(motion.at(t).to_world({1, 2, 3}), rotate(quaternion_from_angles(angles), Vec3d{1, 2, 3}), 1e-13);
      }
    }
}

TEST(RigidMotion, TakesTheShorterWayWhereSeveralAnglesChange) {
  const Vec3d a{10 * deg, 20 * deg, 30 * deg}, b{50 * deg, -20 * deg, 100 * deg};
  const RigidMotion motion({{0, {}, a}, {1, {}, b}}, KeyInterpolation::linear, {});
  const Quaternion expected = slerp(quaternion_from_angles(a), quaternion_from_angles(b), 0.25);
  EXPECT_NEAR(std::abs(dot(motion.at(0.25).rotation, expected)), 1, 1e-15);
}

// Velocity of a body point just before and just after a time.
double velocity_jump(const RigidMotion& motion, double time) {
  const double h = 1e-6;
  const Vec3d x{1, 0.5, -2};
  const Vec3d before = (motion.at(time).to_world(x) - motion.at(time - h).to_world(x)) / h;
  const Vec3d after = (motion.at(time + h).to_world(x) - motion.at(time).to_world(x)) / h;
  return norm(after - before);
}

TEST(RigidMotion, SmoothHitsTheKeysWithoutJumpsOfTheVelocity) {
  const std::vector<RigidKey> keys{{0, {0, 0, 0}, {0, 0, 0}},
                                   {0.5, {1, 0, 2}, {40 * deg, 10 * deg, 0}},
                                   {1.5, {1, 3, 0}, {70 * deg, -50 * deg, 90 * deg}},
                                   {2, {0, 0, 0}, {0, 0, 20 * deg}}};
  const RigidMotion smooth(keys, KeyInterpolation::smooth, {0, 1, 0});
  const RigidMotion linear(keys, KeyInterpolation::linear, {0, 1, 0});
  for (const RigidKey& key : keys) {
    expect_near(smooth.at(key.time).to_world({1, 2, 3}), linear.at(key.time).to_world({1, 2, 3}), 1e-13);
    EXPECT_LT(velocity_jump(smooth, key.time), 1e-3) << key.time;
    EXPECT_GT(velocity_jump(linear, key.time), 1) << key.time;
  }
}

TEST(RigidMotion, SmoothStandsStillBetweenEqualKeysAndDoesNotOvershootOnward) {
  const RigidMotion motion(
      {{0, {0, 0, 0}, {}}, {1, {1, 0, 0}, {}}, {2, {1, 0, 0}, {}}, {2.1, {5, 0, 0}, {}}, {4, {6, 0, 0}, {}}},
      KeyInterpolation::smooth, {});
  double last = 0;
  for (double t = 0; t <= 4; t += 0.01) {
    const double x = motion.at(t).translation.x;
    EXPECT_GE(x, last - 1e-12) << t;
    if (t >= 1 && t <= 2) {
      EXPECT_NEAR(x, 1, 1e-14);
    }
    last = x;
  }
}

TEST(RigidMotion, ComposesMotionsInOrder) {
  const RigidMotion lift({{0, {0, 1, 0}, {}}}, KeyInterpolation::linear, {});
  const RigidMotion turn({{0, {}, {0, 0, 90 * deg}}}, KeyInterpolation::linear, {});
  expect_near(pose_at({lift, turn}, 0).to_world({1, 0, 0}), {-1, 1, 0}, 1e-15);
  expect_near(pose_at({turn, lift}, 0).to_world({1, 0, 0}), {0, 2, 0}, 1e-15);
}

TEST(RigidMotion, RefusesTimesOutOfOrder) {
  EXPECT_THROW(RigidMotion({{1, {}, {}}, {1, {}, {}}}, KeyInterpolation::linear, {}), CheckFailed);
}

}  // namespace
}  // namespace ymir
