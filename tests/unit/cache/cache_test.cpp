#include "ymir/cache/cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

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

// Where a run to frame `last` goes on.
ResumePoint resume_point(const Cache& cache, std::int64_t last = 9, std::optional<std::int64_t> from = {},
                         const CacheIdentity& now = identity()) {
  return cache.find_resume_point({.first = 1, .last = last, .from = from, .identity = now});
}

// A frame of another course of events.
Frame other_frame(std::int64_t number) {
  Frame frame = sample_frame(number, 50);
  frame.hash ^= 1;
  return frame;
}

CacheIdentity changed_identity() {
  CacheIdentity other = identity();
  other.setup_hash = 43;
  return other;
}

std::string message_of(const std::function<void()>& action, ExitCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "";
}

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
  expect_same(sample_frame(4), resume_point(cache).state.value());
  EXPECT_EQ(resume_point(cache).after, 4);
  EXPECT_TRUE(resume_point(cache, 5).complete);
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

TEST(Cache, AFrameThatComesOutTheSameStaysUntouched) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  const auto written = fs::last_write_time(folder / "frame_000003.h5");
  cache.write_frame(sample_frame(3), 7);
  EXPECT_EQ(fs::last_write_time(folder / "frame_000003.h5"), written);
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(numbers(cache.manifest().checkpoints), (Numbers{2, 4}));
  EXPECT_FALSE(fs::exists(folder / "discarded"));
}

TEST(Cache, TheSameStateInAnotherOrderIsTheSameFrame) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  Frame reordered = sample_frame(3);
  reordered.objects[0].channels["id"] = sample_frame(4).objects[0].channels["id"];
  cache.write_frame(reordered);  // the hash of the state decides
  expect_same(sample_frame(3), cache.read_frame(3));
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(cache.frames().size(), 5u);
}

TEST(Cache, AFrameThatComesOutDifferentlySetsTheOldOnesAside) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  cache.write_report(4, "{}");
  const Frame other = other_frame(3);
  cache.write_frame(other);
  expect_same(other, Cache::open(folder.path()).read_frame(3));
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers(cache.manifest().checkpoints), (Numbers{2}));
  EXPECT_TRUE(cache.verify().empty());
  const Cache aside = Cache::open(folder / "discarded/0001");
  EXPECT_EQ(numbers(aside.frames()), (Numbers{3, 4, 5}));
  EXPECT_EQ(numbers(aside.manifest().checkpoints), (Numbers{4}));
  EXPECT_TRUE(aside.verify().empty());
  EXPECT_EQ(aside.read_report(4), "{}");
  expect_same(sample_frame(5), aside.read_frame(5));
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
  cache.go_on_from(resume_point(cache, 9, 3, changed_identity()), changed_identity());
  EXPECT_EQ(cache.read_report(3), std::nullopt);
  EXPECT_EQ(Cache::open(folder / "discarded/0001").read_report(4), "{\"frame\": 4}");
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

