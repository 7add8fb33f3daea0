#include "ymir/data/volume_conversion.h"

#include <gtest/gtest.h>

#include "ymir/base/error.h"
#include "ymir/data/volume_accessor.h"

namespace ymir {
namespace {

float mark(int, Vec3i v, int c) { return static_cast<float>(v.x + 100 * v.y + 10000 * v.z + 1000000 * c); }

TEST(VolumeConversion, ThereAndBackGivesTheSameValues) {
  Communicator alone;
  const GridDomain domain(0.4, 1, alone);
  for (const int resolution : {8, 16}) {
    DiscreteVolume a(domain), b(domain);
    const ChannelOptions<float> options{.resolution = resolution, .sampling = Sampling::face, .background = 3};
    const auto u = a.add_channel<float>("u", options), w = b.add_channel<float>("u", options);
    a.set_buckets({key_of({0, 0, 0, 0}), key_of({-1, 2, 0, 0}), key_of({5, -7, 3, 0})});
    fill(a, u, mark);
    const VolumeGrid grid = to_volume_grid(a, u);
    EXPECT_TRUE(grid.staggered);
    EXPECT_EQ(grid.blocks.size(), resolution == 8 ? 3u : 24u);
    from_volume_grid(b, w, grid);
    EXPECT_EQ(a.hash(), b.hash());
  }
}

TEST(VolumeConversion, AGridMovedByWholeVoxelsLandsWhereItLies) {
  Communicator alone;
  const GridDomain domain(0.8, 1, alone);
  DiscreteVolume volume(domain);
  const auto a = volume.add_channel<float>("a", {});
  VolumeGrid grid;
  grid.voxel = 0.1;
  grid.origin = {0.35, 0.05, -0.15};  // voxel (0, 0, 0) is voxel (3, 0, -2) of the channel
  grid.background = {9, 9, 9};
  grid.blocks = {{0, 0, 0}};
  for (int i = 0; i < 512; ++i) grid.values.push_back(static_cast<float>(i));
  from_volume_grid(volume, a, grid);
  EXPECT_EQ(volume.buckets().local_count(), 4);
  const VolumeView<float> view(volume, a);
  EXPECT_EQ(view.value(0, {3, 0, -2}), 0);
  EXPECT_EQ(view.value(0, {10, 7, 5}), 511);
  EXPECT_EQ(view.value(0, {2, 0, -2}), 9);
}

TEST(VolumeConversion, RefusesWhatDoesNotFitTheLattice) {
  Communicator alone;
  const GridDomain domain(0.8, 1, alone);
  DiscreteVolume volume(domain);
  const auto a = volume.add_channel<float>("a", {});
  VolumeGrid grid;
  grid.voxel = 0.1;
  grid.origin = {0.05, 0.05, 0.05};
  EXPECT_NO_THROW(from_volume_grid(volume, a, grid));
  VolumeGrid shifted = grid;
  shifted.origin.y = 0.07;
  EXPECT_THROW(from_volume_grid(volume, a, shifted), Error);
  VolumeGrid coarse = grid;
  coarse.voxel = 0.2;
  EXPECT_THROW(from_volume_grid(volume, a, coarse), Error);
  VolumeGrid vector = grid;
  vector.components = 3;
  EXPECT_THROW(from_volume_grid(volume, a, vector), Error);
}

}  // namespace
}  // namespace ymir
