#include <cmath>
#include <cstring>
#include <limits>

#include "format_samples.h"
#include "ymir/cache/formats/hair.h"

namespace ymir {
namespace {

using namespace format_samples;

// A .hair file by hand: 2 strands of 3 points, default segments 2, no other arrays.
std::string hand_made(std::uint32_t strands = 2, std::uint32_t points = 6, std::uint32_t flags = 2,
                      std::uint32_t segments = 2, std::size_t floats = 18) {
  std::string file(128, '\0');
  std::memcpy(file.data(), "HAIR", 4);
  const std::uint32_t counts[4] = {strands, points, flags, segments};
  std::memcpy(file.data() + 4, counts, sizeof(counts));
  for (std::size_t i = 0; i < floats; ++i) {
    const float v = static_cast<float>(i);
    file.append(reinterpret_cast<const char*>(&v), sizeof(v));
  }
  return file;
}

auto reading(const std::string& file) {
  return [file] { read_hair(bytes_of(file), "a.hair"); };
}

TEST(HairFormat, ReadsDefaultSegmentCounts) {
  const Curves curves = read_hair(bytes_of(hand_made()), "a.hair");
  EXPECT_EQ(curves.first, (std::vector<std::int64_t>{0, 3, 6}));
  EXPECT_EQ(curves.positions[4], (Vec3d{12, 13, 14}));
  EXPECT_EQ(curves.edges.count(), 4u);
  EXPECT_TRUE(curves.vertices.all().empty()) << "header defaults are not channels";
}

TEST(HairFormat, WritesAndReadsBackEveryChannel) {
  const TestFolder folder;
  Curves curves = sample_curves();
  const std::vector<float> radius{0.5f, 1, 2, 4, 8, 16};
  const std::vector<float> transparency{0, 0.25f, 0.5f, 0.75f, 1, 0.125f};
  const std::vector<Vec3f> color(6, Vec3f{0.25f, 0.5f, 1});
  curves.vertices.set("radius", Array::of(radius));
  curves.vertices.set("transparency", Array::of(transparency));
  curves.vertices.set("color", Array::of(color));
  write_hair(folder / "a.hair", curves);
  const Curves back = read_hair(folder / "a.hair");
  EXPECT_EQ(back.first, curves.first);
  EXPECT_EQ(back.positions, curves.positions);
  expect_same(curves.vertices, back.vertices);
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(HairFormat, TakesThicknessForADiameter) {
  std::string file = hand_made(1, 2, 2 | 4, 1, 6);
  for (const float thickness : {3.0f, 4.0f}) file.append(reinterpret_cast<const char*>(&thickness), 4);
  const Curves curves = read_hair(bytes_of(file), "a.hair");
  EXPECT_EQ(curves.vertices.get<float>("radius")[0], 1.5f);
  EXPECT_EQ(curves.vertices.get<float>("radius")[1], 2.0f);
}

TEST(HairFormat, RefusesCountsBeyondTheFile) {
  expect_refusal(reading(hand_made(2, 6, 2, 2, 17)), {"a.hair: byte 128", "6 points", "68 bytes remain"});
  expect_refusal(reading(hand_made(0xffffffff, 0xffffffff, 2, 0, 3)), {"4294967295 points", "bytes remain"});
  expect_refusal(reading(hand_made(0xffffffff, 6, 3, 0)), {"segment counts", "4294967295"});
  expect_refusal(reading(hand_made(0xffffffff, 6, 2, 0)), {"cannot share 6 points"});
}

TEST(HairFormat, RefusesSegmentCountsThatDisagreeWithThePoints) {
  expect_refusal(reading(hand_made(2, 6, 2, 3)), {"need 8 points", "header says 6"});
  // 65536 strands of 65536 points wrap to 0 in 32 bits.
  expect_refusal(reading(hand_made(0x10000, 0, 2, 0xffff)), {"cannot share 0 points"});
}

TEST(HairFormat, RefusesTruncationAtEveryByte) {
  const std::string whole = hand_made();
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refusal(reading(whole.substr(0, size)), {"a.hair: byte"});
  expect_refusal(reading(whole + "x"), {"1 bytes follow"});
}

TEST(HairFormat, NamesTheStrandOfAPointThatIsNotFinite) {
  std::string file = hand_made();
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(file.data() + 128 + 4 * (3 * 4 + 1), &bad, sizeof(bad));
  expect_refusal(reading(file), {"byte 180", "strand 1, point 1", "not finite"});
}

TEST(HairFormat, RefusesForeignFilesAndUnknownArrays) {
  expect_refusal(reading("HAIL" + hand_made().substr(4)), {"not a .hair file"});
  expect_refusal(reading(hand_made(2, 6, 0x22)), {"0x22"});
  expect_refusal(reading(hand_made(2, 6, 1)), {"no point array"});
}

TEST(HairFormat, RefusesToWriteWhatItCannotHold) {
  const TestFolder folder;
  Curves curves = sample_curves();
  curves.positions[2].y = std::numeric_limits<double>::infinity();
  expect_refusal([&] { write_hair(folder / "a.hair", curves); }, {"a.hair", "point 2"}, ExitCode::numerical);
  curves = Curves();
  curves.positions.resize(65537);
  curves.first = {0, 65537};
  expect_refusal([&] { write_hair(folder / "a.hair", curves); }, {"strand 0 has 65536 segments"});
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(HairFormat, ReadsARealGroom) {
  const auto path = groom("straight.hair");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Curves curves = read_hair(path);
  EXPECT_EQ(curves.strand_count(), 10'000u);
  EXPECT_EQ(curves.positions.size(), 160'000u);
  for (std::size_t s = 0; s < curves.strand_count(); ++s) ASSERT_EQ(curves.first[s + 1] - curves.first[s], 16);
  EXPECT_TRUE(curves.vertices.find("color")->holds<Vec3f>());
}

}  // namespace
}  // namespace ymir
