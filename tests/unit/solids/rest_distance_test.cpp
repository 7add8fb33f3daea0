// Depth inside of bodies that deform, by their distance at rest.
#include "ymir/solids/detection/rest_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/random.h"
#include "ymir/data/lattice.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/math/mat3.h"
#include "ymir/math/quaternion.h"

namespace ymir {
namespace {

constexpr double radius = 0.1, voxel = 8e-3;
constexpr double facets = 1e-3;  // of the mesh of the ball, and of its grid

struct Ball {
  SolidMesh mesh = lattice_of(sphere_mesh({0, 0, 0}, radius, 32), 0.03, "ball", 10'000);
  RestDistance distance{mesh, std::make_shared<SignedDistanceGrid>(mesh.skin, voxel, 0.03, "ball")};
};

Vec3d random_place(int i, double size) {
  Random random(4, static_cast<std::uint64_t>(i));
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

TEST(RestDistance, OfABodyThatMovedRigidlyIsItsOwn) {
  Ball ball;
  const Quaternion turn = quaternion_exp({0.4, -1.1, 0.7});
  const Vec3d shift{3, -2, 5};
  std::vector<Vec3d> nodes;
  for (const Vec3d& x : ball.mesh.positions) nodes.push_back(rotate(turn, x) + shift);
  ball.distance.fit(nodes);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3d rest = random_place(i, 0.12);
    const double exact = norm(rest) - radius;
    const auto hit = ball.distance.find(rotate(turn, rest) + shift);
    if (std::abs(exact) < facets) continue;
    ASSERT_EQ(hit.has_value(), exact < 0) << i;
    if (!hit || norm(rest) < 0.03) continue;  // at the middle all ways out are as long
    ++inside;
    EXPECT_NEAR(hit->distance, exact, 2 * facets);
    EXPECT_GT(dot(hit->normal, rotate(turn, normalized(rest))), 0.99);
    EXPECT_NEAR(norm(hit->nearest - shift), radius, 2 * facets);
  }
  EXPECT_GT(inside, 500);
}

TEST(RestDistance, OfAStretchedBodyEndsOnItsSurface) {
  // An ellipsoid, sheared: x = A X. Inside is where |A^-1 x| < radius, and the way out ends at |A^-1 x'| = radius.
  Ball ball;
  const Mat3d a{{1.6, 0.2, 0}, {-0.3, 0.8, 0.1}, {0, 0.4, 1.1}};
  std::vector<Vec3d> nodes;
  for (const Vec3d& x : ball.mesh.positions) nodes.push_back(a * x);
  ball.distance.fit(nodes);
  const Mat3d inverse = transposed(cofactor(a)) * (1 / determinant(a));
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3d x = random_place(i, 0.2);
    const double exact = norm(inverse * x) - radius;
    const auto hit = ball.distance.find(x);
    if (std::abs(exact) < facets) continue;
    ASSERT_EQ(hit.has_value(), exact < 0) << i;
    if (!hit) continue;
    ++inside;
    EXPECT_NEAR(norm(inverse * hit->nearest), radius, 2 * facets);
    EXPECT_NEAR(hit->distance, -norm(hit->nearest - x), 1e-15);
    EXPECT_NEAR(norm(hit->normal), 1, 1e-12);
    // Out along the normal by the distance.
    EXPECT_LT(norm(x - hit->normal * hit->distance - hit->nearest), 1e-12);
  }
  EXPECT_GT(inside, 150);
}

}  // namespace
}  // namespace ymir
