// What a gas says about itself: velocities in frames, solves above their tolerance, rooms that nothing can leave, and
// how far around things it is simulated.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gas_run.h"
#include "ymir/objects/particle_object.h"

namespace ymir {
namespace {

using verification::GasSetup;

// body(position, velocity) of the voxels of a frame.
template <class F>
void for_voxels(GasSetup& run, F&& body) {
  const Frame frame = run.simulation().frame(1);
  const auto found = std::find_if(frame.objects.begin(), frame.objects.end(),
                                  [&](const ObjectState& o) { return o.name == run.gas().path(); });
  const ObjectState& state = *found;
  const auto buckets = state.channels.at("bucket").as<Vec3i>();
  const auto velocity = state.channels.at("velocity").as<Vec3f>();
  const double edge = std::get<double>(state.attributes.at("bucket_size")), h = edge / 8;
  for (std::size_t b = 0; b < buckets.size(); ++b)
    for (int i = 0; i < 512; ++i)
      body(Vec3d(buckets[b]) * edge + Vec3d{i % 8 + 0.5, i / 8 % 8 + 0.5, i / 64 + 0.5} * h,
           Vec3d(velocity[b * 512 + static_cast<std::size_t>(i)]));
}

// A tube with a ball in it: as much flows through every cross-section beside the ball, as far as frames show it.
TEST(GasFrame, ShowsAVelocityThatKeepsTheVolume) {
  for (const bool reflection : {false, true})
    for (const int substeps : {1, 4}) {
      GasSetup run(fmt::format("{{frames: [1, 12], fps: 24, substeps: {}}}", substeps),
                   fmt::format("  - volume_object: {{voxel: 0.05, reflection: {}, domain: {{low: [-1.6, 0, 0], high: "
                               "[1.6, 0.8, 0.8], floor: true, ceiling: true, back: true, front: true, fill: true}}}}\n"
                               "  - pressure: {{tolerance: 1e-8}}\n  - wind: {{velocity: [1, 0, 0]}}\n"
                               "  - collider: {{shape: sphere, center: [0, 0.4, 0.4], radius: 0.22}}\n",
                               reflection));
      run.advance(6);
      std::vector<double> flux(64);
      for_voxels(run, [&](Vec3d x, Vec3d u) {
        if (x.y > 0 && x.y < 0.8 && x.z > 0 && x.z < 0.8 && std::abs(x.x) < 1.6)
          flux[static_cast<std::size_t>((x.x + 1.6) / 0.05)] += u.x * 0.05 * 0.05;
      });
      double least = 1e9, most = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        if (i > 26 && i < 37) continue;  // the ball
        least = std::min(least, flux[i]), most = std::max(most, flux[i]);
      }
      fmt::print("tube, reflection {}, {} substeps: {:.6f} to {:.6f} m^3/s through its sections\n", reflection,
                 substeps, least, most);
      EXPECT_LT(most - least, 5e-4 * most) << reflection << " " << substeps;
      EXPECT_NEAR(most, 0.64, 0.05);
    }
}

TEST(GasReport, CountsTheSecondProjectionThatStaysAboveItsTolerance) {
  const auto reported = [](int iterations, double tolerance) {
    GasSetup run(
        "{frames: [1, 6], fps: 24, substeps: 2}",
        fmt::format("  - volume_object: {{voxel: 5 cm, reflection: true, domain: {{low: [-1, 0, -1], high: [1, "
                    "2, 1], floor: true, fill: true}}}}\n"
                    "  - pressure: {{iterations: {}, method: multigrid, tolerance: {}}}\n"
                    "  - emitter: {{center: [0, 0.3, 0], radius: 0.25, density: 1, temperature: 420 K}}\n"
                    "  - buoyancy\n",
                    iterations, tolerance));
    std::int64_t solves = 0, unconverged = 0;
    std::string worst;
    for (int frame = 0; frame < 6; ++frame) {
      run.advance(1);
      for (const auto& object : run.simulation().frame_report().objects) {
        solves += object.report.solves;
        unconverged += object.report.unconverged;
        if (!object.report.worst.empty()) worst = object.report.worst;
      }
    }
    EXPECT_GE(solves, 24);
    return std::pair(unconverged, worst);
  };
  const auto [few, worst] = reported(4, 5e-4);
  fmt::print("reflection with four iterations: {} of 24 solves above their tolerance ({})\n", few, worst);
  EXPECT_GT(few, 0);
  EXPECT_NE(worst.find("second projection"), std::string::npos) << worst;
  EXPECT_EQ(reported(200, 5e-4).first, 0);
}

struct Sealed {
  std::size_t warnings;  // before the run
  std::int64_t counted;  // substeps of the last frames
  std::string told, worst;
};

Sealed filled_room(const std::string& sides, const std::string& more = "") {
  testing::internal::CaptureStderr();
  GasSetup run("{frames: [1, 6], fps: 24, substeps: 2}",
               "  - volume_object: {voxel: 10 cm, domain: {low: [-1, 0, -1], high: [1, 2, 1], " + sides +
                   ", fill: true}}\n  - pressure\n" + more +
                   "  - emitter: {center: [0, 1, 0], radius: 0.2, density: 1, flow: 4 m^3/s}\n");
  Sealed found{run.warnings().size(), 0, "", ""};
  for (int frame = 0; frame < 3; ++frame) {
    run.advance(1);
    found.counted += run.gas().report().unconverged;
    found.worst = run.gas().report().worst;
  }
  found.told = testing::internal::GetCapturedStderr();
  return found;
}

TEST(GasReport, SaysOnceThatASourceCannotFillASealedRoom) {
  const Sealed closed = filled_room("sides: closed"), open = filled_room("floor: true");
  EXPECT_EQ(closed.warnings, 1u);
  EXPECT_EQ(closed.counted, 3);
  EXPECT_EQ(closed.told.find("closed room"), std::string::npos);  // it was said before
  EXPECT_EQ(open.warnings, 0u);
  EXPECT_EQ(open.counted, 0);
  // A room that colliders close, which only the grid knows.
  const Sealed hollow = filled_room("floor: true",
                                    "  - collider: {shape: sphere, center: [0, 1, 0], radius: 0.7, "
                                    "hollow: true}\n");
  EXPECT_EQ(hollow.warnings, 0u);
  EXPECT_EQ(hollow.counted, 3);
  const std::size_t first = hollow.told.find("emitters fill a closed room");
  EXPECT_NE(first, std::string::npos) << hollow.told;
  EXPECT_EQ(hollow.told.find("emitters fill a closed room", first + 1), std::string::npos);
  EXPECT_EQ(hollow.worst, "gas that cannot leave a closed room");
}

// Strands in a storm: around them gas is simulated as far as asked for, however fast it is.
TEST(GasTiles, AroundStrandsAreAsManyInAStormAsInABreeze) {
  const auto voxels = [](double wind) {
    GasSetup run(
        "{frames: [1, 1], fps: 24, substeps: 2}",
        fmt::format("  - collider: {{shape: mesh, surface: head}}\n  - group: Hair\n    with:\n"
                    "      - curves_object: {{curves: hair}}\n      - elastic_rod: {{youngs_modulus: 3.5 GPa}}\n"
                    "      - attachment: {{surface: head}}\n"
                    "  - group: Wind\n    with:\n"
                    "      - volume_object: {{voxel: 5 cm, around: Hair, padding: 1}}\n      - pressure\n"
                    "      - wind: {{velocity: [{}, 0, 0]}}\n",
                    wind),
        "{hair: {groom: {style: long, strands: 24, vertices: 12, length: 35 cm}}, head: {shape: head}}");
    run.advance(1);
    return run.gas().element_count();
  };
  EXPECT_EQ(voxels(500), voxels(1));
}

// Smoke that goes 50 voxels in a substep is not lost, and gas is simulated where it goes, not all around.
TEST(GasTiles, LieAheadOfFastSmoke) {
  GasSetup run("{frames: [1, 20], fps: 1}",
               "  - volume_object: {voxel: 0.1, padding: 0.5, advection: semi_lagrangian}\n  - pressure\n"
               "  - wind: {velocity: [5, 0, 0]}\n"
               "  - emitter: {from: sphere, radius: 0.4, density: 1, stop: 0 s}\n");
  const double begin = run.amount("density");
  run.advance(10);
  Vec3d centre{0, 0, 0};
  double whole = 0;
  run.for_cells("density", [&](Vec3d x, double f) { whole += f, centre += x * f; });
  fmt::print("smoke 50 m down a wind of 50 voxels per substep: {:.4f} of it left, {:.3f} m along, {} voxels\n",
             run.amount("density") / begin, centre.x / whole, run.gas().element_count());
  EXPECT_NEAR(run.amount("density") / begin, 1, 1e-3);
  EXPECT_NEAR(centre.x / whole, 50, 0.01);
  EXPECT_LT(run.gas().element_count(), 400 * 512);  // 16 tiles around would be 36,000
}

// Particles thrown into still gas: what they lose it gains, however few Newton iterations are allowed.
TEST(CoupledDrag, KeepsMomentumWithOneNewtonIteration) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("ymir_thrown_{}.ply", getpid());
  std::ofstream(file) << "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
                         "z\nproperty float vx\nproperty float vy\nproperty float vz\nend_header\n"
                         "0.01 0.02 0.03 20 0 0\n0.1 0.02 -0.03 20 0 0\n-0.1 0.05 0.03 20 5 0\n";
  for (const int iterations : {1, 2, 8})
    for (const int passes : {2, 4}) {
      GasSetup run(
          fmt::format("{{frames: [1, 1], fps: 24, newton_iterations: {}}}", iterations),
          fmt::format("  - coupled_drag: {{passes: {}}}\n  - group: P\n    with:\n"
                      "      - particle_object: {{points: p, radius: 2 cm, density: 3 kg/m^3}}\n"
                      "  - group: Air\n    with:\n      - volume_object: {{voxel: 5 cm, domain: {{low: [-2, -2, "
                      "-2], high: [2, 2, 2], fill: true}}}}\n",
                      passes),
          "{p: {points: " + file.string() + "}}");
      const auto momentum = [&] {
        Vec3d sum{0, 0, 0};
        for (const auto& object : run.simulation().objects())
          if (const auto* particles = dynamic_cast<const ParticleObject*>(object.get()))
            particles->visit_points([&](const PointBlock& b) {
              for (int i = 0; i < b.count; ++i) sum += Vec3d(b.velocity[i]) * b.mass[i];
            });
        return sum;
      };
      const Vec3d before = momentum();
      run.advance(1);
      const Vec3d lost = before - momentum();
      Vec3d gained{0, 0, 0};
      for_voxels(run, [&](Vec3d, Vec3d u) { gained += u * (1.2 * std::pow(0.05, 3)); });
      fmt::print("{} Newton iterations, {} passes: particles lose {:.6e} kg m/s, gas gains {:.6e}\n", iterations,
                 passes, lost.x, gained.x);
      EXPECT_GT(lost.x, 0.1 * before.x);
      EXPECT_LT(norm(lost - gained), 1e-5 * norm(lost)) << iterations << " " << passes;
    }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace ymir
