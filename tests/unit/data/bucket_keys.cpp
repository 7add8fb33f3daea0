#include "ymir/data/bucket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ymir/base/random.h"

namespace ymir {
namespace {

BucketCoord random_bucket(Random& random, int level) {
  const auto axis = [&] {
    return static_cast<std::int32_t>(std::floor(random.uniform(-1, 1) * (bucket_reach >> level)));
  };
  const std::int32_t x = axis(), y = axis(), z = axis();
  return {x, y, z, level};
}

TEST(BucketKey, GivesTheCoordinatesBackAtEveryLevelAndSign) {
  for (int level = 0; level < max_bucket_levels; ++level)
    for (std::uint64_t n = 0; n < 500; ++n) {
      Random random(static_cast<std::uint64_t>(level), n);
      const BucketCoord c = random_bucket(random, level);
      ASSERT_TRUE(addressable(c));
      EXPECT_EQ(coord_of(key_of(c)), c);
      EXPECT_EQ(level_of(key_of(c)), level);
    }
  const std::int32_t r = bucket_reach;
  for (const BucketCoord c : {BucketCoord{-r, -r, -r, 0}, BucketCoord{r - 1, r - 1, r - 1, 0}, BucketCoord{0, 0, 0, 0},
                              BucketCoord{-1, 0, -1, 5}})
    EXPECT_EQ(coord_of(key_of(c)), c);
}

TEST(BucketKey, ACoarseBucketComesDirectlyBeforeTheBucketsInsideIt) {
  for (std::uint64_t n = 0; n < 200; ++n) {
    Random random(7, n);
    const BucketCoord c = random_bucket(random, 3);
    std::vector<BucketKey> family{key_of(c)};
    for (int a = 0; a < 8; ++a) {
      family.push_back(key_of(child(c, a)));
      for (int b = 0; b < 8; ++b) family.push_back(key_of(child(child(c, a), b)));
    }
    EXPECT_TRUE(std::is_sorted(family.begin(), family.end()));
    BucketCoord outside = random_bucket(random, 2);
    if (parent(outside) == c) continue;
    const BucketKey key = key_of(outside);
    EXPECT_TRUE(key < family.front() || key > family.back());
  }
}

TEST(BucketKey, ParentAndChildAreInverse) {
  for (std::uint64_t n = 0; n < 200; ++n) {
    Random random(8, n);
    const BucketCoord c = random_bucket(random, 4);
    for (int octant = 0; octant < 8; ++octant) EXPECT_EQ(parent(child(c, octant)), c);
  }
}

TEST(BucketKey, SpaceEndsAtTheAddressableRim) {
  EXPECT_FALSE(addressable(offset({bucket_reach - 1, 0, 0, 0}, 1, 0, 0)));
  EXPECT_FALSE(addressable(offset({-bucket_reach, 0, 0, 0}, -1, 0, 0)));
  EXPECT_FALSE(addressable({bucket_reach >> 3, 0, 0, 3}));
  EXPECT_TRUE(addressable({(bucket_reach >> 3) - 1, 0, 0, 3}));
}

TEST(BucketKey, DirectionsAndOffsetsAgree) {
  for (int dir = 0; dir < 27; ++dir) {
    const Vec3i d = offset_of(dir);
    EXPECT_EQ(direction(d.x, d.y, d.z), dir);
  }
}

}  // namespace
}  // namespace ymir
