#include "ymir/data/deformation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ymir {
namespace {

const DeformationAxis axis{{1, 2, 3}, 0.5};

TEST(Deformation, WithoutAnyLeavesEveryPoint) {
  EXPECT_EQ(norm(deformed({1.2, 2.3, 2.9}, {}, axis) - Vec3d{1.2, 2.3, 2.9}), 0);
}

TEST(Deformation, BendsTheAxisIntoAnArcOfTheSameLength) {
  const DeformationKey by{0, 0.6, 0.8, 0, 0};  // one radian, towards +z and +x
  Vec3d last = deformed(axis.foot, by, axis);
  EXPECT_LT(norm(last - axis.foot), 1e-15);
  double length = 0;
  for (int i = 1; i <= 1000; ++i) {
    const Vec3d p = deformed(axis.foot + Vec3d{0, axis.length * i / 1000, 0}, by, axis);
    length += norm(p - last);
    last = p;
  }
  EXPECT_NEAR(length, axis.length, 1e-6);
  // The end of an arc of radius L / angle.
  const double radius = axis.length / 1.0;
  EXPECT_NEAR(last.y - axis.foot.y, radius * std::sin(1.0), 1e-12);
  EXPECT_NEAR(last.x - axis.foot.x, 0.8 * radius * (1 - std::cos(1.0)), 1e-12);
  EXPECT_NEAR(last.z - axis.foot.z, 0.6 * radius * (1 - std::cos(1.0)), 1e-12);
}

TEST(Deformation, KeepsSectionsRigidAndWhatLiesBeyondTheEnds) {
  const DeformationKey by{0, 0.7, -0.2, 1.1, 0};
  const auto at = [&](double x, double y, double z) { return deformed(axis.foot + Vec3d{x, y, z}, by, axis); };
  for (const double y : {-0.1, 0.0, 0.2, 0.5, 0.6})
    EXPECT_NEAR(norm(at(0.1, y, 0) - at(-0.05, y, 0.2)), std::hypot(0.15, 0.2), 1e-12) << y;
  EXPECT_LT(norm(at(0.1, -0.1, 0.2) - (axis.foot + Vec3d{0.1, -0.1, 0.2})), 1e-15) << "below the foot nothing moves";
  EXPECT_NEAR(norm(at(0, 0.8, 0) - at(0, 0.5, 0)), 0.3, 1e-12) << "above the end it goes on straight";
}

TEST(Deformation, SwellsAboutTheMiddle) {
  const Vec3d middle{1, 2.25, 3};
  EXPECT_LT(norm(deformed(middle, {0, 0, 0, 0, 0.5}, axis) - middle), 1e-15);
  EXPECT_LT(
      norm(deformed(middle + Vec3d{0.1, 0.1, -0.2}, {0, 0, 0, 0, 0.5}, axis) - (middle + Vec3d{0.15, 0.15, -0.3})),
      1e-15);
}

TEST(Deformation, IsEasedBetweenKeysAndHeldBeyond) {
  const std::vector<DeformationKey> keys{{1, 0, 0, 0, 0}, {3, 1, 0, 0, 0}};
  EXPECT_EQ(deformation_at(keys, 0).bend, 0);
  EXPECT_EQ(deformation_at(keys, 4).bend, 1);
  EXPECT_NEAR(deformation_at(keys, 2).bend, 0.5, 1e-15);
  EXPECT_LT(deformation_at(keys, 1.01).bend, 1e-4) << "it starts from rest";
  EXPECT_EQ(deformation_at({}, 2).swell, 0);
}

}  // namespace
}  // namespace ymir
