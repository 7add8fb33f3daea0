// 2,000 flipped bits and 500 truncations over all files of a cache: each is reported for the right file, nothing
// crashes, and a resumed run always finds its way.
#include <gtest/gtest.h>

#include <algorithm>

#include "frame_samples.h"
#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/base/random.h"
#include "ymir/cache/cache.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;

class CacheDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    log::set_level("off");
    Cache cache = Cache::create(folder_.path(), identity, {});
    for (std::int64_t n = 1; n <= 4; ++n) {
      cache.write_frame(sample_frame(n));
      if (n % 2 == 0) cache.write_checkpoint(sample_frame(n, 30));
    }
    for (const std::string& name : names_in(folder_.path()))
      if (name != "lock.json") names_.push_back(name);
    std::sort(names_.begin(), names_.end());
    for (const std::string& name : names_) contents_.push_back(read_text(folder_ / name));
    ASSERT_EQ(names_.size(), 8u);  // four frames, two checkpoints, two manifests
  }
  void TearDown() override { log::set_level("info"); }

  void expect_reported(const std::string& name) const {
    const auto problems = Cache::open(folder_.path()).verify();
    EXPECT_EQ(std::count_if(problems.begin(), problems.end(), [&](const auto& p) { return p.file == name; }), 1)
        << name;
    if (!name.ends_with(".h5")) return;
    EXPECT_EQ(problems.size(), 1u);
    EXPECT_THROW(read_frame_file(folder_ / name), Error) << name;  // without a manifest, too
    if (!name.starts_with("frame_")) return;
    EXPECT_THROW(Cache::open(folder_.path()).read_frame(number_in(name)), Error);
  }

  void expect_recovery(const std::string& name) const {
    Cache cache = Cache::open(folder_.path());
    const ResumePoint point = cache.find_resume_point({.first = 1, .last = 9, .from = {}, .identity = identity});
    const bool frame = name.starts_with("frame_");
    // The manifest before the last one does not list the last checkpoint yet.
    const bool latest = name == "checkpoint_000004.h5" || name == "manifest.json";
    EXPECT_EQ(point.after, frame ? (number_in(name) - 1) / 2 * 2 : latest ? 2 : 4) << name;
    if (point.state) expect_same(*point.state, sample_frame(point.after, 30));
    cache.go_on_from(point, identity);
    EXPECT_EQ(cache.frames().size(), frame ? 3u : 4u);  // intact frames stay
    EXPECT_TRUE(cache.verify().empty());
  }

  static std::int64_t number_in(const std::string& name) { return std::stoll(name.substr(name.find('_') + 1, 6)); }

  void restore_all() const {
    for (std::size_t f = 0; f < names_.size(); ++f) write_text(folder_ / names_[f], contents_[f]);
  }

  const CacheIdentity identity{.setup_hash = 1, .setup_name = "x.yaml", .inputs = {}};
  TestFolder folder_;
  std::vector<std::string> names_;
  std::vector<std::string> contents_;
};

TEST_F(CacheDamage, EveryFlippedBitIsReported) {
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    Random random(11, trial);
    const std::size_t f = trial % names_.size();
    std::string text = contents_[f];
    const std::size_t bit = random.bits() % (8 * text.size());
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    write_text(folder_ / names_[f], text);
    expect_reported(names_[f]);
    write_text(folder_ / names_[f], contents_[f]);
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

TEST_F(CacheDamage, EveryTruncationIsReported) {
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    Random random(12, trial);
    const std::size_t f = trial % names_.size();
    write_text(folder_ / names_[f], contents_[f].substr(0, random.bits() % contents_[f].size()));
    expect_reported(names_[f]);
    write_text(folder_ / names_[f], contents_[f]);
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

TEST_F(CacheDamage, ResumingFallsBackToTheLastGoodCheckpoint) {
  for (std::uint64_t trial = 0; trial < 64; ++trial) {
    Random random(13, trial);
    const std::size_t f = trial % names_.size();
    std::string text = contents_[f];
    if (trial / names_.size() % 2 == 0)
      text.resize(random.bits() % text.size());
    else
      text[random.bits() % text.size()] ^= 0x40;
    write_text(folder_ / names_[f], text);
    expect_recovery(names_[f]);
    restore_all();
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

}  // namespace
}  // namespace ymir
