#include "ymir/cache/cache.h"

#include <gtest/gtest.h>

#include "frame_samples.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;

CacheIdentity identity() {
  return {.setup_hash = 42, .setup_name = "embers.yaml", .inputs = {{"head.obj", 7}, {"wind.vdb", 8}}};
}

// Frames 1 to 5 with checkpoints after 2 and 4.
Cache small_cache(const fs::path& folder) {
  Cache cache = Cache::create(folder, identity(), {.fps = 25, .program_version = "0.1.0"});
  for (std::int64_t n = 1; n <= 5; ++n) {
    cache.write_frame(sample_frame(n), 0.5);
    if (n % 2 == 0) cache.write_checkpoint(sample_frame(n));
  }
  return cache;
}

std::vector<std::int64_t> numbers(const std::vector<CacheEntry>& entries) {
  std::vector<std::int64_t> all;
  for (const CacheEntry& entry : entries) all.push_back(entry.number);
  return all;
}

using Numbers = std::vector<std::int64_t>;

void flip(const fs::path& path, std::size_t bit) {
  std::string text = read_text(path);
  text.at(bit / 8) = static_cast<char>(text.at(bit / 8) ^ (1 << (bit % 8)));
  write_text(path, text);
}

std::string refusal(const fs::path& folder, const CacheIdentity& other) {
  try {
    Cache::create(folder, other, {});
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
}

TEST(Cache, GivesBackWhatWasWritten) {
  const TestFolder folder;
  small_cache(folder / "deep/out");
  const Cache cache = Cache::open(folder / "deep/out");
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(numbers(cache.manifest().checkpoints), (Numbers{2, 4}));
  for (std::int64_t n = 1; n <= 5; ++n) expect_same(sample_frame(n), cache.read_frame(n));
  expect_same(sample_frame(4), cache.last_good_checkpoint().value());
  expect_same(sample_frame(2), cache.last_good_checkpoint(3).value());
  EXPECT_FALSE(cache.last_good_checkpoint(1).has_value());
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(cache.frames()[2].state_hash, sample_frame(3).hash);
  EXPECT_EQ(cache.frames()[2].seconds, 0.5);
  EXPECT_EQ(cache.manifest().fps, 25);
  EXPECT_EQ(cache.manifest().program_version, "0.1.0");
  EXPECT_THROW(cache.read_frame(6), Error);
}

TEST(Cache, KeepsTheLastTwoCheckpoints) {
  const TestFolder folder;
  Cache cache = Cache::create(folder.path(), identity(), {});
  for (std::int64_t n = 0; n < 6; ++n) cache.write_checkpoint(sample_frame(n));
  EXPECT_EQ(numbers(Cache::open(folder.path()).manifest().checkpoints), (Numbers{4, 5}));
  EXPECT_FALSE(fs::exists(folder / "checkpoint_000003.h5"));
  EXPECT_TRUE(fs::exists(folder / "checkpoint_000004.h5"));
}

TEST(Cache, NegativeFramesSortFirst) {
  const TestFolder folder;
  Cache cache = Cache::create(folder.path(), identity(), {});
  for (const std::int64_t n : {3, -10, 0}) cache.write_frame(sample_frame(n));
  EXPECT_EQ(numbers(Cache::open(folder.path()).frames()), (Numbers{-10, 0, 3}));
  expect_same(sample_frame(-10), cache.read_frame(-10));
}

TEST(Cache, ReplacesAFrameWrittenTwice) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  Frame other = sample_frame(3, 50);
  cache.write_frame(other);
  expect_same(other, Cache::open(folder.path()).read_frame(3));
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_TRUE(cache.verify().empty());
}

