// Setups with gas that cannot be: each is refused before anything runs, with its place and a remedy.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "ymir/behaviors/register.h"
#include "ymir/cache/formats/vdb.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

// A folder with the files that the setups below name.
class BadGas : public testing::Test {
 protected:
  BadGas() : folder_(std::filesystem::path(testing::TempDir()) / fmt::format("ymir_bad_gas_{}", getpid())) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "open.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  }
  ~BadGas() override { std::filesystem::remove_all(folder_); }

  struct Refusal {
    int code = 0;
    std::string message;
  };
  // What `ymir run` does before its first frame.
  Refusal in_process(const std::filesystem::path& file) const {
    const ReadResult read = read_setup(file, registry_);
    if (!read.setup) return {static_cast<int>(ExitCode::bad_input), to_string(read.diagnostics)};
    try {
      Communicator alone;
      const BuiltSimulation built = build(*read.setup, alone);
      built.simulation->ingest();
    } catch (const Error& error) {
      return {static_cast<int>(error.code()), error.what()};
    }
    return {};
  }
  // The program itself, where it was built beside this test.
  static std::optional<Refusal> by_program(const std::filesystem::path& file) {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "ymir";
    if (!std::filesystem::is_regular_file(program)) return std::nullopt;
    const std::string command = fmt::format("'{}' run '{}' --out '{}' --no-preview 2>&1", program.string(),
                                            file.string(), (file.parent_path() / "cache").string());
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return std::nullopt;
    Refusal result;
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) result.message += part.data();
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -status;
    return result;
  }

  void expect_refused(const std::string& inputs, const std::string& behaviors, const std::vector<std::string>& told) {
    const auto file = folder_ / "scene.yaml";
    std::ofstream(file) << "ymir: 1\ntime: {frames: [1, 1], fps: 24}\ninputs: {" << inputs << "}\nsetup:\n"
                        << behaviors;
    Refusal refusal = in_process(file);
    expect_told(refusal, behaviors, told);
    if (const auto ended = by_program(file)) expect_told(*ended, "ymir run: " + behaviors, told);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "cache" / "frame_0001.h5")) << behaviors;
  }
  static void expect_told(const Refusal& refusal, const std::string& what, const std::vector<std::string>& told) {
    EXPECT_EQ(refusal.code, static_cast<int>(ExitCode::bad_input)) << what << refusal.message;
    for (const std::string& part : told)
      EXPECT_NE(refusal.message.find(part), std::string::npos)
          << what << "says: " << refusal.message << "without: " << part;
  }

  std::filesystem::path folder_;
  Registry registry_ = all_behaviors();
};

struct BadSetup {
  const char* inputs;
  const char* behaviors;
  std::vector<std::string> told;  // file and place, what, remedy
};

const char* const small_gas = "  - volume_object: {voxel: 10 cm, domain: {low: [-1, -1, -1], high: [1, 1, 1]}}\n";

