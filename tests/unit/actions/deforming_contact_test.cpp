// One point against a surface that deforms, during one step.
#include "ymir/actions/deforming_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/data/shape_meshes.h"

namespace ymir {
namespace {

// From one shape to another within a step; the step before was like it.
MovingSurface moving(const Surface& from, const Surface& to, double dt) {
  std::vector<Vec3d> before = from.positions;
  for (std::size_t i = 0; i < before.size(); ++i) before[i] += from.positions[i] - to.positions[i];
  return {std::make_shared<const SurfaceHierarchy>(from), 0, dt, before, from.positions, to.positions};
}

ContactResult resolve(const MovingSurface& surface, const ContactParams& params, double radius, Vec3d x, Vec3d v0,
                      Vec3d v, double push_out = 0.2) {
  return resolve_deforming_contact(surface, params, push_out, radius, surface.sample(x, 0), {x, v0},
                                   {x + v * surface.dt(), v});
}

constexpr double dt = 0.01;

TEST(DeformingContact, APointAtRestMovesWithTheSurface) {
  const MovingSurface sphere = moving(sphere_mesh({0, 0, 0}, 1, 32), sphere_mesh({0, 0, 0}, 1.02, 32), dt);
  const double r = 0.01;
  // It had the velocity of the surface; gravity has pulled at it.
  const ContactResult c = resolve(sphere, {0.9, 0.3}, r, {0, 1 + r, 0}, {0, 2, 0}, {0, 2 - 9.81 * dt, 0});
  EXPECT_TRUE(c.touched);
  EXPECT_NEAR(c.v.y, 2, 1e-12);
  EXPECT_NEAR(c.x.y, 1.02 + r, 1e-12);
}

TEST(DeformingContact, ImpactIsRelativeToTheSurface) {
  const MovingSurface sphere = moving(sphere_mesh({0, 0, 0}, 1, 32), sphere_mesh({0, 0, 0}, 1.02, 32), dt);
  const ContactResult c = resolve(sphere, {0.5, 0}, 0, {0, 1.015, 0}, {0, -1, 0}, {0, -1, 0});
  EXPECT_NEAR(c.v.y, 2 + 0.5 * 3, 1e-12);
  // Met after 5 ms at 1.01, then on with the rebound.
  EXPECT_NEAR(c.x.y, 1.01 + 3.5 * 5e-3, 1e-9);
}

TEST(DeformingContact, FrictionIsRelativeToThePointThatIsTouched) {
  // The top of a slab slides at 5 m/s; its bottom does not.
  const Surface from = box_mesh({0, -0.5, 0}, {5, 0.5, 5}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  Surface to = from;
  for (Vec3d& p : to.positions)
    if (p.y > -0.5) p.x += 5 * dt;
  const MovingSurface slab = moving(from, to, dt);
  const ContactResult sticks = resolve(slab, {0, 100}, 0, {0, 0, 0}, {5, 0, 0}, {5, -0.1, 0});
  EXPECT_NEAR(sticks.v.x, 5, 1e-12);
  EXPECT_NEAR(sticks.x.x, 5 * dt, 1e-12);
  const ContactResult slides = resolve(slab, {0, 0.5}, 0, {0, 0, 0}, {0, 0, 0}, {0, -0.1, 0});
  EXPECT_NEAR(slides.v.x, 0.5 * 0.1, 1e-12) << "mu times the normal impulse";
  EXPECT_NEAR(slides.v.y, 0, 1e-12);
}

TEST(DeformingContact, NothingPassesThroughAFinger) {
  // A finger of 4 mm sweeps by 10 cm in one step; points stand in its way, or fly at it.
  const MovingSurface finger =
      moving(capsule_mesh({-0.05, 0, 0}, 4e-3, 0.1, 24), capsule_mesh({0.05, 0, 0}, 4e-3, 0.1, 24), dt);
  for (const double speed : {0.0, -30.0, 5.0})
    for (const double z : {-3e-3, 0.0, 2.5e-3}) {
      const Vec3d v{speed, 0, 0};
      const ContactResult c = resolve(finger, {0, 0}, 1e-4, {0.001, 0.003, z}, v, v);
      const SurfaceSample end = finger.sample(c.x, dt);
      EXPECT_TRUE(c.touched);
      EXPECT_GE(end.distance, 1e-4 - 1e-6) << speed << " " << z;
    }
}

TEST(DeformingContact, WhatBeginsInsideComesOutSlowly) {
  const Surface shape = capsule_mesh({0, 0, 0}, 4e-3, 0.1, 48);
  const MovingSurface finger = moving(shape, shape, dt);
  Vec3d x{3e-3, 0.01, 0}, v{0, 0, 0};
  double last = finger.sample(x, 0).distance;
  int steps = 0;
  for (; steps < 20 && last < 0; ++steps) {
    const ContactResult c = resolve(finger, {0.5, 0.3}, 0, x, v, v, 0.03);
    EXPECT_LT(norm(c.x - x), 0.03 * dt * 1.001);
    EXPECT_EQ(norm(c.v), 0) << "coming out is no motion";
    x = c.x;
    v = c.v;
    last = finger.sample(x, 0).distance;
    EXPECT_GT(x.x, 2.9e-3) << "on the near side";
  }
  EXPECT_NEAR(steps, 1e-3 / (0.03 * dt), 1.01);
}

TEST(DeformingContact, WhatIsNotFiniteStaysSo) {
  const Surface shape = sphere_mesh({0, 0, 0}, 1, 16);
  const MovingSurface still = moving(shape, shape, dt);
  const double nan = std::nan("");
  EXPECT_FALSE(resolve(still, {}, 0.1, {nan, 0, 0}, {0, 0, 0}, {0, 1, 0}).touched);
  EXPECT_FALSE(is_finite(resolve(still, {}, 0.1, {0, 1.01, 0}, {0, 0, 0}, {0, nan, 0}).x));
}

TEST(DeformingContact, FarPointsAreLeftAlone) {
  const Surface shape = sphere_mesh({0, 0, 0}, 1, 16);
  const ContactResult c = resolve(moving(shape, shape, dt), {}, 0.1, {3, 0, 0}, {-1, 0, 0}, {-1, 0.5, 0});
  EXPECT_FALSE(c.touched);
  EXPECT_EQ(c.v, (Vec3d{-1, 0.5, 0}));
}

}  // namespace
}  // namespace ymir
