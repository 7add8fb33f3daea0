#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/preview/film.h"
#include "ymir/preview/png.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;

Image pattern(int width, int height, int phase = 0) {
  Image image{width, height, {}};
  for (int i = 0; i < 3 * width * height; ++i)
    image.rgb.push_back(static_cast<std::uint8_t>(mix64(static_cast<std::uint64_t>(i / 48 + phase))));
  return image;
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("ymir_film_" + std::to_string(getpid()))) {
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {})); }

 private:
  fs::path path_;
};

std::string answer_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

TEST(Png, RoundTripKeepsEveryByte) {
  for (const int width : {1, 7, 64}) {
    const Image image = pattern(width, 5);
    EXPECT_EQ(decode_png(encode_png(image)), image);
  }
}

TEST(Png, RefusesDamagedBytes) {
  std::vector<std::byte> bytes = encode_png(pattern(40, 30));
  for (const std::size_t kept : {std::size_t{0}, std::size_t{8}, bytes.size() / 2})
    EXPECT_THROW(decode_png(std::span(bytes).first(kept)), Error) << kept;
  bytes[0] ^= std::byte{1};
  EXPECT_THROW(decode_png(bytes), Error);
}

TEST(ToneMap, KeepsDarkTonesAndBoundsBrightOnes) {
  LinearImage image(4, 1);
  image.pixels = {{0, 0, 0}, {0.2f, 0.2f, 0.2f}, {1000, 1000, 1000}, {std::nanf(""), 1, 1}};
  const Image mapped = tone_map(image, 1);
  EXPECT_EQ(mapped.rgb[0], 0);
  EXPECT_NEAR(mapped.rgb[3], 255 * linear_to_srgb(0.16f), 1.5);
  EXPECT_GE(mapped.rgb[6], 254);
  EXPECT_EQ(mapped.rgb[9], 0);
}

TEST(Bloom, SpreadsLightAroundHighlightsOnly) {
  LinearImage image(41, 41);
  image.at(20, 20) = {101, 0, 0};
  image.at(2, 2) = {0.9f, 0.9f, 0.9f};
  LinearImage bloomed = image;
  add_bloom(bloomed, 0.5f);
  EXPECT_GT(bloomed.at(22, 20).x, 0);
  EXPECT_EQ(bloomed.at(22, 20).y, 0);
  double added = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) added += bloomed.pixels[i].x - image.pixels[i].x;
  EXPECT_GT(added, 0.5 * 50);
  EXPECT_LE(added, 1.05 * 50);
}

TEST(Film, HoldsTheFramesItWasGiven) {
  if (!ffmpeg_available()) GTEST_SKIP() << "the program ffmpeg is not installed";
  const Folder folder;
  const fs::path path = folder.path() / "film.mp4";
  Film film(path, 65, 48, 24);  // an odd side is made even
  for (int i = 0; i < 3; ++i) film.add(pattern(65, 48, i));
  EXPECT_FALSE(fs::exists(path));  // not under its name before it is whole
  const FilmReport report = film.finish();
  EXPECT_TRUE(report.written) << report.message;
  EXPECT_EQ(folder.files(), 1u);
  const std::string answer = answer_of(
      "ffprobe -v error -count_frames -select_streams v:0 -of csv=p=0 -show_entries "
      "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames " +
      path.string());
  EXPECT_EQ(answer, "h264,66,48,yuv420p,24/1,3\n");
}

TEST(Film, AbandonedLeavesNothingBehind) {
  if (!ffmpeg_available()) GTEST_SKIP() << "the program ffmpeg is not installed";
  const Folder folder;
  {
    Film film(folder.path() / "film.mp4", 64, 48, 24);
    film.add(pattern(64, 48));
  }
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Film, SaysWhyThereIsNone) {
  if (!ffmpeg_available()) GTEST_SKIP() << "the program ffmpeg is not installed";
  Film film("/nonexistent/folder/film.mp4", 640, 480, 24);
  for (int i = 0; i < 20; ++i) film.add(pattern(640, 480, i));  // the encoder is gone by now: no signal may kill us
  const FilmReport report = film.finish();
  EXPECT_FALSE(report.written);
  EXPECT_NE(report.message.find("/nonexistent/folder"), std::string::npos);
}

TEST(Film, WithoutTheProgramNamesThePackage) {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  EXPECT_FALSE(ffmpeg_available());
  const Folder folder;
  Film film(folder.path() / "film.mp4", 64, 48, 24);
  film.add(pattern(64, 48));
  const FilmReport report = film.finish();
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(report.written);
  EXPECT_NE(report.message.find("install the package ffmpeg"), std::string::npos);
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
}  // namespace ymir
