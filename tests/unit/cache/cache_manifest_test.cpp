#include <gtest/gtest.h>

#include "frame_samples.h"
#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/cache/manifest.h"

namespace ymir {
namespace {

Manifest sample() {
  Manifest manifest;
  manifest.program_version = "0.1.0";
  manifest.identity = {
      .setup_hash = 0xfedcba9876543210, .setup_name = "Glüh\"würmchen\".yaml", .inputs = {{"a\n.obj", 1}}};
  manifest.fps = 23.976;
  manifest.frames = {{.number = 1, .stamp = {100, ~0ull}, .state_hash = 5, .time = 0.1, .seconds = 1e-9},
                     {.number = 1234567, .stamp = {0, 0}, .state_hash = 0, .time = 1e300, .seconds = 0}};
  manifest.branches = {{.from_frame = 1, .time = 0.3, .identity = {77, "later.yaml", {{"b.obj", 2}}}}};
  manifest.failures = {{.number = 9, .stamp = {5, 6}, .state_hash = 7, .time = 0.4, .seconds = 0}};
  manifest.checkpoints = {{.number = -7, .stamp = {3, 4}, .state_hash = 6, .time = -0.5, .seconds = 2}};
  return manifest;
}

// The text with one part replaced and the checksum made right again: what a hostile writer would do.
std::string forged(std::string from, const std::string& to) {
  std::string text = manifest_text(sample());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const std::size_t end = text.rfind(",\n \"checksum\"");
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016lx", static_cast<unsigned long>(hash_text(text.substr(0, end))));
  return text.substr(0, end) + ",\n \"checksum\": \"" + digits + "\"\n}\n";
}

TEST(Manifest, ComesBackWhole) {
  const Manifest a = sample();
  const Manifest b = parse_manifest(manifest_text(a), "x");
  EXPECT_EQ(b.program_version, a.program_version);
  EXPECT_EQ(b.identity.setup_hash, a.identity.setup_hash);
  EXPECT_EQ(b.identity.setup_name, a.identity.setup_name);
  ASSERT_EQ(b.identity.inputs.size(), 1u);
  EXPECT_EQ(b.identity.inputs[0].path, "a\n.obj");
  EXPECT_EQ(b.fps, a.fps);
  ASSERT_EQ(b.frames.size(), 2u);
  EXPECT_EQ(b.frames[0].stamp, a.frames[0].stamp);
  EXPECT_EQ(b.frames[0].time, a.frames[0].time);
  EXPECT_EQ(b.frames[0].seconds, a.frames[0].seconds);
  EXPECT_EQ(b.frames[1].number, 1234567);
  ASSERT_EQ(b.checkpoints.size(), 1u);
  EXPECT_EQ(b.checkpoints[0].number, -7);
  ASSERT_EQ(b.branches.size(), 1u);
  EXPECT_EQ(b.branches[0].time, 0.3);
  EXPECT_EQ(b.newest().setup_name, "later.yaml");
  EXPECT_EQ(b.newest().inputs.at(0).path, "b.obj");
  ASSERT_EQ(b.failures.size(), 1u);
  EXPECT_EQ(b.failures[0].time, 0.4);
  EXPECT_EQ(manifest_text(b), manifest_text(a));
}

TEST(Manifest, EveryFlippedBitAndEveryTruncationShows) {
  const std::string good = manifest_text(sample());
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string text = good;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(parse_manifest(text, "x"), Error) << bit;
  }
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_THROW(parse_manifest(good.substr(0, size), "x"), Error);
  EXPECT_THROW(parse_manifest(good + " ", "x"), Error);
}

TEST(Manifest, RefusesForgeriesWithTheRightChecksum) {
  EXPECT_NO_THROW(parse_manifest(forged("23.976", "25"), "x"));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"ymir_cache\": 2", "\"ymir_cache\": 3"},
           {"\"ymir_cache\": 2", "\"ymir_cache\": 0"},
           {"\"ymir_cache\": 2", "\"ymir_cache\": \"1\""},
           {"\"from_frame\": 1", "\"from_frame\": 1e10"},
           {"failure_000009.h5", "frame_000009.h5"},
           {"\"fps\"", "\"fqs\""},
           {"23.976", "null"},
           {"23.976", "[[[[[[[[[[]]]]]]]]]]"},
           {"frame_000001.h5", "../../home/me/thesis.tex"},
           {"frame_000001.h5", "frame_000002.h5"},
           {"\"number\": 1234567", "\"number\": 1e400"},
           {"\"number\": 1234567", "\"number\": 18446744073709551615"},
           {"\"number\": 1234567", "\"number\": 0"},
           {"\"bytes\": 100", "\"bytes\": -1"},
           {"\"bytes\": 100", "\"bytes\": 1.5"},
           {"fedcba9876543210", "fedcba987654321"},
           {"fedcba9876543210", "FEDCBA9876543210"},
           {"fedcba9876543210", "-edcba9876543210"},
           {"{", std::string(200'000, '[')},
           {"{", "[{"},
           {"{", ""},
           {"Gl", "\xff\xfe"},
       })
    EXPECT_THROW(parse_manifest(forged(from, to), "x"), Error) << from << " -> " << to.substr(0, 40);
}

TEST(Manifest, AnotherVersionIsRefusedInsteadOfReplacedByTheEarlierManifest) {
  const TestFolder folder;
  save_manifest(folder.path(), sample(), false);
  save_manifest(folder.path(), sample(), true);
  write_text(folder / "manifest.json", forged("\"ymir_cache\": 2", "\"ymir_cache\": 3"));
  try {
    load_manifest(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
  }
}

// Written by the program of format version 1.
TEST(Manifest, ReadsWhatTheFirstVersionWrote) {
  const LoadedManifest loaded = load_manifest(YMIR_SOURCE_DIR "/tests/unit/cache/version_1");
  EXPECT_FALSE(loaded.problem.has_value());
  EXPECT_EQ(loaded.manifest.frames.size(), 3u);
  EXPECT_EQ(loaded.manifest.checkpoints.size(), 2u);
  EXPECT_TRUE(loaded.manifest.branches.empty());
  EXPECT_EQ(loaded.manifest.newest().setup_name, "three_points.yaml");
}

TEST(Manifest, RefusesDeepNestingWhileParsing) {
  try {
    parse_manifest(forged("{", std::string(200'000, '[')), "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "x: nested too deeply for a manifest");
  }
}

TEST(Manifest, TheEarlierOneServesWhenTheLatestIsDamagedOrMissing) {
  const TestFolder folder;
  Manifest manifest = sample();
  save_manifest(folder.path(), manifest, false);
  manifest.fps = 60;
  save_manifest(folder.path(), manifest, true);
  EXPECT_EQ(load_manifest(folder.path()).manifest.fps, 60);
  EXPECT_FALSE(load_manifest(folder.path()).problem.has_value());
  write_text(folder / "manifest.json", read_text(folder / "manifest.json").substr(0, 50));
  EXPECT_EQ(load_manifest(folder.path()).manifest.fps, 23.976);
  EXPECT_TRUE(load_manifest(folder.path()).problem.has_value());
  std::filesystem::remove(folder / "manifest.json");
  EXPECT_EQ(load_manifest(folder.path()).manifest.fps, 23.976);
  write_text(folder / "manifest.previous.json", "");
  EXPECT_THROW(load_manifest(folder.path()), Error);
}

}  // namespace
}  // namespace ymir
