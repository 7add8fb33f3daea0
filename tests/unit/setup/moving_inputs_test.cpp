// Inputs that move: sequences of files and keyframes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ymir/behaviors/register.h"
#include "ymir/behaviors/scope.h"
#include "ymir/setup/build.h"
#include "ymir/setup/input_params.h"
#include "ymir/setup/session.h"

namespace ymir {
namespace {

class MovingInputs : public testing::Test {
 protected:
  MovingInputs()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("ymir_moving_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~MovingInputs() override { std::filesystem::remove_all(folder_); }

  // A tetrahedron moved along x.
  void write_obj(const std::string& name, double x, const std::string& faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n") {
    std::ofstream out(folder_ / name);
    for (const Vec3d p : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
      out << "v " << p.x + x << " " << p.y << " " << p.z << "\n";
    out << faces;
  }
  ReadResult read(const std::string& inputs, const std::string& setup = "[gravity]") const {
    return read_setup_text("ymir: 1\ntime: {frames: [5, 20], fps: 10}\ninputs:\n" + inputs + "setup: " + setup + "\n",
                           folder_ / "scene.yaml", registry_);
  }
  std::string message(const std::string& inputs) const {
    std::vector<Diagnostic> diagnostics = read(inputs).diagnostics;
    EXPECT_EQ(diagnostics.size(), 1u) << to_string(diagnostics);
    if (diagnostics.empty()) return "";
    diagnostics[0].file = "scene.yaml";
    return to_string(diagnostics[0]);
  }
  AnimatedSurface animated(const std::string& inputs, const std::string& name) const {
    const ReadResult result = read(inputs);
    EXPECT_TRUE(result.setup) << to_string(result.diagnostics);
    Communicator alone;
    Simulation simulation(result.setup->time, 1, alone);
    return Scope(simulation, result.setup->inputs, "test", 0, 1).animated_surface({name});
  }

  std::filesystem::path folder_;
  Registry registry_ = all_behaviors();
};

double x_of(const AnimatedSurface& surface, double time) {
  std::vector<Vec3d> positions;
  surface.pose(time, positions);
  return positions.at(0).x;
}

TEST_F(MovingInputs, SequenceFilesAreReachedAtTheEndsOfTheirFrames) {
  for (int f = 4; f <= 7; ++f) write_obj("head.000" + std::to_string(f) + ".obj", f * 100);
  write_obj("head.05.obj", -1);  // not of the pattern
  for (const char* pattern : {"head.####.obj", "\"head.%04d.obj\""}) {
    const AnimatedSurface surface = animated(std::string("  head: {surface: ") + pattern + ", scale: 1 cm}\n", "head");
    EXPECT_TRUE(surface.deforming());
    // The simulation begins with frame 5, which ends at 1/10 s; frame 4 ends as it begins.
    EXPECT_DOUBLE_EQ(x_of(surface, 0), 4);
    EXPECT_DOUBLE_EQ(x_of(surface, 0.1), 5);
    EXPECT_NEAR(x_of(surface, 0.175), 5.75, 1e-12);
    EXPECT_DOUBLE_EQ(x_of(surface, 0.3), 7);
    EXPECT_DOUBLE_EQ(x_of(surface, 9), 7);
  }
}

TEST_F(MovingInputs, WidthsGrowBeyondTheirDigits) {
  for (const char* name : {"a8.obj", "a9.obj", "a10.obj"}) write_obj(name, 0);
  const FileSequence found = find_sequence(folder_ / "a#.obj");
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.first_frame, 8);
  ASSERT_EQ(found.files.size(), 3u);
  EXPECT_EQ(found.files[2].filename(), "a10.obj");
}

TEST_F(MovingInputs, AFileWithThatVeryNameIsNoPattern) {
  write_obj("a#.obj", 0);
  const ReadResult result = read("  a: {surface: \"a#.obj\"}\n");
  ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
  EXPECT_TRUE(result.setup->inputs[0].frames.empty());
}

TEST_F(MovingInputs, AMissingFileIsNamed) {
  for (const char* name : {"h.001.obj", "h.002.obj", "h.005.obj"}) write_obj(name, 0);
  EXPECT_EQ(message("  head: {surface: h.###.obj}\n"),
            "scene.yaml:4:19 inputs.head.surface: 'h.###.obj': the file h.003.obj is missing; the sequence goes from "
            "frame 1 to 5");
}

TEST_F(MovingInputs, APatternWithoutFilesAndSequencesOfPointsAreRefused) {
  EXPECT_EQ(message("  head: {surface: none.%02d.obj}\n").substr(0, 82),
            "scene.yaml:4:19 inputs.head.surface: 'none.%02d.obj': no file of that pattern; # s");
  EXPECT_EQ(message("  head: {points: none.##.ply}\n"),
            "scene.yaml:4:18 inputs.head.points: only curves, surfaces and bodies may be sequences; name one file of points");
}

TEST_F(MovingInputs, AFileWithOtherTrianglesIsNamed) {
  write_obj("h.1.obj", 0);
  write_obj("h.2.obj", 1, "f 1 2 3\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const AnimatedSurface surface = animated("  head: {surface: h.#.obj}\n", "head");
  try {
    x_of(surface, 9);
    FAIL();
  } catch (const Error& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with((folder_ / "h.2.obj").string() + ": its triangles differ"))
        << e.what();
  }
}

TEST_F(MovingInputs, KeyframesMoveASurfaceAboutItsPivot) {
  write_obj("h.obj", 1);
  const AnimatedSurface surface = animated(R"(  head:
    surface: h.obj
    motion:
      - {time: 0}
      - {time: 500 ms, position: [0, 10 cm, 0], rotation: [0, 0, 90 deg]}
    pivot: [2, 0, 0]
)",
                                           "head");
  EXPECT_TRUE(surface.moving() && surface.rigid_only());
  std::vector<Vec3d> positions;
  surface.pose(0.5, positions);
  EXPECT_NEAR(positions[0].x, 2, 1e-15);
  EXPECT_NEAR(positions[0].y, -0.9, 1e-15);
  surface.pose(0.25, positions);
  EXPECT_NEAR(positions[0].x, 2 - std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(positions[0].y, 0.05 - std::sqrt(0.5), 1e-15);
}

TEST_F(MovingInputs, MistakesInKeysAreLocated) {
  write_obj("h.obj", 0);
  EXPECT_EQ(message("  head: {surface: h.obj, motion: [{time: 1 s}, {time: 0.5 s, position: [0, 1 kg, 0]}]}\n"),
            "scene.yaml:4:76 inputs.head.motion[1].position[1]: expected a length, got 1 kg, a mass; write it in m, "
            "such as 1 m");
  EXPECT_EQ(message("  head: {surface: h.obj, motion: [{time: 1 s}, {time: 0.5 s}]}\n"),
            "scene.yaml:4:34 inputs.head.motion: the times of keys must increase, but 0.5 s follows 1 s; put the keys "
            "in order");
  EXPECT_EQ(message("  head: {surface: h.obj, motion: [{position: [0, 0, 0]}]}\n").substr(0, 72),
            "scene.yaml:4:35 inputs.head.motion[0]: the parameter 'time' is required:");
  EXPECT_EQ(message("  head: {surface: h.obj, motion: {time: 0}}\n"),
            "scene.yaml:4:34 inputs.head.motion: expected a list such as [{name: value}, ...], got a map {...}");
  EXPECT_EQ(message("  head: {surface: h.obj, motion: [{time: 0, rotatoin: [0, 0, 0]}]}\n"),
            "scene.yaml:4:45 inputs.head.motion[0]: unknown parameter 'rotatoin'; did you mean 'rotation'?");
  EXPECT_EQ(message("  head: {points: h.obj, motion: [{time: 0}]}\n"),
            "scene.yaml:4:25 inputs.head.motion: has no effect without surface, body or shape; leave it out");
}

TEST_F(MovingInputs, TheHashAndTheIdentityKnowThem) {
  for (const char* name : {"h.obj", "s.1.obj", "s.2.obj"}) write_obj(name, 0);
  const auto hash = [&](const std::string& inputs) { return read(inputs).setup.value().hash; };
  const auto still = hash("  head: {surface: h.obj}\n");
  const auto moving = hash("  head: {surface: h.obj, motion: [{time: 0}, {time: 1, position: [1, 0, 0]}]}\n");
  EXPECT_NE(still, moving);
  EXPECT_EQ(moving, hash("  head: {surface: h.obj, motion: [{time: 0 s}, {time: 1 s, position: [100 cm, 0, 0]}]}\n"));
  EXPECT_NE(moving, hash("  head: {surface: h.obj, interpolation: smooth, motion: [{time: 0}, {time: 1, position: "
                         "[1, 0, 0]}]}\n"));
  const std::string sequence = "  head: {surface: s.#.obj}\n";
  const CacheIdentity before = identity_of(*read(sequence).setup);
  write_obj("s.2.obj", 0.5);
  const CacheIdentity after = identity_of(*read(sequence).setup);
  ASSERT_EQ(before.inputs.size(), 1u);
  EXPECT_NE(before.inputs[0].hash, after.inputs[0].hash) << "the second file changed";
}

TEST_F(MovingInputs, DeformingSurfacesAreNoSheetsAndHaveNoGrid) {
  for (const char* name : {"s.1.obj", "s.2.obj"}) write_obj(name, 0);
  const auto refusal = [&](const std::string& collider) {
    const ReadResult result = read("  head: {surface: s.#.obj}\n", "[collider: {surface: head, " + collider + "}]");
    EXPECT_TRUE(result.setup) << to_string(result.diagnostics);
    Communicator alone;
    try {
      build(*result.setup, alone);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("shape: sheet").find("deforms, which sheets cannot"), std::string::npos);
  EXPECT_NE(refusal("shape: mesh, sampling: grid").find("a grid cannot follow the input 'head'"), std::string::npos);
  EXPECT_NE(refusal("shape: mesh, voxel: 1 cm").find("leave `voxel:` out"), std::string::npos);
}

}  // namespace
}  // namespace ymir