TEST(Cache, StartingOverSetsTheEarlierFramesAside) {
  const TestFolder folder;
  small_cache(folder.path());
  write_text(folder / "frame_000006.h5.99-0.tmp", "left by a killed program");
  write_text(folder / "manifest.json.99-1.tmp", "left by a killed program");
  write_text(folder / "frame_000006.h5", "written, but killed before the manifest was");
  const std::vector<std::string> mine{"notes.tmp", "frame_1.h5", "frame_000001.h5.bak", "frame_000001.png.1-1.tmp"};
  for (const std::string& name : mine) write_text(folder / name, "mine");
  Cache::create(folder.path(), identity(), {});
  EXPECT_TRUE(Cache::open(folder.path()).frames().empty());
  for (const char* gone : {"frame_000001.h5", "frame_000006.h5", "checkpoint_000004.h5", "frame_000006.h5.99-0.tmp",
                           "manifest.json.99-1.tmp"})
    EXPECT_FALSE(fs::exists(folder / gone)) << gone;
  for (const std::string& name : mine) EXPECT_TRUE(fs::exists(folder / name)) << name;
  const Cache aside = Cache::open(folder / "discarded/0001");
  EXPECT_EQ(numbers(aside.frames()), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_TRUE(aside.verify().empty());
  EXPECT_TRUE(fs::exists(folder / "discarded/0001/frame_000006.h5"));
  small_cache(folder.path());
  Cache::create(folder.path(), identity(), {});
  EXPECT_EQ(Cache::open(folder / "discarded/0002").frames().size(), 5u);
}

TEST(Cache, ACacheWithoutFramesIsFreeForAnySetup) {
  const TestFolder folder;
  Cache::create(folder.path(), identity(), {});
  EXPECT_EQ(refusal(folder.path(), changed_identity()), "");
  EXPECT_EQ(Cache::open(folder.path()).why_not_resumable(changed_identity()), std::nullopt);
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

TEST(Cache, KeptFramesOfUnknownOriginAreComparedOneByOne) {
  const TestFolder folder;
  small_cache(folder.path());
  for (const char* name : {"manifest.json", "manifest.previous.json"}) write_text(folder / name, "{}");
  EXPECT_FALSE(Cache::readable(folder.path()));
  Cache cache = Cache::create(folder.path(), identity(), {.fps = 24, .program_version = "", .keep_files = true});
  EXPECT_TRUE(cache.frames().empty());
  EXPECT_EQ(cache.unlisted().size(), 7u);
  cache.write_frame(sample_frame(1));
  EXPECT_FALSE(fs::exists(folder / "discarded"));
  cache.write_frame(other_frame(2));
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2}));
  EXPECT_TRUE(cache.unlisted().empty());
  for (const char* name : {"frame_000002.h5", "frame_000005.h5", "checkpoint_000004.h5"})
    EXPECT_TRUE(fs::exists(folder / ("discarded/0001/" + std::string(name)))) << name;
}

TEST(Cache, OpeningAFolderWithoutManifestIsAnError) {
  const TestFolder folder;
  EXPECT_FALSE(Cache::exists(folder.path()));
  EXPECT_THROW(Cache::open(folder.path()), Error);
  EXPECT_THROW(Cache::open(folder / "missing"), Error);
}

TEST(Cache, FallsBackToTheEarlierCheckpointAndRepairsTheRest) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  flip(folder / "checkpoint_000004.h5", 1234);
  ASSERT_EQ(cache.verify().size(), 1u);
  EXPECT_EQ(cache.verify()[0].file, "checkpoint_000004.h5");
  EXPECT_NE(cache.verify()[0].remedy.find("--resume"), std::string::npos);
  const ResumePoint point = resume_point(cache);
  expect_same(sample_frame(2), point.state.value());
  cache.go_on_from(point, identity());
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5}));  // none is lost on the way back
  fs::remove(folder / "checkpoint_000002.h5");
  const ResumePoint beginning = resume_point(cache);
  EXPECT_FALSE(beginning.state.has_value());
  EXPECT_EQ(beginning.after, 0);
  cache.go_on_from(beginning, identity());
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5}));
}

TEST(Cache, GoesBackToBeforeADamagedFrameAndKeepsTheOthers) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  flip(folder / "frame_000003.h5", 99);
  EXPECT_NE(cache.verify().at(0).remedy.find("after frame 2"), std::string::npos) << cache.verify()[0].remedy;
  const ResumePoint point = resume_point(cache);
  expect_same(sample_frame(2), point.state.value());
  cache.go_on_from(point, identity());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 4, 5}));
  EXPECT_TRUE(fs::exists(folder / "discarded/0001/frame_000003.h5"));
  EXPECT_FALSE(cache.holds_frames(3, 5));
  cache.write_frame(sample_frame(3));
  EXPECT_TRUE(cache.holds_frames(4, 5));
  EXPECT_TRUE(resume_point(cache, 5).complete);
  EXPECT_TRUE(cache.verify().empty());
}

TEST(Cache, ChangesNothingUntilToldToGoOn) {
  const TestFolder folder;
  const Cache cache = small_cache(folder.path());
  const std::string manifest = read_text(folder / "manifest.json");
  resume_point(cache);
  const auto refused = message_of([&] { resume_point(cache, 9, {}, changed_identity()); }, ExitCode::bad_input);
  EXPECT_NE(refused.find("the setup embers.yaml changed"), std::string::npos);
  EXPECT_NE(refused.find("--resume --from N"), std::string::npos);
  EXPECT_NE(refused.find("checkpoints after frames 2, 4"), std::string::npos);
  EXPECT_NE(message_of([&] { resume_point(cache, 9, 6); }, ExitCode::usage), "");
  EXPECT_NE(message_of([&] { resume_point(cache, 9, -1); }, ExitCode::usage), "");
  EXPECT_NE(message_of([&] { resume_point(cache, 9, 1); }, ExitCode::bad_input).find("at or before frame 1"),
            std::string::npos);
  EXPECT_EQ(read_text(folder / "manifest.json"), manifest);
  EXPECT_FALSE(fs::exists(folder / "discarded"));
}

