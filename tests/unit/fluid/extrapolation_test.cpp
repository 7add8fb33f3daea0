#include "ymir/fluid/extrapolation.h"

#include <gtest/gtest.h>

#include "advection_case.h"
#include "ymir/fluid/tile_gather.h"

namespace ymir {
namespace {

// Gas above a solid floor that fills the cells below z = 11.
struct Floor : AdvectionCase {
  static constexpr int height = 11;
  explicit Floor(Vec3i size = {2, 2, 3}) : AdvectionCase(size) {
    open = volume.add_channel<float>("open", {.sampling = Sampling::face, .background = 1});
    auto cells = read_write(volume, cell);
    for_each_bucket(volume.buckets(), cells, [&](int tile) {
      const BucketCoord b = volume.buckets().coord(tile);
      for (int v = 0; v < 512; ++v) {
        std::uint8_t& kind = cells.tile(tile)[v];
        if (b.z * 8 + v / 64 < height && kind == static_cast<std::uint8_t>(CellKind::fluid))
          kind = static_cast<std::uint8_t>(CellKind::solid);
      }
    });
    fill(volume, open, [&](int, Vec3i v, int axis) { return v.z < height + (axis == 2 ? 1 : 0) ? 0.0f : 1.0f; });
  }
  ChannelId<float> open;
};

TEST(Extrapolation, ContinuesTheVelocityLayerByLayer) {
  Floor gas;
  fill(gas.volume, gas.velocity, [](int, Vec3i v, int axis) {
    return v.z < Floor::height + (axis == 2 ? 1 : 0) ? -99.0f : static_cast<float>(axis + 1);
  });
  Extrapolation extrapolation(gas.volume, gas.open, gas.cell);
  extrapolation.extend(gas.velocity, {.layers = 3});
  for (int axis = 0; axis < 3; ++axis) {
    const int first = Floor::height + (axis == 2 ? 1 : 0);
    for (int z = 6; z < 16; ++z)
      EXPECT_EQ(gas.value(gas.velocity, {5, 6, z}, axis), z >= first - 3 ? static_cast<float>(axis + 1) : -99.0f)
          << "axis " << axis << ", z " << z;
  }
  EXPECT_GT(extrapolation.extended_faces(), 0);
}

TEST(Extrapolation, TakesTheMeanOfKnownNeighboursOnly) {
  Floor gas;
  fill(gas.volume, gas.velocity, [](int, Vec3i v, int) { return static_cast<float>(v.x + 100 * v.z); });
  Extrapolation extrapolation(gas.volume, gas.open, gas.cell);
  extrapolation.extend(gas.velocity, {.layers = 2});
  // The one known neighbour of layer 1 is the face above; layer 2 sees layer 1 above only, not its own layer.
  EXPECT_EQ(gas.value(gas.velocity, {7, 7, 10}, 0), 7.0f + 1100);
  EXPECT_EQ(gas.value(gas.velocity, {7, 7, 9}, 0), 7.0f + 1100);
  EXPECT_EQ(gas.value(gas.velocity, {7, 7, 8}, 0), 7.0f + 800);
}

TEST(Extrapolation, ReplacesBarelyOpenFacesAndUsesThemNotAsSource) {
  Floor gas;
  fill(gas.volume, gas.velocity, [](int, Vec3i v, int) { return v.z == Floor::height ? 50.0f : 2.0f; });
  fill(gas.volume, gas.open, [&](int, Vec3i v, int axis) {
    if (axis != 2 && v.z == Floor::height) return 0.05f;
    return v.z < Floor::height + (axis == 2 ? 1 : 0) ? 0.0f : 1.0f;
  });
  Extrapolation extrapolation(gas.volume, gas.open, gas.cell);
  extrapolation.extend(gas.velocity);
  EXPECT_EQ(gas.value(gas.velocity, {5, 6, Floor::height}, 0), 2.0f);
  EXPECT_EQ(gas.value(gas.velocity, {5, 6, Floor::height - 1}, 1), 2.0f);
}

TEST(Extrapolation, KeepsTheSolidVelocityOfClosedFacesIfAsked) {
  Floor gas;
  fill(gas.volume, gas.velocity,
       [](int, Vec3i v, int axis) { return v.z < Floor::height + (axis == 2 ? 1 : 0) ? 7.0f : 1.0f; });
  fill(gas.volume, gas.open, [&](int, Vec3i v, int axis) {
    if (axis != 2 && v.z == Floor::height - 1) return 0.05f;
    return v.z < Floor::height + (axis == 2 ? 1 : 0) ? 0.0f : 1.0f;
  });
  Extrapolation extrapolation(gas.volume, gas.open, gas.cell);
  extrapolation.extend(gas.velocity, {.keep_closed = true});
  EXPECT_EQ(gas.value(gas.velocity, {5, 6, Floor::height - 1}, 0), 1.0f);
  EXPECT_EQ(gas.value(gas.velocity, {5, 6, Floor::height - 2}, 0), 7.0f);
  EXPECT_EQ(gas.value(gas.velocity, {5, 6, Floor::height}, 2), 7.0f);
}

TEST(Extrapolation, LeavesAmbientAirAloneAndNeedsNoSolids) {
  AdvectionCase gas({1, 1, 1});
  const auto open = gas.volume.add_channel<float>("open", {.sampling = Sampling::face, .background = 1});
  gas.set_noise(gas.velocity, 1);
  const std::uint64_t before = gas.volume.hash();
  Extrapolation extrapolation(gas.volume, open, gas.cell);
  extrapolation.extend(gas.velocity);
  EXPECT_EQ(gas.volume.hash(), before);
  EXPECT_EQ(extrapolation.extended_faces(), 0);
}

}  // namespace
}  // namespace ymir
