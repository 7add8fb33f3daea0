#include "ymir/data/bucket_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "ymir/base/random.h"

namespace ymir {
namespace {

bool touch(BucketCoord a, BucketCoord b) {
  const auto span = [](std::int32_t v, int level) {
    const std::int64_t edge = std::int64_t{1} << level;
    return std::pair(v * edge, v * edge + edge);
  };
  const auto meets = [&](std::int32_t va, std::int32_t vb) {
    const auto [a0, a1] = span(va, a.level);
    const auto [b0, b1] = span(vb, b.level);
    return a0 <= b1 && b0 <= a1;
  };
  return meets(a.x, b.x) && meets(a.y, b.y) && meets(a.z, b.z);
}

TEST(GridDomain, PutsPointsIntoTheBucketWhoseBoxHoldsThem) {
  Communicator alone;
  const GridDomain domain(0.5, 4, alone);
  for (std::uint64_t n = 0; n < 1000; ++n) {
    Random random(1, n);
    const Vec3d p{random.uniform(-30, 30), random.uniform(-30, 30), random.uniform(-30, 30)};
    for (int level = 0; level < 4; ++level) {
      const BucketCoord c = domain.bucket_of(p, level);
      const Vec3d low = domain.low_corner(c);
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_LE(low[axis], p[axis]);
        EXPECT_LT(p[axis], low[axis] + domain.bucket_size(level));
      }
    }
  }
}

TEST(GridDomain, PointsBeyondSpaceAndNotANumberStayAddressable) {
  Communicator alone;
  const GridDomain domain(0.1, 3, alone);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double v : {1e300, -1e300, inf, -inf, nan})
    for (int level = 0; level < 3; ++level) {
      const BucketCoord c = domain.bucket_of({v, v, v}, level);
      EXPECT_TRUE(addressable(c)) << v;
      EXPECT_EQ(coord_of(key_of(c)), c);
    }
}

TEST(BucketSet, SortsAndDropsDuplicates) {
  Communicator alone;
  const GridDomain domain(1, 1, alone);
  BucketSet set(domain);
  const BucketKey a = key_of({0, 0, 0, 0}), b = key_of({-5, 2, 7, 0});
  set.assign({a, b, a});
  set.connect();
  EXPECT_EQ(set.local_count(), 2);
  EXPECT_LT(set.key(0), set.key(1));
  EXPECT_EQ(set.find(key_of({1, 0, 0, 0})), -1);
  EXPECT_EQ(set.neighbouring_count(), 0);
  EXPECT_TRUE(set.links().empty());
}

TEST(BucketSet, NeighboursAreThoseOfTheCoordinates) {
  Communicator alone;
  const GridDomain domain(1, 1, alone);
  std::vector<BucketKey> keys;
  for (std::uint64_t n = 0; n < 300; ++n) {
    Random random(2, n);
    keys.push_back(key_of({static_cast<int>(random.uniform(-4, 4)), static_cast<int>(random.uniform(-4, 4)),
                           static_cast<int>(random.uniform(-4, 4)), 0}));
  }
  BucketSet set(domain);
  set.assign(keys);
  set.connect();
  const std::set<BucketKey> present(keys.begin(), keys.end());
  for (int i = 0; i < set.local_count(); ++i)
    for (int dir = 0; dir < 27; ++dir) {
      const Vec3i d = offset_of(dir);
      const BucketKey key = key_of(offset(set.coord(i), d.x, d.y, d.z));
      const int found = set.neighbours(i)[static_cast<std::size_t>(dir)];
      if (present.contains(key)) {
        ASSERT_LT(found, set.missing());
        EXPECT_EQ(set.key(found), key);
      } else {
        EXPECT_EQ(found, set.missing());
      }
    }
}

TEST(BucketSet, FindsTheCoarserBucketThatCoversANeighbour) {
  Communicator alone;
  const GridDomain domain(1, 3, alone);
  BucketSet set(domain);
  set.assign({key_of({0, 0, 0, 0}), key_of({-1, 0, 0, 1})});
  set.connect();
  const int fine = set.find(key_of({0, 0, 0, 0}));
  EXPECT_EQ(set.neighbour_or_coarser(fine, direction(-1, 0, 0)), set.find(key_of({-1, 0, 0, 1})));
  EXPECT_EQ(set.neighbour_or_coarser(fine, direction(1, 0, 0)), -1);
}

TEST(Graded, BucketsThatTouchDifferByAtMostOneLevelAndCoverTheSameSpace) {
  Communicator alone;
  const GridDomain domain(1, 5, alone);
  // A 2x2x2 block of coarsest buckets, one of them refined to level 0 at one corner and again in its middle.
  std::vector<BucketKey> keys;
  const auto refine = [&](auto&& self, BucketCoord c, BucketCoord target) -> void {
    const int up = c.level - target.level;
    const bool holds = up > 0 && target.x >> up == c.x && target.y >> up == c.y && target.z >> up == c.z;
    if (!holds) return keys.push_back(key_of(c));
    for (int octant = 0; octant < 8; ++octant) self(self, child(c, octant), target);
  };
  for (int octant = 0; octant < 8; ++octant)
    refine(refine, child({-1, -1, -1, 5}, octant), {-17, -17, -17, 0});  // touches a block corner from inside
  const auto volume = [](const std::vector<BucketKey>& all) {
    double sum = 0;
    for (const BucketKey k : all) sum += std::pow(8.0, level_of(k));
    return sum;
  };
  const double before = volume(keys);
  const std::vector<BucketKey> result = graded(domain, keys);
  EXPECT_GT(result.size(), keys.size());
  EXPECT_EQ(volume(result), before);
  int finest = 5;
  for (std::size_t a = 0; a < result.size(); ++a) {
    finest = std::min(finest, level_of(result[a]));
    for (std::size_t b = a + 1; b < result.size(); ++b)
      if (touch(coord_of(result[a]), coord_of(result[b]))) {
        ASSERT_LE(std::abs(level_of(result[a]) - level_of(result[b])), 1);
      }
  }
  EXPECT_EQ(finest, 0);
  EXPECT_EQ(graded(domain, result), result);
}

}  // namespace
}  // namespace ymir
