// Frames, checkpoints, restoring and hashes that every Object gets from its list of channels.
#include <gtest/gtest.h>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/pipeline/object.h"

namespace ymir {
namespace {

class Cloud final : public Object {
 public:
  Cloud() : Object("Sky/cloud", 0) {}

  void schedule(Timeline&) override {}
  std::int64_t element_count() const override { return 2; }
  void save() override {}
  void rollback() override {}
  std::optional<std::string> non_finite() const override { return std::nullopt; }
  std::uint64_t hash() const override { return hash_kept(); }
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}
  std::string_view frame_kind() const override { return "points"; }
  std::vector<Channel> channels() override {
    return {
        {described<double>("radius", Place::particle, "m", "", Use::writable), {}, {}, {}},
        stored(described<Vec3d>("position", Place::particle, "m", "", Use::shown | Use::kept), this, &Cloud::position),
        stored(described<std::int64_t>("born", Place::object, "", "", Use::kept), this, &Cloud::born)};
  }

  std::vector<Vec3d> position{{0.1, 0, 0}, {0, 1, 0}};
  std::vector<std::int64_t> born{2};
};

TEST(ObjectChannels, AreShownInSinglePrecisionAndKeptInFull) {
  const Cloud cloud;
  const ObjectState frame = cloud.frame_state(), state = cloud.checkpoint();
  EXPECT_EQ(frame.kind, "points");
  EXPECT_EQ(frame.name, "Sky/cloud");
  ASSERT_EQ(frame.channels.size(), 1u);
  const StoredChannel& shown = frame.channels.at("position");
  EXPECT_EQ(shown.as<Vec3f>()[0], Vec3f(0.1f, 0, 0));
  EXPECT_EQ(shown.place, Place::particle);
  EXPECT_EQ(shown.unit, "m");
  EXPECT_EQ(state.kind, "state");
  ASSERT_EQ(state.channels.size(), 2u);
  EXPECT_EQ(state.channels.at("position").as<Vec3d>()[0], Vec3d(0.1, 0, 0));
  EXPECT_EQ(state.channels.at("born").as<std::int64_t>()[0], 2);
}

TEST(ObjectChannels, ComeBackWithTheHash) {
  Cloud cloud;
  const ObjectState state = cloud.checkpoint();
  const std::uint64_t hash = cloud.hash();
  EXPECT_EQ(hash,
            hash_bytes(std::as_bytes(std::span(cloud.born)), hash_bytes(std::as_bytes(std::span(cloud.position)), 0)));
  cloud.position[1] = {5, 5, 5};
  cloud.born[0] = 3;
  EXPECT_NE(cloud.hash(), hash);
  cloud.restore(nullptr);  // another rank
  EXPECT_NE(cloud.hash(), hash);
  cloud.restore(&state);
  EXPECT_EQ(cloud.hash(), hash);
}

TEST(ObjectChannels, RefuseACheckpointThatDoesNotFit) {
  Cloud cloud;
  const ObjectState good = cloud.checkpoint();
  const auto refusal = [&](const auto& change) {
    ObjectState state = good;
    change(state.channels);
    try {
      cloud.restore(&state);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find("Sky/cloud does not fit this setup: " + part), std::string::npos) << text;
  };
  says(refusal([](auto& channels) { channels.erase("born"); }), "it has no channel born");
  says(refusal([](auto& channels) {
         channels["born"] = {Place::object, Array::of(std::vector<double>{2})};
       }),
       "the channel born has another type there");
  says(refusal([](auto& channels) { channels["position"].resize(3); }), "the channel position has 3 values there");
}

}  // namespace
}  // namespace ymir