TEST(Cache, ABranchKeepsFramesUpToItsCheckpointAndRecordsBothSetups) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  const ResumePoint point = resume_point(cache, 9, 3, changed_identity());
  EXPECT_TRUE(point.branch);
  EXPECT_EQ(point.after, 2);
  cache.go_on_from(point, changed_identity());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2}));
  EXPECT_EQ(numbers(Cache::open(folder / "discarded/0001").frames()), (Numbers{3, 4, 5}));
  cache.write_frame(other_frame(3));
  const Cache again = Cache::open(folder.path());
  EXPECT_EQ(again.manifest().identity.setup_hash, 42u);
  ASSERT_EQ(again.manifest().branches.size(), 1u);
  EXPECT_EQ(again.manifest().branches[0].from_frame, 2);
  EXPECT_EQ(again.manifest().branches[0].identity.setup_hash, 43u);
  EXPECT_EQ(again.why_not_resumable(changed_identity()), std::nullopt);
  EXPECT_TRUE(again.why_not_resumable(identity()).has_value());
  EXPECT_EQ(resume_point(again, 9, {}, changed_identity()).after, 2);
  // Without the checkpoint it began at, going on exactly is impossible; nothing is given up for it.
  fs::remove(folder / "checkpoint_000002.h5");
  const auto refused = message_of([&] { resume_point(again, 9, {}, changed_identity()); }, ExitCode::io);
  EXPECT_NE(refused.find("nothing was changed"), std::string::npos) << refused;
}

TEST(Cache, GoingBackToTheFirstSetupEndsABranch) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  cache.go_on_from(resume_point(cache, 9, 4, changed_identity()), changed_identity());
  cache.write_frame(other_frame(5));
  cache.go_on_from(resume_point(cache, 9, 2), identity());
  EXPECT_TRUE(cache.manifest().branches.empty());
  EXPECT_EQ(cache.why_not_resumable(identity()), std::nullopt);
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2}));
  cache.go_on_from(resume_point(cache, 9, 0, changed_identity()), changed_identity());
  EXPECT_TRUE(cache.manifest().branches.empty());
  EXPECT_EQ(cache.manifest().identity.setup_hash, 43u);
}

TEST(Cache, TheStateOfAFailureServesChangedSetupsOnly) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  cache.write_checkpoint(sample_frame(5));
  Frame inside = sample_frame(5, 30);
  inside.time += 0.01;
  cache.write_failure(inside);
  EXPECT_TRUE(cache.verify().empty());
  expect_same(sample_frame(5), resume_point(cache).state.value());  // the checkpoint of that number is still there
  Frame later = sample_frame(5, 40);
  later.time += 0.02;
  cache.write_failure(later);
  const ResumePoint point = resume_point(cache, 9, 5, changed_identity());
  EXPECT_TRUE(point.failed_here);
  expect_same(inside, point.state.value());
  cache.go_on_from(point, changed_identity());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5}));
  // Killed before its first checkpoint, the branch begins where it began.
  expect_same(inside, resume_point(cache, 9, {}, changed_identity()).state.value());
  for (std::int64_t n = 6; n <= 7; ++n) cache.write_frame(sample_frame(n));
  cache.write_checkpoint(sample_frame(7));
  EXPECT_TRUE(cache.manifest().failures.empty());
  EXPECT_FALSE(fs::exists(folder / "failure_000005.h5"));
  EXPECT_EQ(resume_point(cache, 9, {}, changed_identity()).after, 7);
}

TEST(Cache, AnEarlierManifestPutInPlaceIsRepaired) {
  const TestFolder folder;
  {
    Cache cache = small_cache(folder.path());
    cache.write_frame(sample_frame(6));
    cache.write_checkpoint(sample_frame(6));
    fs::copy_file(folder / "manifest.previous.json", folder / "manifest.json", fs::copy_options::overwrite_existing);
  }
  Cache cache = Cache::open(folder.path());
  ASSERT_EQ(cache.verify().size(), 1u);  // it lists the checkpoint that was dropped since
  cache.go_on_from(resume_point(cache), identity());
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4, 5, 6}));
}

