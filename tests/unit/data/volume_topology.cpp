#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ymir/data/volume_accessor.h"

namespace ymir {
namespace {

std::vector<BucketKey> block(int low, int high) {
  std::vector<BucketKey> keys;
  for (int z = low; z < high; ++z)
    for (int y = low; y < high; ++y)
      for (int x = low; x < high; ++x) keys.push_back(key_of({x, y, z, 0}));
  return keys;
}

float mark(int, Vec3i v, int component) {
  return static_cast<float>(v.x + 100 * v.y + 10000 * v.z) + 0.25f * static_cast<float>(component);
}

struct Volume : testing::Test {
  Communicator alone;
  GridDomain domain{0.8, 1, alone};
  DiscreteVolume volume{domain};
};

TEST_F(Volume, NewBucketsHoldTheBackgroundAndSurvivorsKeepTheirValues) {
  const auto a = volume.add_channel<float>("a", {.resolution = 8, .background = 3.5f});
  const auto f = volume.add_channel<float>("f", {.resolution = 4, .sampling = Sampling::face, .background = -1});
  const auto flags = volume.add_channel<std::uint8_t>("flags", {.resolution = 16, .background = 7});
  volume.set_buckets(block(-1, 1));
  fill(volume, a, mark);
  fill(volume, f, mark);
  volume.activate(block(0, 2));
  volume.deactivate({key_of({-1, -1, -1, 0})});
  EXPECT_EQ(volume.buckets().local_count(), 8 + 8 - 1 - 1);

  const VolumeView<float> view(volume, a);
  const VolumeView<float> fy(volume, f, 1);
  for (const int v : {-8, -1, 0, 7}) {
    const Vec3i at{v, 2, -3};
    EXPECT_EQ(view.value(0, at), mark(0, at, 0));
  }
  EXPECT_EQ(fy.value(0, {-4, 1, 3}), mark(0, {-4, 1, 3}, 1));
  EXPECT_EQ(view.value(0, {-8, -8, -8}), 3.5f);  // deactivated
  EXPECT_EQ(view.value(0, {15, 15, 15}), 3.5f);  // new
  EXPECT_EQ(fy.value(0, {7, 7, 7}), -1);
  EXPECT_EQ(VolumeView<std::uint8_t>(volume, flags).value(0, {5, 5, 5}), 7);
  EXPECT_EQ(VolumeView<std::uint8_t>(volume, flags).value(0, {500, 5, 5}), 7);
}

TEST_F(Volume, ReactivatedBucketsDoNotRemember) {
  const auto a = volume.add_channel<double>("a", {});
  volume.set_buckets({key_of({0, 0, 0, 0})});
  fill(volume, a, [](int, Vec3i, int) { return 5.0; });
  volume.set_buckets({});
  volume.set_buckets({key_of({0, 0, 0, 0})});
  EXPECT_EQ(VolumeView<double>(volume, a).value(0, {1, 1, 1}), 0.0);
}

TEST_F(Volume, PaddingAddsAllTwentySixNeighboursPerLayer) {
  volume.set_buckets({key_of({0, 0, 0, 0}), key_of({1, 0, 0, 0})});
  volume.pad(1);
  EXPECT_EQ(volume.buckets().local_count(), 4 * 3 * 3);
  volume.pad(2);
  EXPECT_EQ(volume.buckets().local_count(), 8 * 7 * 7);
  EXPECT_GE(volume.buckets().find(key_of({-3, -3, -3, 0})), 0);
}

TEST_F(Volume, PaddingStopsAtTheRimOfSpace) {
  const std::int32_t end = bucket_reach - 1;
  volume.set_buckets({key_of({end, end, end, 0})});
  volume.pad(1);
  EXPECT_EQ(volume.buckets().local_count(), 8);
}

TEST_F(Volume, TilesLieInMortonOrderOnCacheLinesWithTheConstantTileLast) {
  const auto a = volume.add_channel<float>("a", {.background = 2});
  const auto b = volume.add_channel<float>("b", {.background = 2});
  volume.set_buckets(block(-2, 2));
  for (const auto id : {a, b}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(volume.tiles(id)) % 64, 0u);
  for (int i = 0; i + 1 < volume.buckets().local_count(); ++i)
    EXPECT_LT(volume.buckets().key(i), volume.buckets().key(i + 1));
  const float* last = volume.tiles(a) + 512 * static_cast<std::ptrdiff_t>(volume.buckets().missing());
  for (int v = 0; v < 512; ++v) EXPECT_EQ(last[v], 2);
}

TEST_F(Volume, MemoryEstimateCountsAllComponents) {
  volume.add_channel<float>("a", {.resolution = 8});
  volume.add_channel<double>("u", {.resolution = 4, .sampling = Sampling::face});
  EXPECT_EQ(volume.bytes_for(9), 10u * (512 * 4 + 3 * 64 * 8));
}

TEST_F(Volume, ChannelsAreFoundByNameAndType) {
  const auto a = volume.add_channel<float>("a", {});
  EXPECT_EQ(volume.find_channel<float>("a").index, a.index);
  EXPECT_FALSE(volume.find_channel<double>("a").valid());
  EXPECT_FALSE(volume.find_channel<float>("b").valid());
  EXPECT_THROW(volume.add_channel<float>("a", {}), CheckFailed);
  EXPECT_THROW(volume.add_channel<float>("odd", {.resolution = 5}), CheckFailed);
}

TEST_F(Volume, ASnapshotBringsBackValuesAndTopology) {
  const auto a = volume.add_channel<float>("a", {.background = 1});
  volume.set_buckets(block(0, 2));
  fill(volume, a, mark);
  const std::uint64_t before = volume.hash();
  const auto taken = volume.snapshot();
  fill(volume, a, [](int, Vec3i, int) { return 0.f; });
  EXPECT_NE(volume.hash(), before);
  auto a_writer = read_write(volume, a);
  volume.restore(*taken);
  EXPECT_EQ(volume.hash(), before);
  for_each_bucket(volume.buckets(), a_writer, [&](int b) { a_writer.tile(b)[17] += 1; });
  volume.deactivate({key_of({0, 0, 0, 0})});
  volume.restore(*taken);
  EXPECT_EQ(volume.hash(), before);
  // A partly written copy keeps the rest, and the constant tile.
  for_each_bucket(volume.buckets(), a_writer, [&](int b) { a_writer.tile(b)[17] = -1; });
  const VolumeView<float> view(volume, a);
  EXPECT_EQ(view.value(0, {1, 2, 0}), -1);
  EXPECT_EQ(view.value(0, {2, 2, 0}), mark(0, {2, 2, 0}, 0));
  auto x = read(volume, a, Stencil::faces);
  x.begin_exchange();
  EXPECT_EQ(x.value(0, {-1, 0, 0}), 1);
}

TEST(VolumeLevels, RefiningKeepsCellValuesAndCoarseningTakesTheMean) {
  Communicator alone;
  const GridDomain domain(1, 3, alone);
  DiscreteVolume volume(domain);
  const auto a = volume.add_channel<double>("a", {.resolution = 4});
  const auto u = volume.add_channel<double>("u", {.resolution = 4, .sampling = Sampling::face});
  const BucketCoord coarse{-1, 0, 0, 1};
  volume.set_buckets({key_of(coarse), key_of({0, 0, 0, 1})});
  fill(volume, a, [](int, Vec3i v, int) { return v.x + 10. * v.y + 100. * v.z; });
  // A face field linear along its axis in metres: exact on both levels.
  fill(volume, u, [&](int level, Vec3i v, int c) { return v[c] * volume.voxel_size(u.index, level); });
  std::vector<BucketKey> fine{key_of({0, 0, 0, 1})};
  for (int octant = 0; octant < 8; ++octant) fine.push_back(key_of(child(coarse, octant)));
  volume.set_buckets(fine);
  const VolumeView<double> cells(volume, a);
  EXPECT_EQ(cells.value(0, {-8, 0, 0}), -4);
  EXPECT_EQ(cells.value(0, {-7, 1, 1}), -4);
  EXPECT_EQ(cells.value(0, {-1, 7, 7}), -1 + 30 + 300);
  for (int c = 0; c < 3; ++c)
    for (const Vec3i v : {Vec3i{-8, 0, 0}, Vec3i{-3, 3, 5}, Vec3i{-1, 2, 6}})
      EXPECT_DOUBLE_EQ(VolumeView<double>(volume, u, c).value(0, v), v[c] * volume.voxel_size(u.index, 0));
  // Read from the other level without changing the topology.
  EXPECT_EQ(cells.value(1, {-4, 0, 0}), -4);
  EXPECT_EQ(cells.value(0, {0, 0, 0}), 0);

  volume.set_buckets({key_of(coarse), key_of({0, 0, 0, 1})});
  EXPECT_EQ(VolumeView<double>(volume, a).value(1, {-2, 3, 1}), -2 + 30 + 100);
  EXPECT_DOUBLE_EQ(VolumeView<double>(volume, u, 0).value(1, {-3, 3, 1}), -3 * volume.voxel_size(u.index, 1));
}

TEST(VolumeLevels, PaddingNeverOverlapsBucketsOfOtherLevels) {
  Communicator alone;
  const GridDomain domain(1, 3, alone);
  DiscreteVolume volume(domain);
  volume.set_buckets(graded(domain, {key_of({0, 0, 0, 1}), key_of({2, 0, 0, 0}), key_of({-1, 0, 0, 2})}));
  volume.pad(2);
  std::set<BucketKey> all;
  for (int i = 0; i < volume.buckets().local_count(); ++i) all.insert(volume.buckets().key(i));
  EXPECT_GT(all.size(), 30u);
  for (const BucketKey key : all)
    for (BucketCoord c = coord_of(key); c.level + 1 < 3;) {
      c = parent(c);
      EXPECT_FALSE(all.contains(key_of(c)));
    }
}

}  // namespace
}  // namespace ymir
