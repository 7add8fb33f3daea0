// Contact with colliders that move rigidly.
#include <gtest/gtest.h>

#include "ymir/base/random.h"
#include "ymir/physics/contact/point_contact.h"

namespace ymir {
namespace {

Vec3d random_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

RigidTransform random_pose(Random& random, double shift, double angle) {
  return {quaternion_exp(random_vector(random, angle)), random_vector(random, shift)};
}

BoxShape box(Vec3d half_size) {
  BoxShape shape;
  shape.half_size = half_size;
  return shape;
}

TEST(MovingContact, LeavesAFarPointAsItIs) {
  const BoxShape shape = box({0.1, 0.1, 0.1});
  const auto phi = [&](Vec3d x) { return signed_distance(shape, x); };
  const MovingSolid solid{{}, {{}, {0, 5, 0}}, {quaternion_exp({1, 0, 0}), {0, 6, 0}}, 0.1};
  const PointState proposed{{0.2, 0.1, 0}, {1, 2, 3}};
  const ContactResult r = resolve_contact(phi, {0.5, 0.5}, 0.01, 0.1, solid, {{0, 0, 0}, {0, 0, 0}}, proposed);
  EXPECT_FALSE(r.touched);
  EXPECT_EQ(r.x, proposed.x);
  EXPECT_EQ(r.v, proposed.v);
}

TEST(MovingContact, EqualsContactWithAStillColliderWhenNothingMoves) {
  Random random(5, 1);
  const BoxShape shape = box({0.5, 0.1, 0.3});
  const auto phi = [&](Vec3d x) { return signed_distance(shape, x); };
  int touched = 0;
  for (int i = 0; i < 2000; ++i) {
    const RigidTransform pose = random_pose(random, 2, 3);
    const PointState start{random_vector(random, 0.6), random_vector(random, 10)};
    const double dt = 0.05;
    const PointState proposed{start.x + start.v * dt, start.v};
    const ContactResult still = resolve_contact(phi, {0.4, 0.3}, 0.02, dt, StillSolid{}, start, proposed);
    const PointState start_world{pose.to_world(start.x), pose.direction_to_world(start.v)};
    const PointState proposed_world{pose.to_world(proposed.x), pose.direction_to_world(proposed.v)};
    const ContactResult moved =
        resolve_contact(phi, {0.4, 0.3}, 0.02, dt, MovingSolid{pose, pose, pose, dt}, start_world, proposed_world);
    EXPECT_EQ(still.touched, moved.touched);
    EXPECT_LT(norm(pose.to_world(still.x) - moved.x), 1e-9);
    EXPECT_LT(norm(pose.direction_to_world(still.v) - moved.v), 1e-9);
    touched += still.touched ? 1 : 0;
  }
  EXPECT_GT(touched, 200);
}

// Thin blades that sweep past points, by more than their thickness and by large angles in one step.
TEST(MovingContact, LetsNothingThroughAFastBladeAndAddsNoRelativeEnergy) {
  Random random(6, 1);
  const BoxShape shape = box({1, 0.01, 1});
  const auto phi = [&](Vec3d x) { return signed_distance(shape, x); };
  const double radius = 0.005, dt = 0.04;
  int swept = 0;
  for (int i = 0; i < 3000; ++i) {
    const RigidTransform start_pose = random_pose(random, 0.3, 1), step = random_pose(random, 0.3, 0.6);
    const RigidTransform end_pose = compose(step, start_pose);
    const MovingSolid solid{start_pose, start_pose, end_pose, dt};
    const PointState start{random_vector(random, 0.7), random_vector(random, 2)};
    if (phi(start_pose.to_body(start.x)).distance < radius) continue;
    const PointState proposed{start.x + start.v * dt, start.v};
    const ContactParams params{random.uniform(0, 1), random.uniform(0, 1)};
    const ContactResult r = resolve_contact(phi, params, radius, dt, solid, start, proposed);
    const Vec3d from = start_pose.to_body(start.x), to = end_pose.to_body(r.x);
    EXPECT_GT(phi(to).distance, radius - 1e-8);
    const bool over_the_blade =
        std::abs(from.x) < 0.9 && std::abs(from.z) < 0.9 && std::abs(to.x) < 0.9 && std::abs(to.z) < 0.9;
    if (over_the_blade) {
      EXPECT_GT(from.y * to.y, 0) << "went through";
    }
    if (!r.touched) continue;
    ++swept;
    EXPECT_LE(norm(solid.relative_at_end(r.v, to)),
              norm(solid.relative_at_end(proposed.v, to)) + 2 * norm(to - from) * 0.6 * std::sqrt(3.0) / dt + 1e-9);
  }
  EXPECT_GT(swept, 300);
}

TEST(MovingContact, CarriesAPointThatSticksExactly) {
  ColliderShape plane;
  const auto phi = [&](Vec3d x) { return signed_distance(plane, x); };
  const double dt = 0.02, r = 0.01, g = 9.81;
  const auto pose = [&](int step) {
    const double t = step * dt;  // lifts and tilts and turns, all at once
    return RigidTransform{quaternion_exp({0.05 * t, 0.8 * t, 0.1 * t * t}), {0.1 * t, 0.3 * t * t, 0}};
  };
  const Vec3d body{0.2, r, -0.1};
  PointState now{pose(0).to_world(body), {0, 0, 0}};
  for (int step = 0; step < 100; ++step) {
    const MovingSolid solid{pose(step - 1), pose(step), pose(step + 1), dt};
    const Vec3d v = now.v + Vec3d{0, -g * dt, 0};
    const ContactResult result = resolve_contact(phi, {0.9, 2}, r, dt, solid, now, {now.x + v * dt, v});
    ASSERT_TRUE(result.touched);
    now = {result.x, result.v};
    // What its own weight presses in before the touch is found is below the tolerance of the contact.
    EXPECT_LT(norm(pose(step + 1).to_body(now.x) - body), 1e-9) << step;
  }
}

}  // namespace
}  // namespace ymir