TEST_F(BadGas, IsRefusedWithItsPlaceAndARemedy) {
  const std::string gas = small_gas;
  for (const BadSetup& bad : std::vector<BadSetup>{
           {"", "  - volume_object: {voxel: 0 m}\n", {"scene.yaml:5:", "volume_object.voxel", "above 0 m"}},
           {"", "  - volume_object: {voxel: -2 cm}\n", {"scene.yaml:5:", "volume_object.voxel", "above 0 m"}},
           {"", "  - volume_object: {voxel: 3 kg}\n", {"scene.yaml:5:", "a length, got 3 kg"}},
           {"", "  - volume_object: {voxel: .nan}\n", {"scene.yaml:5:", "volume_object.voxel"}},
           {"", "  - volume_object: {temperature: 0 K}\n", {"scene.yaml:5:", "above 0 K"}},
           {"", "  - volume_object: {advection: upwind}\n", {"scene.yaml:5:", "semi_lagrangian, mac_cormack"}},
           {"",
            "  - volume_object: {domain: {low: [1, 0, 0], high: [0, 1, 1]}}\n",
            {"scene.yaml", "volume_object", "`low:` and `high:`"}},
           {"",
            "  - volume_object: {voxel: 1 mm, domain: {low: [0, 0, 0], high: [500, 500, 500], fill: true}}\n",
            {"scene.yaml", "volume_object", "GB allowed", "larger voxels"}},
           {"",
            "  - volume_object: {voxel: 1 mm}\n  - emitter: {radius: 100 m, density: 1}\n",
            {"volume_object", "GB allowed", "larger voxels"}},
           {"",
            "  - volume_object: {voxel: 1 cm}\n  - emitter: {center: [1e8, 0, 0], density: 1}\n",
            {"emitter", "farther from the origin", "larger voxels"}},
           {"", "  - volume_object: {around: Hair}\n", {"scene.yaml:5:", "volume_object.around", "Hair"}},
           {"",
            "  - group: Empty\n    with: []\n  - volume_object: {around: Empty}\n",
            {"scene.yaml", "volume_object", "neither particles nor strands"}},
           {"", "  - volume_object\n  - wind: {velocity: [.nan, 0, 0]}\n", {"scene.yaml:6:", "wind.velocity"}},
           {"",
            "  - volume_object\n  - wind: {velocity: [1 m, 0, 0]}\n",
            {"scene.yaml:6:", "wind.velocity[0]", "write it in m/s"}},
           {"",
            "  - volume_object\n  - wind: {gusts: [{time: 1 s}, {time: 1 s}]}\n",
            {"scene.yaml", "wind", "gusts", "times must increase"}},
           {"",
            "  - volume_object\n  - cooling: {peak_temperature: 200 K}\n",
            {"scene.yaml", "cooling", "`peak_temperature:` must exceed"}},
           {"",
            "  - volume_object\n  - emitter: {density: 1}\n  - dissipation: {channel: densty}\n",
            {"scene.yaml:7:", "dissipation", "'densty'", "did you mean 'density'?"}},
           {"",
            "  - diffusion: {channel: sooth}\n  - volume_object\n  - emitter: {materials: [{name: soot}]}\n",
            {"scene.yaml:5:", "diffusion", "'sooth'", "did you mean 'soot'?"}},
           {"",
            "  - volume_object\n  - diffusion: {channel: fuel}\n",
            {"scene.yaml:6:", "diffusion", "there is density, temperature"}},
           {"", "  - volume_object\n  - emitter: {radius: -1 m}\n", {"scene.yaml:6:", "emitter.radius", "above 0 m"}},
           {"", "  - volume_object\n  - emitter: {flow: 3 m/s}\n", {"scene.yaml:6:", "emitter.flow"}},
           {"", "  - volume_object\n  - emitter: {from: mesh}\n", {"scene.yaml", "emitter", "needs `surface:`"}},
           {"", "  - volume_object\n  - emitter: {from: volume}\n", {"scene.yaml", "emitter", "needs `volume:`"}},
           {"",
            "  - group: Sparks\n    with:\n      - particle_object: {emit: {from: box, rate: 1 Hz}}\n"
            "  - volume_object\n  - emitter: {from: points, points: Sparks, flow: 1 m^3/s}\n",
            {"scene.yaml:9:", "emitter.flow", "has no effect with from: points", "leave it out"}},
           {"", "  - volume_object\n  - emitter: {from: points}\n", {"scene.yaml", "emitter", "needs `points:`"}},
           {"",
            "  - volume_object\n  - emitter: {from: mesh, surface: nothing}\n",
            {"scene.yaml:6:", "emitter.surface", "no input 'nothing'"}},
           {"smoke: {volume: missing.vdb}",
            "  - volume_object\n  - emitter: {from: volume, volume: smoke}\n",
            {"scene.yaml:3:", "inputs.smoke.volume", "no file 'missing.vdb'", "relative to the setup file"}},
           {"leaf: {surface: open.obj}",
            "  - volume_object: {voxel: 10 cm}\n  - emitter: {from: mesh, surface: leaf}\n",
            {"leaf", "not closed"}},
       })
    expect_refused(bad.inputs, bad.behaviors, bad.told);
  expect_refused("", gas + "  - emitter: {center: [0, 5, 0]}\n",
                 {"scene.yaml", "emitter", "outside the domain", "enlarge `domain:`"});
  expect_refused("crate: {shape: box, center: [9, 0, 0], size: [1, 1, 1]}",
                 gas + "  - emitter: {from: mesh, surface: crate}\n",
                 {"scene.yaml", "emitter", "outside the domain", "enlarge `domain:`"});
}

TEST_F(BadGas, OfADamagedVolumeIsRefused) {
  if (!has_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  VolumeGrid grid;
  grid.name = "density";
  grid.voxel = 0.1;
  grid.blocks = {{0, 0, 0}};
  grid.values.assign(512, 1.0f);
  VdbContents contents;
  contents.volumes = {grid};
  write_vdb(folder_ / "good.vdb", contents);
  contents.volumes[0].components = 3;
  contents.volumes[0].values.assign(3 * 512, 1.0f);
  write_vdb(folder_ / "vectors.vdb", contents);
  const auto samples = std::filesystem::path(YMIR_SOURCE_DIR) / "tests/unit/cache/format_vdb_samples";
  std::filesystem::copy_file(samples / "nan.vdb", folder_ / "nan.vdb");
  std::filesystem::copy_file(folder_ / "good.vdb", folder_ / "short.vdb");
  std::filesystem::resize_file(folder_ / "short.vdb", std::filesystem::file_size(folder_ / "good.vdb") / 2);
  std::ofstream(folder_ / "text.vdb") << "smoke";

  const std::string emitter = std::string(small_gas) + "  - emitter: {from: volume, volume: smoke}\n";
  expect_refused("smoke: {volume: nan.vdb}", emitter, {"nan.vdb", "'density'", "voxel (1, -2, 300)"});
  expect_refused("smoke: {volume: short.vdb}", emitter, {"short.vdb"});
  expect_refused("smoke: {volume: text.vdb}", emitter, {"text.vdb", "VDB"});
  expect_refused("smoke: {volume: vectors.vdb}", emitter, {"emitter", "'smoke' holds no scalar grid"});
  expect_refused("smoke: {volume: good.vdb}",
                 std::string(small_gas) + "  - wind: {turbulence: {kind: volume, volume: smoke}}\n",
                 {"good.vdb", "no vector volume", "3 components"});
}

}  // namespace
}  // namespace ymir