// tests/unit/cache/version_1 was written by the program before branches and locks.
TEST(Cache, GoesOnWithWhatTheFirstVersionWrote) {
  const TestFolder folder;
  fs::copy(YMIR_SOURCE_DIR "/tests/unit/cache/version_1", folder.path(), fs::copy_options::recursive);
  {
    Cache cache = Cache::open_to_write(folder.path(), "");
    EXPECT_TRUE(cache.verify().empty());
    const CacheIdentity then = cache.manifest().newest();
    EXPECT_TRUE(resume_point(cache, 3, {}, then).complete);
    const ResumePoint point = resume_point(cache, 4, {}, then);
    EXPECT_EQ(point.state.value().number, 3);
    cache.go_on_from(point, then);
    cache.write_frame(sample_frame(4));
  }
  const Cache cache = Cache::open(folder.path());
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4}));
  EXPECT_TRUE(cache.verify().empty());
}

TEST(Cache, HasOneWriter) {
  const TestFolder folder;
  {
    const Cache cache = Cache::create(folder.path(), identity(), {.command = "ymir run a.yaml"});
    const auto refused = message_of([&] { Cache::open_to_write(folder.path(), ""); }, ExitCode::io);
    EXPECT_NE(refused.find("process " + std::to_string(::getpid())), std::string::npos) << refused;
    EXPECT_NE(refused.find("ymir run a.yaml"), std::string::npos) << refused;
    EXPECT_NE(message_of([&] { small_cache(folder.path()); }, ExitCode::io), "");
    EXPECT_NE(message_of([&] { Cache::create(folder.path(), identity(), {.force_restart = true}); }, ExitCode::io), "");
    EXPECT_NO_THROW(Cache::open(folder.path()));
    ASSERT_TRUE(CacheLock::holder_of(folder.path()).has_value());
    EXPECT_EQ(CacheLock::holder_of(folder.path())->pid, ::getpid());
  }
  EXPECT_FALSE(fs::exists(folder / "lock.json"));
  EXPECT_FALSE(CacheLock::holder_of(folder.path()).has_value());
  EXPECT_NO_THROW(Cache::open_to_write(folder.path(), ""));
}

TEST(Cache, TakesOverTheLockOfAProcessThatEnded) {
  const TestFolder folder;
  for (const char* left : {"", "{\"host\": \"elsewhere\", \"pid\": 1}", "not JSON"}) {
    write_text(folder / "lock.json", left);
    EXPECT_FALSE(CacheLock::holder_of(folder.path()).has_value());
    EXPECT_NO_THROW(CacheLock(folder.path(), ""));
  }
  // Where the file system knows no locks, the process itself is looked for.
  LockHolder holder = LockHolder::this_process("");
  EXPECT_TRUE(may_be_alive(holder));
  holder.started += "0";
  EXPECT_FALSE(may_be_alive(holder));
  holder.pid = 0x3fffffff;
  EXPECT_FALSE(may_be_alive(holder));
  holder.host = "elsewhere";
  EXPECT_TRUE(may_be_alive(holder));
}

TEST(Cache, ADamagedManifestCostsAtMostOneFrame) {
  const TestFolder folder;
  small_cache(folder.path());
  flip(folder / "manifest.json", 777);
  Cache cache = Cache::open_to_write(folder.path(), "test");
  EXPECT_EQ(numbers(cache.frames()), (Numbers{1, 2, 3, 4}));
  ASSERT_EQ(cache.verify().size(), 1u);
  EXPECT_EQ(cache.verify()[0].file, "manifest.json");
  // Going on must not replace the good previous manifest by the damaged one.
  cache.write_frame(sample_frame(5));
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(Cache::open(folder.path()).frames().size(), 5u);
}

// Another writer may have begun: nothing more is written.
TEST(Cache, AWriterWhoseLockIsGoneStops) {
  const TestFolder folder;
  Cache cache = small_cache(folder.path());
  fs::remove(folder / "lock.json");
  EXPECT_THROW(cache.write_frame(sample_frame(6)), Error);
  EXPECT_FALSE(fs::exists(folder / "frame_000006.h5"));
  Cache other = Cache::open_to_write(folder.path(), "test");
  EXPECT_THROW(cache.write_frame(sample_frame(6)), Error);
  other.write_frame(sample_frame(6));
  EXPECT_EQ(Cache::open(folder.path()).frames().size(), 6u);
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
