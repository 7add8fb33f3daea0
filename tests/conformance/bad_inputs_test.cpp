// Inputs that cannot be used, given to every reader, and numbers that cannot be meant: `check` and `run` say so alike,
// with file, place and remedy, before anything runs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ymir/behaviors/register.h"
#include "ymir/cache/formats/vdb.h"
#include "ymir/setup/build.h"
#include "ymir/setup/check.h"

namespace ymir {
namespace {

class BadInputs : public testing::Test {
 protected:
  BadInputs() : folder_(std::filesystem::path(testing::TempDir()) / fmt::format("ymir_bad_inputs_{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~BadInputs() override { std::filesystem::remove_all(folder_); }

  CheckResult check(const std::string& text) {
    const auto file = folder_ / "scene.yaml";
    std::ofstream(file) << "ymir: 1\n" << text;
    Communicator alone;
    const CheckResult checked = check_setup(file, folder_ / "cache", registry_, alone);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "cache")) << "check wrote a file";
    EXPECT_EQ(runs(file), checked.ok) << text << to_string(checked.diagnostics);
    return checked;
  }
  // Whether `ymir run` would come to its first frame; anything but an Error with code 3 is a failure.
  bool runs(const std::filesystem::path& file) {
    ReadResult read = read_setup(file, registry_);
    if (!read.setup) return false;
    try {
      Communicator alone;
      BuiltSimulation built = build(*read.setup, alone);
      ingest(built, *read.setup);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << error.what();
      return false;
    }
    return true;
  }
  void expect_refused(const std::string& text, const std::vector<std::string>& told) {
    const CheckResult checked = check(text);
    EXPECT_FALSE(checked.ok) << text;
    const std::string said = to_string(checked.diagnostics);
    for (const std::string& part : told)
      EXPECT_NE(said.find(part), std::string::npos) << text << "says: " << said << "without: " << part;
  }