TEST(Cache, TruncatesFramesAndCheckpoints) {
  const TestFolder folder;
  small_cache(folder.path());
  write_text(folder / "frame_000006.h5.99-0.tmp", "left by a killed program");
  write_text(folder / "manifest.json.99-1.tmp", "left by a killed program");
  write_text(folder / "frame_000006.h5", "written, but killed before the manifest was");
  for (const char* mine : {"notes.tmp", "frame_1.h5", "frame_000001.h5.bak", "preview.png", "frame_000001.png.1-1.tmp"})
    write_text(folder / mine, "mine");
  Cache::open(folder.path()).truncate_after(3);
  const Cache cache = Cache::open(folder.path());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers(cache.manifest().checkpoints), (Numbers{2}));
  for (const char* gone : {"frame_000004.h5", "checkpoint_000004.h5", "frame_000006.h5", "frame_000006.h5.99-0.tmp",
                           "manifest.json.99-1.tmp"})
    EXPECT_FALSE(fs::exists(folder / gone)) << gone;
  for (const char* mine : {"notes.tmp", "frame_1.h5", "frame_000001.h5.bak", "preview.png", "frame_000001.png.1-1.tmp"})
    EXPECT_TRUE(fs::exists(folder / mine)) << mine;
  EXPECT_TRUE(cache.verify().empty());
}

TEST(Cache, ReportsStayBesideTheirFrame) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  for (std::int64_t n = 3; n <= 5; ++n) cache.write_report(n, "{\"frame\": " + std::to_string(n) + "}");
  cache.write_report(3, "{\"frame\": 3, \"again\": true}");
  EXPECT_EQ(cache.read_report(3), "{\"frame\": 3, \"again\": true}");
  EXPECT_EQ(Cache::open(folder.path()).read_report(4), "{\"frame\": 4}");
  EXPECT_EQ(cache.read_report(1), std::nullopt);
  EXPECT_TRUE(cache.verify().empty());
  write_text(folder / "report_000004.json.99-0.tmp", "left by a killed program");
  cache.truncate_after(3);
  EXPECT_TRUE(cache.read_report(3).has_value());
  EXPECT_EQ(cache.read_report(4), std::nullopt);
  EXPECT_FALSE(fs::exists(folder / "report_000004.json.99-0.tmp"));
}

TEST(Cache, SaysExactlyWhatChanged) {
  const TestFolder folder;
  const Cache cache = small_cache(folder.path());
  EXPECT_EQ(cache.why_not_resumable(identity()), std::nullopt);
  CacheIdentity now = identity();
  now.setup_hash = 43;
  EXPECT_EQ(cache.why_not_resumable(now), "the setup embers.yaml changed");
  now = identity();
  now.setup_name = "copy.yaml";
  EXPECT_EQ(cache.why_not_resumable(now), std::nullopt);
  now.setup_hash = 43;
  EXPECT_EQ(cache.why_not_resumable(now), "the cache is of setup embers.yaml, which differs from copy.yaml");
  now = identity();
  now.inputs = {{"wind.vdb", 9}, {"sand.ply", 1}};
  EXPECT_EQ(cache.why_not_resumable(now),
            "input wind.vdb changed; input sand.ply is new; input head.obj is no longer used");
}

TEST(Cache, ComparesPathsThatAreNotUtf8) {
  const TestFolder folder;
  CacheIdentity odd = identity();
  odd.inputs.push_back({"caf\xe9.obj", 3});
  const Cache cache = Cache::create(folder.path(), odd, {});
  EXPECT_EQ(cache.why_not_resumable(odd), std::nullopt);
  EXPECT_EQ(Cache::open(folder.path()).why_not_resumable(odd), std::nullopt);
}

TEST(Cache, RefusesToOverwriteAnotherSetupUnlessForced) {
  const TestFolder folder;
  small_cache(folder.path());
  write_text(folder / "notes.txt", "mine");
  CacheIdentity other = identity();
  other.inputs[0].hash = 1;
  EXPECT_NE(refusal(folder.path(), other).find("input head.obj changed"), std::string::npos);
  EXPECT_EQ(Cache::open(folder.path()).frames().size(), 5u);
  Cache::create(folder.path(), other, {.fps = 24, .program_version = "", .force_restart = true});
  EXPECT_TRUE(Cache::open(folder.path()).frames().empty());
  EXPECT_FALSE(fs::exists(folder / "frame_000001.h5"));
  EXPECT_FALSE(fs::exists(folder / "manifest.previous.json"));
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
}

