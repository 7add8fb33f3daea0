// Thickness of bodies by balls inside them: of plates, balls and rods.
#include "ymir/data/body_thickness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/data/shape_meshes.h"

namespace ymir {
namespace {

Surface box(Vec3d size) { return box_mesh({1, 2, 3}, size * 0.5, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}); }

TEST(BodyThickness, IsThatOfAPlate) {
  EXPECT_NEAR(median_thickness(box({1, 0.01, 0.5})), 0.01, 1e-6);
  EXPECT_NEAR(median_thickness(box({0.2, 3, 1})), 0.2, 1e-5);
}

TEST(BodyThickness, IsTheDiameterOfABall) { EXPECT_NEAR(median_thickness(sphere_mesh({0, 1, 0}, 0.3, 32)), 0.6, 0.02); }

TEST(BodyThickness, DoesNotMindBumps) {
  Surface ball = sphere_mesh({0, 1, 0}, 0.3, 32);
  for (std::size_t v = 0; v < ball.positions.size(); ++v)
    ball.positions[v] += (ball.positions[v] - Vec3d{0, 1, 0}) * (0.02 * std::sin(12.9898 * static_cast<double>(v)));
  EXPECT_GT(median_thickness(ball), 0.4);
}

// The ball at the middle of a triangle of its side touches the next side.
TEST(BodyThickness, IsTwoThirdsOfASquareRod) { EXPECT_NEAR(median_thickness(box({4, 0.1, 0.1})), 0.1 * 2 / 3, 1e-3); }

}  // namespace
}  // namespace ymir
