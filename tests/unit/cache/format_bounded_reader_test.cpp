#include <sys/stat.h>

#include <cmath>

#include "format_samples.h"
#include "ymir/cache/formats/bounded_reader.h"

namespace ymir {
namespace {

using namespace format_samples;

TEST(FileBytes, RefusesWhatIsNotAReadableFile) {
  const TestFolder folder;
  const auto loading = [](std::filesystem::path path, std::uint64_t limit = FileBytes::default_limit) {
    return [=] { FileBytes(path, limit); };
  };
  expect_refusal(loading(folder / "missing.obj"), {"missing.obj", "No such file"});
  expect_refusal(loading(folder.path()), {"folder"});
  write_file(folder / "empty.obj", "");
  expect_refusal(loading(folder / "empty.obj"), {"empty.obj", "empty"});
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refusal(loading(folder / "pipe"), {"not a regular file"});
  expect_refusal(loading("/dev/zero"), {"not a regular file"});
  write_file(folder / "ten", "0123456789");
  expect_refusal(loading(folder / "ten", 9), {"10 bytes", "limit of 9"});
  EXPECT_EQ(FileBytes(folder / "ten", 10).bytes().size(), 10u);
}

TEST(FileBytes, RefusesAFileBeyondTheLimitWithoutReadingIt) {
  const TestFolder folder;
  write_file(folder / "sparse", "x");
  std::filesystem::resize_file(folder / "sparse", FileBytes::default_limit + 1);
  expect_refusal([&] { FileBytes(folder / "sparse"); }, {"sparse", "limit"});
}

TEST(BoundedReader, ChecksCountsBeforeAllocating) {
  BoundedReader in(bytes_of("0123456789"), "a.bin");
  EXPECT_EQ(in.get<std::uint16_t>("head"), 0x3130);
  expect_refusal([&] { in.get_array<double>(2, "values"); }, {"a.bin: byte 2", "2 values", "8 bytes remain"});
  // Products that overflow 64 bits.
  expect_refusal([&] { in.get_array<double>(std::uint64_t{1} << 61, "values"); }, {"2305843009213693952"});
  expect_refusal([&] { in.take(~std::uint64_t{0}, 3, "values"); }, {"18446744073709551615"});
  EXPECT_EQ(in.get_array<double>(1, "values").size(), 1u);
  EXPECT_EQ(in.get_array<double>(0, "values").size(), 0u);
  in.expect_end();
}

TEST(BoundedReader, CountsLinesWhateverEndsThem) {
  BoundedReader in(bytes_of("one\r\n\n three  four\nfive"), "a.txt");
  EXPECT_EQ(in.next_line(), "one");
  EXPECT_EQ(in.next_line(), "");
  EXPECT_EQ(in.next_word(), "three");
  EXPECT_EQ(in.line(), 3u);
  EXPECT_EQ(in.next_word(), "four");
  EXPECT_EQ(in.line(), 3u);
  EXPECT_EQ(in.next_word(), "five");
  EXPECT_EQ(in.line(), 4u);
  EXPECT_EQ(in.next_word(), "");
  EXPECT_EQ(in.next_line(), std::nullopt);
  expect_refusal([&] { in.fail("wrong"); }, {"a.txt:4: wrong"});
}

TEST(BoundedReader, ParsesNumbersWhole) {
  double number = 0;
  for (const char* bad : {"", "+", "-", "1.5x", "0x10", "+-1", "1 ", "--1", "e5"})
    EXPECT_FALSE(parse_number(bad, number)) << bad;
  EXPECT_TRUE(parse_number("+1.25e2", number));
  EXPECT_EQ(number, 125);
  EXPECT_TRUE(parse_number("1e-999", number));
  EXPECT_EQ(number, 0);
  EXPECT_TRUE(parse_number("-1e999", number));
  EXPECT_TRUE(std::isinf(number));
  std::int64_t integer = 0;
  for (const char* bad : {"", "1.0", "9223372036854775808", "1e3", "+-1"})
    EXPECT_FALSE(parse_integer(bad, integer)) << bad;
  EXPECT_TRUE(parse_integer("-9223372036854775808", integer));
}

TEST(BoundedReader, PrintsForeignWordsSafely) {
  EXPECT_EQ(printable("a\x1b[31m\xff"), "'a?[31m?'");
  EXPECT_EQ(printable(std::string(100, 'x')).size(), 45u);
}

}  // namespace
}  // namespace ymir
