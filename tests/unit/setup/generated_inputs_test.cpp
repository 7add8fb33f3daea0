// Inputs that are made instead of read.
#include <gtest/gtest.h>

#include "ymir/behaviors/register.h"
#include "ymir/behaviors/scope.h"
#include "ymir/grooms/cords.h"
#include "ymir/grooms/polyline.h"
#include "ymir/setup/build.h"
#include "ymir/setup/session.h"

namespace ymir {
namespace {

ReadResult read(const std::string& inputs) {
  return read_setup_text("ymir: 1\ntime: {frames: [1, 4]}\ninputs:\n" + inputs + "setup: [gravity]\n", "scene.yaml",
                         all_behaviors());
}
std::string message(const std::string& inputs) {
  const std::vector<Diagnostic> diagnostics = read(inputs).diagnostics;
  EXPECT_EQ(diagnostics.size(), 1u) << to_string(diagnostics);
  return diagnostics.empty() ? "" : to_string(diagnostics[0]);
}
template <class Use>
auto with_scope(const std::string& inputs, const Use& use) {
  const ReadResult result = read(inputs);
  EXPECT_TRUE(result.setup) << to_string(result.diagnostics);
  Communicator alone;
  Simulation simulation(result.setup->time, 1, alone);
  const Scope scope(simulation, result.setup->inputs, "test", 0, 1);
  return use(scope);
}
Curves curves(const std::string& inputs) {
  return with_scope(inputs, [](const Scope& scope) { return scope.curves({"it"}); });
}

TEST(GeneratedInputs, GrowAGroomWithTheDefaultsOfItsStyle) {
  const Curves hair = curves("  it: {groom: {style: wavy, strands: 20, length: 20 cm, radius: 30 um}}\n");
  ASSERT_EQ(hair.strand_count(), 20u);
  EXPECT_EQ(hair.positions.size(), 20u * 64);  // the vertices of wavy hair
  const Array* radius = hair.vertices.find("radius");
  ASSERT_NE(radius, nullptr);
  EXPECT_NEAR(radius->as<double>()[0], 30e-6, 1e-9);
  double longest = 0;
  for (std::size_t s = 0; s < 20; ++s) longest = std::max(longest, polyline_length(points_of(hair, s)));
  EXPECT_GT(longest, 0.1);
  EXPECT_LT(longest, 0.205);
}

TEST(GeneratedInputs, CarryOverridesOfTheirStrands) {
  const Curves rods = curves("  it: {line: {count: 3}, overrides: {friction: 0.25}}\n");
  const Array* friction = rods.strands.find("friction");
  ASSERT_NE(friction, nullptr);
  EXPECT_EQ(friction->as<double>()[2], 0.25);
}

TEST(GeneratedInputs, MoveAHeadByKeyframes) {
  const AnimatedSurface head =
      with_scope("  it: {shape: head, motion: [{time: 0 s}, {time: 1 s, position: [2, 0, 0]}]}\n",
                 [](const Scope& scope) { return scope.animated_surface({"it"}); });
  std::vector<Vec3d> before, after;
  head.pose(0, before);
  head.pose(0.5, after);
  ASSERT_GT(before.size(), 100u);
  EXPECT_NEAR(after[7].x - before[7].x, 1, 1e-12);
}

TEST(GeneratedInputs, PlaceABox) {
  const Surface box = with_scope("  it: {shape: box, size: [2 cm, 4 cm, 6 cm], center: [1, 0, 0]}\n",
                                 [](const Scope& scope) { return scope.surface({"it"}); });
  EXPECT_TRUE(closed(box));
  const Box around = bounds(box.positions);
  EXPECT_NEAR(norm(around.low - Vec3d(0.99, -0.02, -0.03)), 0, 1e-12);
  EXPECT_NEAR(norm(around.high - Vec3d(1.01, 0.02, 0.03)), 0, 1e-12);
}

TEST(GeneratedInputs, AreRefusedWithThePlaceOfTheMistake) {
  EXPECT_EQ(message("  it: {groom: {style: mohawk}}\n").substr(0, 37), "scene.yaml:4:23 inputs.it.groom.style");
  EXPECT_NE(message("  it: {groom: {length: 1 cm, curl_radius: 2 cm}}\n").find("inputs.it.groom: curl-radius"),
            std::string::npos);
  EXPECT_NE(message("  it: {line: {from: [0, 0, 0], to: [0, 0, 0]}}\n").find("no length"), std::string::npos);
  EXPECT_NE(message("  it: {line: {count: 10000000, vertices: 1000}}\n").find("at most 100000000"), std::string::npos);
  EXPECT_NE(message("  it: {helix: {direction: [0, 0, 0]}}\n").find("direction has no length"), std::string::npos);
  EXPECT_NE(message("  it: {shape: head, scale: 2}\n")
                .find("scale: has no effect without points, curves, surface, body or volume"),
            std::string::npos);
  EXPECT_NE(message("  it: {shape: head, line: {count: 2}}\n").find("exactly one of"), std::string::npos);
  EXPECT_NE(message("  it: {line: {count: 2}, motion: [{time: 0}]}\n")
                .find("motion: has no effect without surface, body or shape"),
            std::string::npos);
  EXPECT_NE(message("  it: {shape: null}\n").find("got nothing"), std::string::npos);
}

TEST(GeneratedInputs, ReportAPonytailTooShortForItsRingByTheNameOfTheInput) {
  try {
    curves("  it: {groom: {style: ponytail, strands: 5, length: 1 cm}}\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_TRUE(std::string(error.what()).starts_with("inputs.it: ")) << error.what();
  }
}

TEST(GeneratedInputs, IdentifyACacheByTheirRecipe) {
  const auto hash = [](const std::string& inputs) { return read(inputs).setup->hash; };
  const std::uint64_t one = hash("  it: {groom: {strands: 5}}\n");
  EXPECT_EQ(one, hash("  it: {groom: {style: straight, strands: 5, seed: 1}}\n"));
  EXPECT_NE(one, hash("  it: {groom: {strands: 5, seed: 2}}\n"));
  EXPECT_NE(one, hash("  it: {groom: {strands: 5, length: 20 cm}}\n"));
  EXPECT_TRUE(identity_of(*read("  it: {shape: head}\n").setup).inputs.empty());
}

TEST(Cords, CoilAtTheirRadiusAndPitch) {
  HelixParams p;
  p.turns = 5;
  p.origin = {1, 2, 3};
  const Curves cord = helix_curve(p);
  ASSERT_EQ(cord.positions.size(), 81u);
  for (std::size_t i = 0; i < cord.positions.size(); ++i) {
    const Vec3d x = cord.positions[i] - p.origin;
    EXPECT_NEAR(std::hypot(x.x, x.z), 0.008, 1e-12);
    EXPECT_NEAR(x.y, -0.006 * static_cast<double>(i) / 16, 1e-12);
  }
}

TEST(Cords, RunStraightOnTheAxisBeforeAndAfterTheCoil) {
  HelixParams p;
  p.turns = 6;
  p.straight_lead = 0.02;
  const Curves cord = helix_curve(p);
  EXPECT_NEAR(norm(cord.positions.front()), 0, 1e-15);
  EXPECT_NEAR(norm(cord.positions.back() - Vec3d(0, -(0.04 + 6 * 0.006), 0)), 0, 1e-12);
  double widest = 0, longest_edge = 0;
  for (std::size_t i = 0; i < cord.positions.size(); ++i) {
    widest = std::max(widest, std::hypot(cord.positions[i].x, cord.positions[i].z));
    if (i > 0) longest_edge = std::max(longest_edge, norm(cord.positions[i] - cord.positions[i - 1]));
  }
  EXPECT_NEAR(widest, 0.008, 1e-9);
  EXPECT_LT(longest_edge, 1.3 * std::hypot(2 * M_PI * 0.008, 0.006) / 16);
}

}  // namespace
}  // namespace ymir
