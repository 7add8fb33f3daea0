#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/random.h"
#include "ymir/data/tile_stencil7.h"

namespace ymir {
namespace {

double noise(Vec3i v, std::uint64_t seed) {
  const auto bits = static_cast<std::uint64_t>(v.x + 4096) << 40 | static_cast<std::uint64_t>(v.y + 4096) << 20 |
                    static_cast<std::uint64_t>(v.z + 4096);
  return Random(seed, bits).uniform(-1, 1);
}

// Random occupancy of a block that straddles the origin.
std::vector<BucketKey> scattered(int half, double share) {
  std::vector<BucketKey> keys;
  for (int z = -half; z < half; ++z)
    for (int y = -half; y < half; ++y)
      for (int x = -half; x < half; ++x)
        if (noise({x, y, z}, 99) < 2 * share - 1) keys.push_back(key_of({x, y, z, 0}));
  return keys;
}

template <class T>
void stencil_equals_dense(int resolution, double share) {
  Communicator alone;
  const GridDomain domain(1, 1, alone);
  DiscreteVolume volume(domain);
  const ChannelOptions<T> cell{.resolution = resolution};
  const Stencil7Channels<T> ids{volume.add_channel<T>("d", cell),
                                volume.add_channel<T>("c", {.resolution = resolution, .sampling = Sampling::face}),
                                volume.add_channel<T>("x", cell), volume.add_channel<T>("y", cell)};
  const int half = resolution == 16 ? 2 : 3;
  volume.set_buckets(scattered(half, share));
  ASSERT_GT(volume.buckets().local_count(), 10);
  fill(volume, ids.diagonal, [](int, Vec3i v, int) { return static_cast<T>(noise(v, 1)); });
  fill(volume, ids.faces, [](int, Vec3i v, int c) { return static_cast<T>(noise(v, 2 + static_cast<unsigned>(c))); });
  fill(volume, ids.x, [](int, Vec3i v, int) { return static_cast<T>(noise(v, 5)); });
  apply_stencil7(volume, ids);

  const VolumeView<T> y(volume, ids.y);
  const auto held = [&](Vec3i v) {
    return volume.buckets().find(key_of({static_cast<int>(std::floor(double(v.x) / resolution)),
                                         static_cast<int>(std::floor(double(v.y) / resolution)),
                                         static_cast<int>(std::floor(double(v.z) / resolution)), 0})) >= 0;
  };
  const auto at = [&](Vec3i v, std::uint64_t seed) { return held(v) ? static_cast<T>(noise(v, seed)) : T(0); };
  const int n = half * resolution;
  for (int k = -n; k < n; ++k)
    for (int j = -n; j < n; ++j)
      for (int i = -n; i < n; ++i) {
        const Vec3i v{i, j, k}, ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};
        if (!held(v)) continue;
        const Stencil7<T> reference{at(v, 1),      at(v, 5),      at(v, 2),      at(v + ex, 2), at(v, 3),
                                    at(v + ey, 3), at(v, 4),      at(v + ez, 4), at(v - ex, 5), at(v + ex, 5),
                                    at(v - ey, 5), at(v + ey, 5), at(v - ez, 5), at(v + ez, 5)};
        ASSERT_EQ(y.value(0, v), reference.apply()) << i << " " << j << " " << k;
      }
}

TEST(Stencil7OnTiles, EqualsADenseReferenceBitForBit) {
  stencil_equals_dense<float>(8, 0.3);
  stencil_equals_dense<float>(8, 1.0);
}
TEST(Stencil7OnTiles, EqualsADenseReferenceAtOtherResolutionsAndTypes) {
  stencil_equals_dense<float>(4, 0.4);
  stencil_equals_dense<float>(16, 0.4);
  stencil_equals_dense<double>(8, 0.4);
}

struct VolumeAccess : testing::Test {
  Communicator alone;
  GridDomain domain{0.8, 1, alone};
  DiscreteVolume volume{domain};
};

TEST_F(VolumeAccess, AFaceBelongsToTheVoxelAboveItAndIsReadAcrossBuckets) {
  const auto u = volume.add_channel<float>("u", {.sampling = Sampling::face});
  volume.set_buckets({key_of({0, 0, 0, 0}), key_of({1, 0, 0, 0}), key_of({0, 0, 1, 0})});
  fill(volume, u, [](int, Vec3i v, int c) { return static_cast<float>(100 * c + v[c]); });
  auto faces = read(volume, u, Stencil::faces);
  for_each_bucket(volume.buckets(), faces, [&](int b) {
    const TileRows<float, 8> ux = faces.rows<8>(b, 0);
    const TileRows<float, 8> uz = faces.rows<8>(b, 2);
    const auto row = ux.row(3, 4);
    const auto upper = ux.x_high(row, 3, 4);
    const BucketCoord c = volume.buckets().coord(b);
    for (int i = 0; i < 7; ++i) EXPECT_EQ(upper[i], row[i] + 1);
    // The upper face of the last voxel is the lower face of the next bucket's first; none there: background.
    EXPECT_EQ(upper[7], c == (BucketCoord{0, 0, 0, 0}) ? 8 : 0);
    EXPECT_EQ(uz.z_high(0, 7)[0], c == (BucketCoord{0, 0, 0, 0}) ? 208 : 0);
    EXPECT_EQ(faces.value(b, {8, 3, 4}, 0), upper[7]);
  });
  const Vec3d at = volume.position(u.index, 0, {8, 0, 0}, 0);
  EXPECT_DOUBLE_EQ(at.x, 0.8);
  EXPECT_DOUBLE_EQ(at.y, 0.05);
}

TEST_F(VolumeAccess, ValuesReachOneBucketInEveryDirection) {
  const auto a = volume.add_channel<float>("a", {.resolution = 4, .background = -9});
  volume.set_buckets(scattered(2, 0.7));
  fill(volume, a, [](int, Vec3i v, int) { return static_cast<float>(noise(v, 3)); });
  auto x = read(volume, a, Stencil::box);
  const VolumeView<float> view(volume, a);
  for_each_bucket(volume.buckets(), x, [&](int b) {
    const BucketCoord c = volume.buckets().coord(b);
    for (int k = -4; k < 8; ++k)
      for (int j = -4; j < 8; ++j)
        for (int i = -4; i < 8; ++i)
          ASSERT_EQ(x.value(b, {i, j, k}), view.value(0, {4 * c.x + i, 4 * c.y + j, 4 * c.z + k}));
  });
}

TEST_F(VolumeAccess, WritingWhatAnotherAccessorReadsIsRefused) {
  const auto a = volume.add_channel<float>("a", {});
  volume.set_buckets({key_of({0, 0, 0, 0})});
  auto in = read(volume, a, Stencil::faces);
  auto out = write(volume, a);
  EXPECT_THROW(for_each_bucket(volume.buckets(), in, out, [](int) {}), CheckFailed);
}

TEST_F(VolumeAccess, TrilinearSamplesOfALinearFieldAreExact) {
  const auto a = volume.add_channel<double>("a", {});
  const auto u = volume.add_channel<double>("u", {.resolution = 4, .sampling = Sampling::face});
  volume.set_buckets(scattered(2, 1.0));
  const auto linear = [](Vec3d p) { return 2 + 3 * p.x - 5 * p.y + 7 * p.z; };
  fill(volume, a, [&](int level, Vec3i v, int) { return linear(volume.position(a.index, level, v)); });
  fill(volume, u, [&](int level, Vec3i v, int c) { return (c + 1) * linear(volume.position(u.index, level, v, c)); });
  const VolumeView<double> cells(volume, a);
  const VectorVolumeView<double> faces(volume, u);
  for (std::uint64_t n = 0; n < 500; ++n) {
    Random random(4, n);
    const Vec3d p{random.uniform(-1.4, 1.4), random.uniform(-1.4, 1.4), random.uniform(-1.4, 1.4)};
    EXPECT_NEAR(cells.sample(p), linear(p), 1e-12);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(faces.sample(p)[c], (c + 1) * linear(p), 1e-11);
  }
}

TEST_F(VolumeAccess, SamplesOutsideGiveTheBackground) {
  const auto a = volume.add_channel<float>("a", {.background = 4});
  volume.set_buckets({key_of({0, 0, 0, 0})});
  fill(volume, a, [](int, Vec3i, int) { return 6.f; });
  const VolumeView<float> view(volume, a);
  EXPECT_EQ(view.sample({0.4, 0.4, 0.4}), 6);
  EXPECT_EQ(view.sample({0.0, 0.4, 0.4}), 5);  // half way between the first cell centre and the one outside
  EXPECT_EQ(view.sample({-0.4, 0.4, 0.4}), 4);
  EXPECT_EQ(view.sample({1e300, 0, 0}), 4);
  EXPECT_EQ(view.sample({std::nan(""), 0, 0}), 4);
}

TEST(VolumeLevels, SamplesUseTheLatticeOfTheBucketThatHoldsThePoint) {
  Communicator alone;
  const GridDomain domain(1, 2, alone);
  DiscreteVolume volume(domain);
  const auto a = volume.add_channel<double>("a", {.resolution = 4});
  volume.set_buckets({key_of({0, 0, 0, 1}), key_of({2, 0, 0, 0})});
  fill(volume, a, [&](int level, Vec3i v, int) { return volume.position(a.index, level, v).x; });
  const VolumeView<double> view(volume, a);
  EXPECT_NEAR(view.sample({0.8, 1, 1}), 0.8, 1e-12);
  EXPECT_NEAR(view.sample({2.4, 0.5, 0.5}), 2.4, 1e-12);
  // Across the border the finer lattice reads coarse values: first order, never the background.
  EXPECT_NEAR(view.sample({2.01, 0.5, 0.5}), 2.01, 0.25);
}

TEST_F(VolumeAccess, SumsAreTheSameBitsForAnyThreadCount) {
  const auto a = volume.add_channel<float>("a", {});
  volume.set_buckets(scattered(4, 0.6));
  fill(volume, a, [](int, Vec3i v, int) { return static_cast<float>(noise(v, 8) * 1e5); });
  const auto sum = [&] {
    const float* tiles = volume.tiles(a);
    return sum_over_buckets<double>(volume.buckets(), [&](int b) {
      double s = 0;
      for (int v = 0; v < 512; ++v) s += tiles[512 * b + v];
      return s;
    });
  };
  const int before = threads();
  set_threads(1);
  const double one = sum();
  for (const int count : {2, 3, 5}) {
    set_threads(count);
    EXPECT_EQ(sum(), one);
  }
  set_threads(before);
}

TEST_F(VolumeAccess, AFailingBucketReachesTheCaller) {
  const auto a = volume.add_channel<float>("a", {});
  volume.set_buckets(scattered(2, 1.0));
  auto x = read(volume, a, Stencil::faces);
  EXPECT_THROW(for_each_bucket(volume.buckets(), x, [](int b) { YMIR_CHECK(b != 5); }), CheckFailed);
}

}  // namespace
}  // namespace ymir
