// Hairs that a run carries along with its guides: lengths, skin, velocities, resuming.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "ymir/behaviors/register.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/cache/initial_state.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/setup/session.h"

namespace ymir::verification {
namespace {

class CarriedHairsRun : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("ymir_carried_hairs_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // 300 hairs of which 30 are simulated, on a head that turns by 40 degrees in a sixth of a second.
  SolverSetup setup(const std::string& outputs, const std::string& inputs = "") const {
    const std::string text =
        "ymir: 1\ntime: {frames: [1, 6], fps: 24, substeps: 2}\n"
        "inputs:\n"
        "  hair: {guides: {of: full, count: 30}}\n"
        "  full: {groom: {style: straight, strands: 300, vertices: 16, length: 20 cm}}\n"
        "  head: {shape: head, motion: [{time: 0 s}, {time: 0.16 s, rotation: [0, 40 deg, 0]}]}\n" +
        inputs +
        "setup:\n"
        "  - gravity\n"
        "  - group: Hair\n"
        "    with:\n"
        "      - curves_object: {curves: hair}\n"
        "      - elastic_rod\n"
        "      - attachment: {surface: head}\n"
        "      - collider: {shape: mesh, surface: head}\n"
        "outputs: {checkpoint_every: 1, hairs: " +
        outputs + "}\n";
    ReadResult read = read_setup_text(text, folder_ / "setup.yaml", registry_);
    for (const Diagnostic& d : read.diagnostics) problems_ += d.path + ": " + d.message + "\n";
    return read.setup ? *read.setup : SolverSetup{};
  }
  Cache run(const SolverSetup& setup, const std::string& name, bool resume = false,
            std::optional<std::pair<std::int64_t, std::int64_t>> frames = {}) const {
    run_session(setup, {.out = folder_ / name, .resume = resume, .frames = frames}, {}, Communicator::world());
    return Cache::open(folder_ / name);
  }
  static const ObjectState& object(const Frame& frame, const std::string& name) {
    for (const ObjectState& o : frame.objects)
      if (o.name == name) return o;
    ADD_FAILURE() << "no " << name;
    return frame.objects.front();
  }

  std::filesystem::path folder_;
  Registry registry_ = all_behaviors();
  mutable std::string problems_;
};

TEST_F(CarriedHairsRun, KeepsLengthsStaysOutOfTheHeadAndHasTheVelocityOfItsPositions) {
  const Cache cache = run(setup("{groom: full}"), "a");
  ASSERT_EQ(problems_, "");
  const auto initial = read_initial_state(cache.folder());
  ASSERT_TRUE(initial);
  EXPECT_EQ(initial->number, 0);
  std::vector<Vec3f> before;
  std::vector<double> rest;
  double time = 0;
  for (const CacheEntry& entry : cache.frames()) {
    const Frame frame = cache.read_frame(entry.number);
    const ObjectState& hairs = object(frame, "Hair/hairs");
    const Curves curves = curves_of(hairs);
    ASSERT_EQ(curves.strand_count(), 300u);
    EXPECT_TRUE(curves.vertices.has("radius"));
    const auto position = hairs.channels.at("position").as<Vec3f>();
    const auto velocity = hairs.channels.at("velocity").as<Vec3f>();
    if (!before.empty()) {
      double worst = 0;
      for (std::size_t v = 0; v < before.size(); ++v)
        worst = std::max(worst, norm(Vec3d(velocity[v]) - (Vec3d(position[v]) - Vec3d(before[v])) * 24.0));
      EXPECT_LT(worst, 1e-5);
    }
    std::vector<double> lengths;
    for (std::size_t s = 0; s < curves.strand_count(); ++s)
      for (std::int64_t v = curves.first[s] + 1; v < curves.first[s + 1]; ++v)
        lengths.push_back(
            norm(curves.positions[static_cast<std::size_t>(v)] - curves.positions[static_cast<std::size_t>(v) - 1]));
    if (rest.empty()) rest = lengths;
    for (std::size_t i = 0; i < rest.size(); ++i) EXPECT_LT(std::abs(lengths[i] / rest[i] - 1), 1e-4);
    const Surface head = surface_of(object(frame, "Hair/collider"));
    const TriangleBvh bvh(head);
    double deepest = 0;
    for (const Vec3d& x : curves.positions) deepest = std::max(deepest, -bvh.signed_distance(x));
    EXPECT_LT(deepest, 1e-3) << "frame " << frame.number;
    before.assign(position.begin(), position.end());
    EXPECT_GT(frame.time, time);
    time = frame.time;
  }
}

TEST_F(CarriedHairsRun, GuidesAmongTheHairsAreFollowedExactly) {
  const Cache cache = run(setup("{groom: hair, group: Hair}"), "guides");
  const Frame frame = cache.read_frame(6);
  const Curves guides = curves_of(object(frame, "Hair/curves_object")), hairs = curves_of(object(frame, "Hair/hairs"));
  double worst = 0;
  for (std::size_t v = 0; v < guides.positions.size(); ++v)
    worst = std::max(worst, norm(guides.positions[v] - hairs.positions[v]));
  EXPECT_LT(worst, 1e-3);  // guides stretch a little and touch the head up to the thickness of contact
}

TEST_F(CarriedHairsRun, AResumedRunLeavesTheSameHairs) {
  const SolverSetup full = setup("{groom: full}");
  const Cache whole = run(full, "whole");
  run(full, "parts", false, {{1, 3}});
  const Cache parts = run(full, "parts", true);
  ASSERT_EQ(parts.frames().size(), whole.frames().size());
  for (std::size_t i = 0; i < whole.frames().size(); ++i)
    EXPECT_EQ(parts.frames()[i].stamp, whole.frames()[i].stamp) << "frame " << whole.frames()[i].number;
}

TEST_F(CarriedHairsRun, SaysWhatIsWrong) {
  setup("{groom: fulll}");
  EXPECT_NE(problems_.find("outputs.hairs.groom: no input and no file 'fulll'"), std::string::npos) << problems_;
  problems_ = "";
  setup("{groom: head}");
  EXPECT_NE(problems_.find("the input 'head' is surface, expected curves"), std::string::npos) << problems_;
  problems_ = "";
  setup("{groom: full}", "  few: {guides: {of: ful}}\n  fewer: {guides: {of: hair}}\n");
  EXPECT_NE(problems_.find("inputs.few.guides.of: no input 'ful'"), std::string::npos) << problems_;
  EXPECT_NE(problems_.find("'hair' are guides themselves"), std::string::npos) << problems_;
}

}  // namespace
}  // namespace ymir::verification
