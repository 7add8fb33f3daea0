#include "ymir/preview/slice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/error.h"

namespace ymir::preview_test {
namespace {

// Two buckets of 4^3 voxels side by side in x, voxel 0.5 m, from (-2, 0, 0) to (2, 2, 2).
Frame ramp(Vec3f slope) {
  ObjectState gas{"Smoke/volume_object", "volume", {}, {}};
  gas.attributes["bucket_size"] = 2.0;
  gas.attributes["density.resolution"] = gas.attributes["velocity.resolution"] = std::int64_t{4};
  const std::vector<Vec3i> buckets{{-1, 0, 0}, {0, 0, 0}};
  std::vector<float> density;
  std::vector<Vec3f> velocity;
  for (const Vec3i& b : buckets)
    for (int i = 0; i < 64; ++i) {
      const Vec3i v = b * 4 + Vec3i{i % 4, i / 4 % 4, i / 16};
      const Vec3f x = (Vec3f(v) + Vec3f{0.5f, 0.5f, 0.5f}) * 0.5f;
      density.push_back(dot(slope, x));
      velocity.push_back({3 * x.x, 4 * x.x, 0});
    }
  gas.channels["bucket"] = {Place::tile, Array::of(buckets)};
  gas.channels["density"] = {Place::voxel, Array::of(density)};
  gas.channels["velocity"] = {Place::voxel, Array::of(velocity)};
  Frame frame;
  frame.objects.push_back(gas);
  return frame;
}

TEST(Slice, IsExactForLinearFieldsAnywhereBetweenLayers) {
  const Vec3f slope{1, -2, 3};
  for (int axis = 0; axis < 3; ++axis)
    for (const double at : {0.3, 0.75, 1.1}) {
      SliceOptions options;
      options.channel = "density";
      options.axis = axis;
      options.at = at;
      const Slice slice = cut(ramp(slope), options);
      for (int row = 0; row < slice.rows; ++row)
        for (int column = 0; column < slice.columns; ++column) {
          Vec3d x;
          x[axis] = at;
          x[slice.across] = slice.low[0] + (column + 0.5) * slice.voxel;
          x[slice.up] = slice.low[1] + (row + 0.5) * slice.voxel;
          EXPECT_NEAR(slice.value(column, row), dot(Vec3d(slope), x), 1e-5);
        }
    }
}

TEST(Slice, SpeedIsTheLengthOfVelocity) {
  SliceOptions options;
  const Slice slice = cut(ramp({}), options);
  EXPECT_EQ(slice.columns, 8);
  EXPECT_EQ(slice.rows, 4);
  EXPECT_NEAR(slice.value(0, 0), 5 * 1.75, 1e-5);
  options.channel = "velocity.y";
  EXPECT_NEAR(cut(ramp({}), options).value(0, 0), -4 * 1.75, 1e-5);
}

TEST(Slice, IsEmptyWhereThereIsNoGas) {
  Frame frame = ramp({1, 0, 0});
  auto buckets = frame.objects[0].channels["bucket"].as<Vec3i>();
  buckets[1] = {1, 1, 0};
  const Slice slice = cut(frame, {});
  EXPECT_EQ(slice.columns, 12);
  EXPECT_EQ(slice.rows, 8);
  EXPECT_FALSE(std::isnan(slice.value(0, 0)));
  EXPECT_TRUE(std::isnan(slice.value(0, 7)));
  EXPECT_TRUE(std::isnan(slice.value(11, 0)));
  EXPECT_FALSE(std::isnan(slice.value(11, 7)));
}

TEST(Slice, DrawsLargerValuesLighterAndTheUpperSideUp) {
  SliceOptions options;
  options.channel = "density";
  const Frame frame = ramp({0, 1, 0});
  const Image image = draw(cut(frame, options), frame, options);
  EXPECT_EQ(image.width, 960);
  const auto light = [&](int x, int y) {
    const std::uint8_t* p = image.rgb.data() + 3 * (y * image.width + x);
    return p[0] + p[1] + p[2];
  };
  EXPECT_GT(light(400, 5), light(400, image.height / 2));
  EXPECT_GT(light(400, image.height / 2), light(400, image.height - 5));
}

TEST(Slice, SaysWhatItCannotCut) {
  const auto message = [](const Frame& frame, const SliceOptions& options) -> std::string {
    try {
      cut(frame, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  SliceOptions options;
  EXPECT_NE(message({}, options).find("no volume"), std::string::npos);
  options.channel = "fuel";
  EXPECT_NE(message(ramp({}), options).find("density, velocity"), std::string::npos);
  options.channel = "density";
  options.at = 7;
  EXPECT_NE(message(ramp({}), options).find("from z = 0 to 2 m"), std::string::npos);
}

}  // namespace
}  // namespace ymir::preview_test
