#include "ymir/grooms/head.h"

#include <gtest/gtest.h>

#include "groom_samples.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

TEST(Head, IsClosedAndOrientedOutwards) {
  const Surface& head = head_scalp().surface();
  EXPECT_TRUE(closed(head));
  EXPECT_GT(head.triangles.size(), 3000u);
  double volume = 0;
  for (const auto& t : head.triangles)
    volume += dot(head.positions[t[0]], cross(head.positions[t[1]], head.positions[t[2]])) / 6;
  EXPECT_GT(volume, 0.003);  // [m^3], a head is 4 to 5 litres
  EXPECT_LT(volume, 0.006);
}

TEST(Head, HasTheSizeOfAHead) {
  const Box box = bounds(head_scalp().surface().positions);
  EXPECT_NEAR(box.low.y, 0, 0.002);
  EXPECT_NEAR(box.size().y, 0.257, 0.01);
  EXPECT_NEAR(box.size().x, 0.155, 0.01);
  EXPECT_NEAR(box.size().z, 0.20, 0.015);
  EXPECT_NEAR(box.center().x, 0, 1e-3);
}

TEST(Head, HasNoSliverOrFoldedTriangles) {
  const Surface& head = head_scalp().surface();
  const TriangleBvh bvh(head);
  for (std::size_t i = 0; i < head.triangles.size(); ++i) {
    const auto& t = head.triangles[i];
    const Vec3d a = head.positions[t[0]], b = head.positions[t[1]], c = head.positions[t[2]];
    const double longest = std::max({norm(b - a), norm(c - b), norm(a - c)});
    EXPECT_GT(norm(cross(b - a, c - a)), 0.05 * longest * longest) << "triangle " << i;
    // A point just above a triangle that is not folded under others is outside.
    const Vec3d above = (a + b + c) / 3.0 + normalized(cross(b - a, c - a)) * 1e-5;
    EXPECT_GT(bvh.signed_distance(above), 0) << "triangle " << i;
  }
}

TEST(Head, GrowsHairOnCrownAndBackOnly) {
  const Surface& head = head_scalp().surface();
  const auto scalp = head.vertices.get<float>("scalp");
  for (std::size_t v = 0; v < head.positions.size(); ++v) {
    const Vec3d p = head.positions[v];
    if (p.y > 0.23 || (p.y > 0.12 && p.z < -0.08)) {  // crown and back
      EXPECT_GT(scalp[v], 0.9f);
    }
    if (p.y < 0.07 || (p.y < 0.18 && p.z > 0.05)) {  // neck and face
      EXPECT_EQ(scalp[v], 0.0f);
    }
  }
}

TEST(Scalp, RootsLieOnTheSkinAndKeepTheirDistance) {
  const auto roots = head_scalp().roots(800, 3);
  ASSERT_EQ(roots.size(), 800u);
  const double even = std::sqrt(2 / std::sqrt(3.0) * head_scalp().area() / 800);
  double least = 1;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    EXPECT_NEAR(head_scalp().contact(roots[i].position, 0.1).distance, 0, 1e-9);
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, norm(roots[i].position - roots[j].position));
  }
  // 800 independent points come as near as a twentieth of the even spacing.
  EXPECT_GT(least, 0.35 * even);
}

TEST(Scalp, FewerRootsAreTheFirstOfMore) {
  const auto few = head_scalp().roots(50, 9), many = head_scalp().roots(300, 9);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i].position, many[i].position);
}

TEST(Scalp, RestrictsHairByAngleAndByChannel) {
  Surface ball = head_scalp().surface();
  const Scalp cap(ball, {.channel = "scalp", .max_angle = 0.5}, "ball");
  for (const Root& root : cap.roots(100, 1)) EXPECT_GT(root.normal.y, std::cos(0.5) - 0.1);
  const auto half = ball.vertices.add<float>("half");
  for (std::size_t v = 0; v < half.size(); ++v) half[v] = ball.positions[v].x > 0.02 ? 1.0f : 0.0f;
  const Scalp side(ball, {.channel = "half", .max_angle = {}}, "ball");
  for (const Root& root : side.roots(100, 1)) EXPECT_GT(root.position.x, 0.01);
}

TEST(Scalp, RefusesWhatCannotGrowHair) {
  EXPECT_THROW(Scalp({}, {}, "empty"), Error);
  Surface head = head_scalp().surface();
  EXPECT_THROW(Scalp(head, {.channel = "painted", .max_angle = {}}, "head"), Error);
  EXPECT_THROW(Scalp(head, {.channel = "scalp", .max_angle = 0.0}, "head"), Error);
  head.positions[7].y = std::nan("");
  EXPECT_THROW(Scalp(head, {}, "head"), Error);
  head.positions[7].y = 0;
  head.triangles[0][0] = 1 << 30;
  EXPECT_THROW(Scalp(head, {}, "head"), Error);
}

TEST(Scalp, CountsTheSpaceBehindABorderAsOutside) {
  Surface flat;
  flat.positions = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
  flat.triangles = {{0, 2, 1}, {0, 3, 2}};
  flat.vertices.resize(4);
  const Scalp scalp(flat, {}, "flat");
  EXPECT_GT(scalp.contact({1.5, -0.5, 0}, 10).distance, 0);
  EXPECT_LT(scalp.contact({0.5, -0.2, 0}, 10).distance, 0);
}

}  // namespace
}  // namespace ymir