TEST(Cache, ClearsAnEarlierRunOfTheSameSetup) {
  const TestFolder folder;
  small_cache(folder.path());
  Cache::create(folder.path(), identity(), {});
  EXPECT_TRUE(Cache::open(folder.path()).frames().empty());
  EXPECT_FALSE(fs::exists(folder / "checkpoint_000004.h5"));
}

TEST(Cache, RefusesFramesOfUnknownOriginUnlessForced) {
  const TestFolder folder;
  small_cache(folder.path());
  for (const char* name : {"manifest.json", "manifest.previous.json"}) write_text(folder / name, "{}");
  EXPECT_NE(refusal(folder.path(), identity()), "");
  for (const char* name : {"manifest.json", "manifest.previous.json"}) fs::remove(folder / name);
  EXPECT_NE(refusal(folder.path(), identity()).find("no manifest.json"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "frame_000003.h5"));
  Cache::create(folder.path(), identity(), {.fps = 24, .program_version = "", .force_restart = true});
  EXPECT_FALSE(fs::exists(folder / "frame_000003.h5"));
}

TEST(Cache, OpeningAFolderWithoutManifestIsAnError) {
  const TestFolder folder;
  EXPECT_FALSE(Cache::exists(folder.path()));
  EXPECT_THROW(Cache::open(folder.path()), Error);
  EXPECT_THROW(Cache::open(folder / "missing"), Error);
}

TEST(Cache, FallsBackToTheEarlierCheckpoint) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  flip(folder / "checkpoint_000004.h5", 1234);
  expect_same(sample_frame(2), cache.last_good_checkpoint().value());
  ASSERT_EQ(cache.verify().size(), 1u);
  EXPECT_EQ(cache.verify()[0].file, "checkpoint_000004.h5");
  fs::remove(folder / "checkpoint_000002.h5");
  EXPECT_FALSE(cache.last_good_checkpoint().has_value());
}

TEST(Cache, RewindsToTheLastCheckpoint) {
  const TestFolder folder;
  small_cache(folder.path());
  Cache cache = Cache::open(folder.path());
  expect_same(sample_frame(4), cache.rewind().value());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4}));
}

TEST(Cache, RewindsToBeforeADamagedFrame) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  flip(folder / "frame_000003.h5", 99);
  expect_same(sample_frame(2), cache.rewind().value());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2}));
  EXPECT_FALSE(fs::exists(folder / "frame_000003.h5"));
  fs::remove(folder / "frame_000001.h5");
  EXPECT_FALSE(cache.rewind().has_value());
  EXPECT_TRUE(cache.frames().empty());
  EXPECT_TRUE(Cache::open(folder.path()).verify().empty());
}

TEST(Cache, ADamagedManifestCostsAtMostOneFrame) {
  const TestFolder folder;
  small_cache(folder.path());
  flip(folder / "manifest.json", 777);
  Cache cache = Cache::open(folder.path());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4}));
  ASSERT_EQ(cache.verify().size(), 1u);
  EXPECT_EQ(cache.verify()[0].file, "manifest.json");
  // Going on must not replace the good previous manifest by the damaged one.
  cache.write_frame(sample_frame(5));
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(Cache::open(folder.path()).frames().size(), 5u);
}

TEST(Cache, FailedWritesLeaveEverythingEarlierIntact) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  fs::create_directory(folder / "frame_000006.h5");  // stands for any reason that a file cannot be written
  EXPECT_THROW(cache.write_frame(sample_frame(6)), Error);
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_TRUE(Cache::open(folder.path()).verify().empty());
  fs::remove(folder / "frame_000006.h5");
  cache.write_frame(sample_frame(6));
  EXPECT_EQ(Cache::open(folder.path()).frames().size(), 6u);
}

}  // namespace
}  // namespace ymir
