#include <cstring>
#include <limits>

#include "format_samples.h"
#include "ymir/cache/formats/usc_data.h"

namespace ymir {
namespace {

using namespace format_samples;

std::string integers(std::initializer_list<std::int32_t> values) {
  std::string text;
  for (const std::int32_t v : values) text.append(reinterpret_cast<const char*>(&v), sizeof(v));
  return text;
}

auto reading(const std::string& file) {
  return [file] { read_usc_data(bytes_of(file), "a.data"); };
}

TEST(UscDataFormat, WritesAndReadsBackStrandsAndEmptyRoots) {
  const TestFolder folder;
  const Curves curves = sample_curves();
  write_usc_data(folder / "a.data", curves);
  EXPECT_EQ(read_text(folder / "a.data").size(), 4 + 3 * 4 + 6 * 12u);
  const Curves back = read_usc_data(folder / "a.data");
  EXPECT_EQ(back.first, curves.first);
  EXPECT_EQ(back.positions, curves.positions);
}

TEST(UscDataFormat, RefusesCountsBeyondTheFile) {
  expect_refusal(reading(integers({2, 1, 0, 0, 0})), {"a.data: byte 4", "2 strands"});
  expect_refusal(reading(integers({1, 0x7fffffff, 0, 0, 0})), {"byte 8", "2147483647", "12 bytes remain"});
  expect_refusal(reading(integers({-1, 1, 0, 0, 0})), {"-1 strands"});
  expect_refusal(reading(integers({1, -1, 0, 0, 0})), {"strand 0 has -1 points"});
  expect_refusal(reading(integers({1, 0, 0, 0, 0})), {"strand 0 has 0 points"});
}

TEST(UscDataFormat, RefusesTruncationAtEveryByte) {
  const std::string whole = integers({1, 2, 0, 0, 0, 1, 1, 1});
  EXPECT_EQ(read_usc_data(bytes_of(whole), "a.data").positions.size(), 2u);
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refusal(reading(whole.substr(0, size)), {"a.data: byte"});
  expect_refusal(reading(whole + "xx"), {"2 bytes follow"});
}

TEST(UscDataFormat, NamesTheStrandOfAPointThatIsNotFinite) {
  std::string file = integers({2, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0});
  const float bad = std::numeric_limits<float>::infinity();
  std::memcpy(file.data() + file.size() - 4, &bad, sizeof(bad));
  expect_refusal(reading(file), {"strand 1, point 1"});
}

TEST(UscDataFormat, ReadsARealGroom) {
  const auto path = groom("harolongo.data");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Curves curves = read_usc_data(path);
  EXPECT_EQ(curves.strand_count(), 7'905u);
  for (std::size_t s = 0; s < curves.strand_count(); ++s) ASSERT_EQ(curves.first[s + 1] - curves.first[s], 21);
}

}  // namespace
}  // namespace ymir
