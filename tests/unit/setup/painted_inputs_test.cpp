// Parameters painted on pictures, by the texture coordinates of roots.
#include <gtest/gtest.h>
#include <png.h>

#include <filesystem>
#include <fstream>

#include "ymir/behaviors/register.h"
#include "ymir/behaviors/scope.h"
#include "ymir/setup/build.h"
#include "ymir/setup/session.h"

namespace ymir {
namespace {

class PaintedInputs : public testing::Test {
 protected:
  PaintedInputs()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("ymir_painted_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    // Two strands that stand on a square of 2 m, at a quarter and three quarters of its width.
    std::ofstream(folder_ / "hair.ply")
        << "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double "
           "y\nproperty double z\nproperty int strand\nproperty float u\nproperty float "
           "v\nend_header\n0.5 0 1 0 0.25 0.75\n0.5 1 1 0 9 9\n1.5 0 1 1 0.75 0.75\n1.5 1 "
           "1 1 9 9\n";
    std::ofstream(folder_ / "square.obj") << "v 0 0 0\nv 2 0 0\nv 2 0 2\nv 0 0 2\nvt 0 1\nvt 1 1\nvt 1 0\nvt 0 0\n"
                                             "f 1/1 2/2 3/3 4/4\n";
  }
  ~PaintedInputs() override { std::filesystem::remove_all(folder_); }

  template <class T>
  void picture(const char* name, int width, int height, const std::vector<T>& grey) const {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = sizeof(T) == 2 ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
    ASSERT_NE(png_image_write_to_file(&image, (folder_ / name).c_str(), 0, grey.data(), 0, nullptr), 0);
  }
  ReadResult read(const std::string& overrides, const std::string& source = "curves: hair.ply") const {
    return read_setup_text("ymir: 1\ntime: {frames: [1, 2]}\ninputs:\n  hair: {" + source +
                               ", overrides: " + overrides + "}\n  head: {surface: square.obj}\nsetup: [gravity]\n",
                           folder_ / "scene.yaml", registry_);
  }
  std::vector<double> values(const std::string& overrides, const char* parameter) const {
    const ReadResult result = read(overrides);
    EXPECT_TRUE(result.setup) << to_string(result.diagnostics);
    if (!result.setup) return {};
    Communicator alone;
    Simulation simulation(result.setup->time, 1, alone);
    const Curves curves = Scope(simulation, result.setup->inputs, "test", 0, 1).curves({"hair"});
    const auto found = curves.strands.get<double>(parameter);
    return {found.begin(), found.end()};
  }

  std::filesystem::path folder_;
  Registry registry_ = all_behaviors();
};

TEST_F(PaintedInputs, TakeGreyValuesAtTheRoots) {
  // Left half black, right half white, the lower half grey.
  picture<std::uint8_t>("a.png", 2, 2, {0, 255, 51, 51});
  const std::vector<double> e = values("{youngs_modulus: {texture: a.png, low: 1 GPa, high: 3 GPa}}", "youngs_modulus");
  ASSERT_EQ(e.size(), 2u);
  EXPECT_DOUBLE_EQ(e[0], 1e9);
  EXPECT_DOUBLE_EQ(e[1], 3e9);
}

TEST_F(PaintedInputs, TakeTextureCoordinatesOfTheSurfaceBelow) {
  picture<std::uint8_t>("a.png", 2, 2, {0, 255, 0, 255});
  // At half the depth of the square; v does not matter to this picture.
  const std::vector<double> b = values("{bend: {texture: a.png, surface: head, low: 1, high: 5}}", "bend");
  ASSERT_EQ(b.size(), 2u);
  EXPECT_NEAR(b[0], 1, 1e-6);
  EXPECT_NEAR(b[1], 5, 1e-6);
}

TEST_F(PaintedInputs, AreTakenByGuidesToo) {
  picture<std::uint8_t>("a.png", 2, 2, {0, 255, 0, 255});
  const ReadResult result = read_setup_text(
      "ymir: 1\ntime: {frames: [1, 2]}\ninputs:\n  all: {curves: hair.ply}\n"
      "  few: {guides: {of: all, count: 2}, overrides: {bend: {texture: a.png, low: 1, high: 5}}}\nsetup: [gravity]\n",
      folder_ / "scene.yaml", registry_);
  ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
  Communicator alone;
  Simulation simulation(result.setup->time, 1, alone);
  const Curves few = Scope(simulation, result.setup->inputs, "test", 0, 1).curves({"few"});
  const auto bend = few.strands.get<double>("bend");
  ASSERT_EQ(bend.size(), 2u);
  EXPECT_NEAR(bend[0] + bend[1], 6, 1e-9);
}

TEST_F(PaintedInputs, KeepSixteenBits) {
  picture<std::uint16_t>("wide.png", 2, 1, {1, 65534});
  const std::vector<double> b = values("{bend: {texture: wide.png, low: 0, high: 65535}}", "bend");
  ASSERT_EQ(b.size(), 2u);
  EXPECT_NEAR(b[0], 1, 1e-2);
  EXPECT_NEAR(b[1], 65534, 1e-2);
}

TEST_F(PaintedInputs, AreRefusedWithTheirPlace) {
  picture<std::uint8_t>("a.png", 1, 1, {9});
  const auto message = [&](const std::string& overrides, const std::string& source = "curves: hair.ply") {
    return to_string(read(overrides, source).diagnostics);
  };
  EXPECT_NE(message("{bend: {texture: none.png, low: 0, high: 1}}").find("no file 'none.png'"), std::string::npos);
  EXPECT_NE(message("{bend: {texture: a.png, low: 0}}").find("high"), std::string::npos);
  EXPECT_NE(message("{bend: {texture: a.png, low: -1, high: 1}}").find("low"), std::string::npos);
  EXPECT_NE(message("{acceleration: {texture: a.png, low: 0, high: 1}}").find("only numbers can be painted"),
            std::string::npos);
  EXPECT_NE(message("{bend: {texture: a.png, surface: nobody, low: 0, high: 1}}").find("no surface 'nobody'"),
            std::string::npos);
  EXPECT_NE(message("{friction: {texture: a.png, low: 0, high: 1}}", "points: hair.ply")
                .find("only curves, bodies and surfaces can be painted"),
            std::string::npos);
}

TEST_F(PaintedInputs, NameAPictureThatCannotBeRead) {
  std::ofstream(folder_ / "bad.png") << "no picture";
  try {
    values("{bend: {texture: bad.png, low: 0, high: 1}}", "bend");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("bad.png: png:"), std::string::npos) << e.what();
  }
}

TEST_F(PaintedInputs, BelongToWhatACacheDependsOn) {
  picture<std::uint8_t>("a.png", 1, 1, {9});
  const std::string overrides = "{bend: {texture: a.png, low: 0, high: 1}}";
  const CacheIdentity before = identity_of(*read(overrides).setup);
  picture<std::uint8_t>("a.png", 1, 1, {10});
  const CacheIdentity after = identity_of(*read(overrides).setup);
  EXPECT_NE(before.inputs.at(0).hash, after.inputs.at(0).hash);
  EXPECT_NE(before.setup_hash, identity_of(*read("{bend: {texture: a.png, low: 0, high: 2}}").setup).setup_hash);
}

}  // namespace
}  // namespace ymir
