#include "ymir/physics/contact/contact_frame.h"

#include <gtest/gtest.h>

#include "ymir/math/quaternion.h"

namespace ymir {
namespace {

TEST(ContactFrame, PointsFromBToA) {
  const Vec3d e = contact_normal({0, 0, 3e-4}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0});
  EXPECT_EQ(e, Vec3d(0, 0, 1));
}

TEST(ContactFrame, OfCoincidentPointsIsTheOneBeforeOrAcrossBothTangents) {
  const Vec3d nothing{0, 0, 0}, close{1e-10, 0, 0};
  EXPECT_EQ(contact_normal(close, {0, 0, -2}, {1, 0, 0}, {0, 1, 0}), Vec3d(0, 0, -1));
  EXPECT_EQ(contact_normal(close, nothing, {2, 0, 0}, {0, 3, 0}), Vec3d(0, 0, 1));
  // Parallel tangents, one tangent, none: some unit vector across what there is.
  for (const Vec3d b : {Vec3d{2, 0, 0}, nothing}) {
    const Vec3d e = contact_normal(close, nothing, {1, 0, 0}, b);
    EXPECT_NEAR(norm(e), 1, 1e-15);
    EXPECT_EQ(e.x, 0);
  }
  EXPECT_NEAR(norm(contact_normal(close, nothing, nothing, nothing)), 1, 1e-15);
}

TEST(ContactFrame, FollowsTheFibre) {
  const Vec3d e = normalized(Vec3d{1, 2, 3}), fibre{0.3, -0.1, 0.2}, t1 = tangent_along(e, fibre);
  EXPECT_NEAR(dot(e, t1), 0, 1e-15);
  EXPECT_NEAR(norm(t1), 1, 1e-15);
  EXPECT_NEAR(dot(cross(e, t1), fibre), 0, 1e-15);  // in the plane of e and the fibre
  EXPECT_GT(dot(t1, fibre), 0);
  EXPECT_NEAR(dot(tangent_along(e, e * 2.0), e), 0, 1e-15);
}

TEST(ContactFrame, IsCarriedWithoutTwist) {
  // Around a closed path on the sphere, a quarter of a turn at each corner, the tangent turns by the solid angle pi/2.
  Vec3d e{1, 0, 0}, t1{0, 1, 0};
  for (const Vec3d next : {Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{1, 0, 0}}) {
    t1 = tangent_carried(next, e, t1);
    e = next;
    EXPECT_NEAR(dot(e, t1), 0, 1e-15);
  }
  EXPECT_NEAR(t1.z, 1, 1e-15);
}

}  // namespace
}  // namespace ymir
