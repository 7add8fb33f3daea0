#include "ymir/physics/fluid/added_mass.h"

#include <gtest/gtest.h>

namespace ymir {
namespace {

using namespace added_mass;

TEST(AddedMass, MakesASuspensionConductAsMaxwellHasIt) {
  for (const double s : {0.0, 0.1, 0.3, 0.6, 0.9}) {
    EXPECT_NEAR(1 - (1 + of_sphere(s)) * s, (1 - s) / (1 + s / 2), 1e-15);
    EXPECT_NEAR(1 - (1 + of_cylinder(s)) * s, (1 - s) / (1 + s), 1e-15);  // across, in two dimensions
  }
  EXPECT_EQ(of_sphere(0), 0.5);
  EXPECT_EQ(of_cylinder(0), 1);
}

TEST(AddedMass, HasAnOwnShareThatGrowsWithTheBallWithoutJumps) {
  for (double r = 0.05; r < 30; r *= 1.01) {
    const double share = own_share_of_ball(r), next = own_share_of_ball(1.01 * r);
    EXPECT_GT(next, share) << r;
    EXPECT_LT(next, 1.06 * share) << r;
  }
  // As large as wanted, the ball is even inside and takes what its weights spread it over.
  EXPECT_NEAR(own_share_of_ball(1e6), 1 / (1.3 * 1.3 * 1.3), 1e-6);
}

TEST(AddedMass, HasAnOwnShareThatTheGridsSymmetriesKeep) {
  const double volume = 0.01;
  // On a face the pressure gives back a third of a force, between faces less.
  EXPECT_NEAR(own_share_of_trilinear({0, 0, 0}, 1, volume), volume, 1e-15);
  for (const Vec3d x : {Vec3d{0.1, 0.4, 0.8}, Vec3d{0.5, 0.2, 0.9}})
    for (int axis = 0; axis < 3; ++axis) {
      const double share = own_share_of_trilinear(x, axis, volume);
      EXPECT_GT(share, 0);
      EXPECT_LT(share, volume);
      EXPECT_NEAR(own_share_of_trilinear(Vec3d{1, 1, 1} - x, axis, volume), share, 1e-15);
      EXPECT_NEAR(own_share_of_trilinear({x.z, x.x, x.y}, (axis + 1) % 3, volume), share, 1e-15);
    }
}

TEST(AddedMass, SpreadsBodiesOverAtLeastAVoxelAndAQuarter) {
  EXPECT_EQ(kernel_radius(0.1, false), 0);
  EXPECT_EQ(kernel_radius(0.5, false), 1.25);
  EXPECT_EQ(kernel_radius(2, false), 2.6);
  EXPECT_EQ(kernel_radius(0.2, true), 1.25);
  EXPECT_EQ(kernel_radius(2, true), 3.4);
  EXPECT_EQ(ball_weight(2, 1), 1);
  EXPECT_EQ(ball_weight(2, 2), 0.5);
  EXPECT_EQ(ball_weight(2, 3), 0);
}

}  // namespace
}  // namespace ymir
