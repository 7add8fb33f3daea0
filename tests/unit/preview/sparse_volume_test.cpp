// Gas anywhere, however far apart: drawn where it is, with memory for what there is.
#include <algorithm>
#include <cmath>

#include "scenes.h"
#include "ymir/preview/block_index.h"
#include "ymir/preview/slice.h"

namespace ymir::preview_test {
namespace {

TEST(BlockIndex, FindsWhatWasAddedAndNothingElse) {
  BlockIndex index;
  std::vector<Vec3i> blocks;
  for (int i = 0; i < 3000; ++i) blocks.push_back({i * 7919 % 1009 - 500, i * 104729 % 1000003 - 500000, -i});
  for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(index.add(blocks[i]), i);
  EXPECT_EQ(index.add(blocks[17]), 17u);
  EXPECT_EQ(index.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(index.find(blocks[i]), static_cast<std::int64_t>(i));
  EXPECT_EQ(index.find({600, 0, 0}), -1);
  EXPECT_EQ(index.find({1 << 22, 0, 0}), -1);
}

TEST(BlockIndex, KnowsHowMuchIsEmpty) {
  BlockIndex index;
  index.add({0, 0, 0});
  index.add({6000, 6000, 6000});
  EXPECT_EQ(index.empty_shift({1, 0, 0}), 0);  // in the cube of 8 of the first
  EXPECT_EQ(index.empty_shift({8, 0, 0}), 3);  // next to it
  EXPECT_GE(index.empty_shift({3000, 0, 0}), 9);
}

// Two cubes of gas of 16 cm, the second at `far`, with voxels of 2 cm.
Frame two_puffs(double far) {
  ObjectState gas{"Smoke/volume_object", "volume", {}, {}};
  gas.attributes["bucket_size"] = 0.16;
  gas.attributes["density.resolution"] = std::int64_t{8};
  const int b = static_cast<int>(std::floor(far / 0.16));
  gas.channels["bucket"] = {Place::tile, Array::of(std::vector<Vec3i>{{0, 0, 0}, {b, b, b}})};
  gas.channels["density"] = {Place::voxel, Array::of(std::vector<float>(1024, 1.0f))};
  Frame frame;
  frame.objects.push_back(gas);
  return frame;
}

class FarGas : public OnBothBackends {};
INSTANTIATE_TEST_SUITE_P(Backends, FarGas, testing::Values(RenderBackend::embree, RenderBackend::raster), backend_name);

TEST_P(FarGas, IsDrawnWhereverItIs) {
  for (const double far : {0.0, 30.0, 200.0, 1000.0})
    for (const bool second : {false, true}) {
      PreviewScene scene = scene_from_frame(two_puffs(far));
      scene.environment.enabled = false;
      scene.background = {1, 1, 1};
      // Looks at one of them alone, from 2 m.
      const double at = second ? std::floor(far / 0.16) * 0.16 + 0.08 : 0.08;
      scene.camera = {{at, at, at + 2}, {at, at, at}, {0, 1, 0}, 0.1};
      const LinearImage image = render_linear(scene, options(20, 20));
      // Optical depth of 16 cm at 10 per metre; interpolation rounds the edges, the middle sees it all.
      const float expected = std::exp(-1.6f);
      EXPECT_NEAR(image.at(10, 10).x / expected, 1, 0.06) << far << " m, " << second;
      EXPECT_NEAR(image.at(0, 0).x, 1, 1e-4);
    }
}

TEST_P(FarGas, IsLitTheSameFarFromOtherGas) {
  // The light on a puff must not depend on how far another one is.
  const auto light = [&](double far) {
    PreviewScene scene = scene_from_frame(two_puffs(far));
    scene.environment.ground = false;
    scene.camera = {{0.08, 0.08, 2}, {0.08, 0.08, 0.08}, {0, 1, 0}, 0.1};
    return render_linear(scene, options(20, 20)).at(10, 10).y;
  };
  const float near = light(2);
  EXPECT_NEAR(light(30) / near, 1, 0.02);
  EXPECT_NEAR(light(1000) / near, 1, 0.02);
}

TEST(FarSlice, CutsAndDrawsWhatThereIs) {
  for (const double far : {0.3, 30.0, 1000.0}) {
    const Frame frame = two_puffs(far);
    SliceOptions options;
    options.channel = "density";
    options.at = 0.08;
    const Slice slice = cut(frame, options);
    EXPECT_LE(slice.values.size(), 64u) << "memory for the gas in the plane alone";
    EXPECT_EQ(slice.value(3, 3), 1);
    EXPECT_TRUE(std::isnan(slice.value(slice.columns / 2, slice.rows / 2)));
    const Image image = draw(slice, frame, options);
    EXPECT_EQ(image.width, 960);
    EXPECT_LE(image.height, 2000);
    // The lower left corner shows gas, even where it is smaller than a pixel.
    const std::uint8_t* corner =
        image.rgb.data() + 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height - 1);
    EXPECT_LT(std::min({corner[0], corner[1], corner[2]}), 240) << far;
  }
}

TEST(FarSlice, TakesAPlaneWithGasWhenTheMiddleHasNone) {
  SliceOptions options;
  options.channel = "density";
  const Slice slice = cut(two_puffs(30), options);
  EXPECT_EQ(slice.least, 1);
  EXPECT_EQ(slice.most, 1);
}

TEST(FarSlice, KeepsThePictureBounded) {
  Frame frame = two_puffs(0);
  auto buckets = frame.objects[0].channels["bucket"].as<Vec3i>();
  buckets[1] = {0, 6000, 0};  // a column a kilometre high
  SliceOptions options;
  options.channel = "density";
  const Image image = draw(cut(frame, options), frame, options);
  EXPECT_LE(image.height, 2 * 960);
}

}  // namespace
}  // namespace ymir::preview_test