  std::filesystem::path folder_;
  Registry registry_ = all_behaviors();
};

struct Reader {
  const char* kind;  // of the input
  const char* name;  // file without extension
  std::vector<const char*> extensions;
  const char* behaviors;
};

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all{
      {"points", "bad", {"ply", "obj", "hair", "data", "vdb"}, "  - particle_object: {points: in}\n"},
      {"curves", "bad", {"ply", "obj", "hair", "data"}, "  - curves_object: {curves: in}\n"},
      {"surface", "bad", {"obj", "ply"}, "  - particle_object: {emit: {}}\n  - collider: {shape: mesh, surface: in}\n"},
      {"surface", "bad", {"obj", "ply"}, "  - particle_object: {emit: {from: surface, surface: in}}\n"},
      {"volume", "bad", {"vdb"}, "  - volume_object\n  - emitter: {from: volume, volume: in}\n"}};
  return all;
}

// Gives a file made by `make` to every reader under each of its extensions.
template <class Make>
void for_every_reader(Make&& make) {
  for (const Reader& reader : readers())
    for (const char* extension : reader.extensions) {
      if (std::string(extension) == "vdb" && !has_openvdb()) continue;
      const std::string name = fmt::format("{}.{}", reader.name, extension);
      make(name, fmt::format("inputs: {{in: {{{}: {}}}}}\nsetup:\n{}", reader.kind, name, reader.behaviors));
    }
}

TEST_F(BadInputs, ThatAreNoFilesAreRefusedByEveryReaderAndNothingHangs) {
  for_every_reader([&](const std::string& name, const std::string& setup) {
    const auto path = folder_ / name;
    expect_refused(setup, {"scene.yaml:2:", "no file '" + name, "relative to the setup file"});
    std::filesystem::create_directory(path);
    expect_refused(setup, {"scene.yaml:2:", name + "' is a folder", "name a file"});
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    expect_refused(setup, {"scene.yaml:2:", name + "' is a pipe", "name a file"});
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/dev/zero", path);
    expect_refused(setup, {"scene.yaml:2:", name + "' is a device", "name a file"});
    std::filesystem::remove(path);
  });
}

TEST_F(BadInputs, ThatHoldNothingOrNonsenseAreRefusedByEveryReader) {
  const std::string zeros(200, '\0');
  for (const std::string& content : {std::string(), zeros,
                                     std::string("\x7f"
                                                 "ELF nonsense\n"),
                                     std::string("hello\n")})
    for_every_reader([&](const std::string& name, const std::string& setup) {
      std::ofstream(folder_ / name, std::ios::binary) << content;
      expect_refused(setup, {"scene.yaml:", name});
      std::filesystem::remove(folder_ / name);
    });
}

TEST_F(BadInputs, OfAnotherExtensionSayWhatIsKnown) {
  std::ofstream(folder_ / "scene.fbx") << "fbx";
  expect_refused(
      "inputs: {in: {surface: scene.fbx}}\nsetup:\n  - particle_object: {emit: {}}\n"
      "  - collider: {shape: mesh, surface: in}\n",
      {"scene.fbx", ".obj or .ply"});
  expect_refused("inputs: {in: {curves: scene.fbx}}\nsetup: [curves_object: {curves: in}]\n",
                 {"scene.fbx", ".hair, .data, .obj or .ply"});
}

TEST_F(BadInputs, WithoutGeometryOrWithNaNNameTheFile) {
  const std::string points = "inputs: {in: {points: p.ply}}\nsetup: [particle_object: {points: in}]\n";
  const auto ply = [&](int count, const std::string& rows) {
    std::ofstream(folder_ / "p.ply") << "ply\nformat ascii 1.0\nelement vertex " << count
                                     << "\nproperty float x\nproperty float y\nproperty float z\nproperty float vx\n"
                                        "property float vy\nproperty float vz\nend_header\n"
                                     << rows;
  };
  ply(0, "");
  expect_refused(points, {"p.ply", "holds no points"});
  ply(2, "0 0 0 0 0 0\n0 nan 0 0 0 0\n");
  expect_refused(points, {"p.ply", "not finite"});
  ply(1, "0 0 0 0 inf 0\n");
  expect_refused(points, {"p.ply", "not finite"});

  const std::string mesh =
      "inputs: {in: {surface: m.obj}}\nsetup:\n  - particle_object: {emit: {}}\n"
      "  - collider: {shape: mesh, surface: in}\n";
  const auto obj = [&](const std::string& text) { std::ofstream(folder_ / "m.obj") << text; };
  obj("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  expect_refused(mesh, {"m.obj", "no faces"});
  obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_refused(mesh, {"in: the mesh is not closed", "fill its holes"});
  obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");  // closed, without volume
  expect_refused(mesh, {"in", "encloses no volume"});
  obj("v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\nf 1 3 2\n");  // one place
  expect_refused(mesh, {"in", "encloses no volume"});
  obj("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");
  expect_refused(mesh, {"m.obj"});
  obj("v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
  expect_refused("inputs: {in: {surface: m.obj}}\nsetup:\n  - particle_object: {emit: {from: surface, surface: in}}\n",
                 {"'in' has no area"});
  std::ofstream(folder_ / "c.obj") << "v 0 0 0\n";
  expect_refused("inputs: {in: {curves: c.obj}}\nsetup: [curves_object: {curves: in}]\n", {"c.obj"});
}

TEST_F(BadInputs, ThatMoveOrChangeWhereThatIsNotFollowedAreRefused) {
  for (const char* frame : {"1", "2"})
    std::ofstream(folder_ / fmt::format("m.{}.obj", frame)) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const std::string emit = "setup:\n  - particle_object: {emit: {from: surface, surface: in}}\n";
  expect_refused("inputs: {in: {surface: m.#.obj}}\n" + emit, {"scene.yaml:4:", "is a sequence", "one of its files"});
  expect_refused("inputs: {in: {surface: m.1.obj, motion: [{time: 0 s}, {time: 1 s, position: [1, 0, 0]}]}}\n" + emit,
                 {"scene.yaml:4:", "moves"});
}

TEST_F(BadInputs, OverridesAndPaintThatNothingTakesAreNamed) {
  std::ofstream(folder_ / "p.ply") << "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                                      "property float z\nproperty float friction\nend_header\n0 0 0 1\n";
  const auto setup = [](const std::string& overrides, const std::string& more) {
    return "inputs: {in: {points: p.ply, overrides: {" + overrides +
           "}}}\nsetup:\n  - particle_object: {points: in}\n" + more;
  };
  expect_refused(setup("acceleration: [0, -1, 0]", ""), {"override 'acceleration'", "taken by no behavior"});
  EXPECT_TRUE(check(setup("acceleration: [0, -1, 0]", "  - gravity\n")).ok);
  expect_refused(setup("acceleration: [0, -1, 0]", "  - group: Other\n    with: [gravity]\n"),
                 {"override 'acceleration'"});
  const CheckResult painted = check(setup("", ""));
  EXPECT_TRUE(painted.ok);
  EXPECT_NE(to_string(painted.diagnostics).find("warning: the channel 'friction'"), std::string::npos)
      << to_string(painted.diagnostics);
  EXPECT_EQ(to_string(check(setup("", "  - collider: {}\n")).diagnostics).find("friction"), std::string::npos);
}

TEST_F(BadInputs, BehaviorsWithoutEffectAreNamedWithTheReason) {
  const CheckResult checked = check(
      "inputs: {l: {line: {}}}\nsetup:\n  - group: Hair\n    with:\n      - curves_object: {curves: l}\n      - kill\n"
      "  - group: Empty\n    with: [gravity]\n  - coupled_drag\n");
  EXPECT_TRUE(checked.ok);
  const std::string said = to_string(checked.diagnostics);
  for (const char* part : {"scene.yaml:7:9 Hair/kill: warning: finds nothing to act on and is off: no particles",
                           "Empty/gravity: warning: finds nothing", "coupled_drag: warning: finds nothing", "no gas"})
    EXPECT_NE(said.find(part), std::string::npos) << said << "without: " << part;
}

TEST_F(BadInputs, SeveralMistakesAreToldAtOnce) {
  std::ofstream(folder_ / "empty.ply");
  const CheckResult checked = check(
      "inputs: {in: {points: empty.ply}, l: {line: {}}}\nsetup:\n  - group: A\n    with:\n"
      "      - particle_object: {points: in}\n      - gravity\n"
      "  - group: B\n    with:\n      - curves_object: {curves: l}\n      - attachment: {emission: network}\n"
      "  - group: C\n    with:\n      - volume_object: {around: A}\n      - cooling: {peak_temperature: 1 K}\n");
  const std::string said = to_string(checked.diagnostics);
  for (const char* part : {"A/particle_object", "empty.ply", "B/attachment", "C/cooling"})
    EXPECT_NE(said.find(part), std::string::npos) << said << "without: " << part;
  // What follows from the missing points of A needs no message of its own.
  EXPECT_EQ(said.find("C/volume_object"), std::string::npos) << said;
  EXPECT_EQ(said.find("A/gravity"), std::string::npos) << said;
}

TEST_F(BadInputs, TheFolderOfTheCacheIsLookedAtAndLeftAlone) {
  std::ofstream(folder_ / "good.yaml") << "ymir: 1\nsetup: [particle_object: {emit: {}}]\n";
  std::ofstream(folder_ / "taken") << "a file";
  Communicator alone;
  const auto told = [&](const std::filesystem::path& out) {
    const CheckResult checked = check_setup(folder_ / "good.yaml", out, registry_, alone);
    EXPECT_FALSE(checked.ok);
    return to_string(checked.diagnostics);
  };
  EXPECT_NE(told(folder_ / "taken").find("exists and is not a folder"), std::string::npos);
  EXPECT_NE(told(folder_ / "taken" / "below" / "it").find("is not a folder"), std::string::npos);
  if (geteuid() != 0) {  // root may write anywhere
    std::filesystem::create_directory(folder_ / "locked");
    std::filesystem::permissions(folder_ / "locked",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_NE(told(folder_ / "locked" / "cache").find("may not be written"), std::string::npos);
  }
  EXPECT_TRUE(check_setup(folder_ / "good.yaml", folder_ / "new" / "cache", registry_, alone).ok);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(BadInputs, HugeOnesAreRefusedBeforeTheyAreMade) {
  const std::string particles = "time: {frames: [1, 2400]}\nsetup:\n  - particle_object: ";
  expect_refused("inputs: {in: {groom: {strands: 1000000000}}}\nsetup: [curves_object: {curves: in}]\n",
                 {"inputs.in.groom.strands", "10000000"});
  expect_refused("inputs: {in: {groom: {strands: 10000000, vertices: 10000}}}\nsetup: [curves_object: {curves: in}]\n",
                 {"in", "give at most"});
  expect_refused("inputs: {in: {line: {count: 10000000, vertices: 100000}}}\nsetup: [curves_object: {curves: in}]\n",
                 {"in", "give at most"});
  expect_refused(particles + "{emit: {rate: 1e10 Hz}}\n", {"particle_object.emit", "GB", "lower `rate:`"});
  expect_refused(particles + "{emit: {rate: 1e14 Hz}}\n", {"particle_object.emit.rate"});
  EXPECT_TRUE(check(particles + "{emit: {rate: 1e10 Hz, limit: 1000}}\n").ok);
  EXPECT_TRUE(check(particles + "{emit: {rate: 1e5 Hz}}\n  - kill: {max_age: 1 s}\n").ok);
  expect_refused("setup:\n  - volume_object: {voxel: 0.1 mm, domain: {low: [0, 0, 0], high: [1, 1, 1], fill: true}}\n",
                 {"volume_object", "10000 x 10000 x 10000 voxels", "GB", "larger voxels"});
  expect_refused("setup:\n  - volume_object: {voxel: 1 um}\n  - emitter: {density: 1}\n", {"use larger voxels"});
}

TEST_F(BadInputs, NumbersThatCannotBeMeantAreRefusedWithTheirPlace) {
  const auto time = [](const std::string& t) { return "time: {" + t + "}\nsetup: [particle_object: {emit: {}}]\n"; };
  for (const char* bad : {"fps: 0", "fps: -24", "fps: .nan", "fps: .inf", "fps: nan", "fps: inf", "fps: 1e300",
                          "substeps: 0", "substeps: -1", "substeps: 1000000000", "substeps: 1e300", "substeps: 2.5",
                          "frames: [1, 1e300]", "frames: [5, 1]", "frames: [1, 99999999999999999999]",
                          "frames: [-1, 2]", "frames: [1, 1000000000000]", "newton_iterations: 0", "max_substeps: 0"})
    expect_refused(time(bad), {"scene.yaml:2:", "time."});
  const auto particle = [](const std::string& p) { return "setup:\n  - particle_object: {emit: {}, " + p + "}\n"; };
  for (const char* bad : {"radius: 0", "radius: -0.0", "radius: -1 mm", "radius: .nan", "radius: .inf", "radius: 1e400",
                          "density: 0", "density: -1", "radius_variation: 1", "bucket: 0", "courant_number: 0"})
    expect_refused(particle(bad), {"scene.yaml:3:", "particle_object."});
  for (const char* bad : {"voxel: 0", "voxel: -1 cm", "voxel: .nan", "voxel: -.inf", "padding: 0", "padding: 1e300",
                          "density: 0", "temperature: 0"})
    expect_refused(fmt::format("setup:\n  - volume_object: {{{}}}\n", bad), {"scene.yaml:3:", "volume_object."});
  expect_refused("setup:\n  - volume_object: {voxel: 1e-30 m}\n  - emitter: {density: 1}\n", {"use larger voxels"});
  expect_refused("setup:\n  - volume_object: {voxel: 1e-30 m, domain: {low: [0, 0, 0], high: [1, 1, 1], fill: true}}\n",
                 {"volume_object", "larger voxels"});
}

// Odd, but they have a meaning: run.
TEST_F(BadInputs, ExtremeNumbersThatHaveAMeaningRun) {
  for (const char* good : {"radius: 1e-9", "radius: 1e3", "density: 1e6"})
    EXPECT_TRUE(check(fmt::format("setup:\n  - particle_object: {{emit: {{}}, {}}}\n  - gravity\n", good)).ok) << good;
  EXPECT_TRUE(check("setup:\n  - particle_object: {emit: {}}\n  - gravity: {acceleration: [0, -0.0, 1e38]}\n").ok);
}

}  // namespace
}  // namespace ymir
