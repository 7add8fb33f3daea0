// Wind that blows through a gas, through setups.
#include <fmt/format.h>

#include "gas_run.h"

namespace ymir {
namespace {

using verification::GasSetup;

// Two tiles along each axis: all of them are the rim, which follows the wind.
std::string small_gas(const std::string& more) {
  return "  - volume_object: {voxel: 0.1, domain: {low: [-0.8, -0.8, -0.8], high: [0.8, 0.8, 0.8], fill: true}}\n" +
         more;
}

TEST(Wind, RisesAndFallsSmoothlyFromGustToGust) {
  GasSetup run("{frames: [1, 100], fps: 10}",
               small_gas("  - wind: {velocity: [0.1, 0, 0], gusts: [{time: 0.5 s, velocity: [0, 0, 1]}, {time: 1.5 s, "
                         "velocity: [0.4, 0, -1]}, {time: 2 s, velocity: [0.4, 0.6, -1]}]}\n"));
  const auto between = [](double t, double from, double to) {
    const double s = std::clamp((t - from) / (to - from), 0.0, 1.0);
    return s * s * (3 - 2 * s);
  };
  double worst = 0;
  for (int frame = 1; frame <= 25; ++frame) {
    run.advance(1);
    const double t = 0.1 * frame, first = between(t, 0.5, 1.5), second = between(t, 1.5, 2);
    const Vec3d wanted{0.1 + 0.4 * first, 0.6 * second, 1 - 2 * first};
    const VectorVolumeView<float> u(run.grid().volume(), run.grid().velocity);
    worst = std::max(worst, norm(u.sample({0.02, 0.03, -0.01}) - wanted));
  }
  fmt::print("gusts: largest difference from 3 s^2 - 2 s^3 {:.1e} m/s\n", worst);
  EXPECT_LT(worst, 1e-6);
}

// Largest difference of a gas from the velocity of the wind around it.
double unrest(const std::string& time, const std::string& volume_object, const std::string& wind, Vec3d velocity,
              int frames) {
  GasSetup run(time, volume_object + "  - pressure: {tolerance: 1e-6}\n  - wind: {" + wind + "}\n");
  run.advance(frames);
  double worst = 0;
  int faces = 0;
  run.for_faces([&](Vec3d, double u, int axis) {
    worst = std::max(worst, std::abs(u - velocity[axis]));
    ++faces;
  });
  EXPECT_GT(faces, 0);
  return worst;
}

TEST(Wind, AloneIsUniformAndStaysSo) {
  const std::string box = "domain: {low: [-2, -2, -2], high: [2, 2, 2], fill: true}";
  for (const char* scheme : {"semi_lagrangian", "mac_cormack", "bfecc"})
    for (const bool reflection : {false, true})
      for (const double fps : {24.0, 1.0}) {  // 0.8 and 18 voxels per substep
        const double found =
            unrest(fmt::format("{{frames: [1, 10], fps: {}}}", fps),
                   fmt::format("  - volume_object: {{voxel: 0.1, advection: {}, reflection: {}, {}}}\n", scheme,
                               reflection, box),
                   "velocity: [1.8, -0.3, 0.7]", {1.8, -0.3, 0.7}, 4);
        fmt::print("uniform wind, {}, reflection {}, {} fps: off by {:.1e} m/s\n", scheme, reflection, fps, found);
        EXPECT_LT(found, 1e-5) << scheme << " " << reflection << " " << fps;
      }
}

TEST(Wind, CarriesSmokeAlong) {
  struct Case {
    const char* scheme;
    int fps;
    double place, amount;  // tolerances [m], [1]
  };
  // Tiles begin and end on the way. Simple steps and whole voxels are exact; a limiter that cuts off undershoots around
  // a small ball lets it grow.
  for (const Case& c : {Case{"semi_lagrangian", 24, 1e-3, 1e-5}, Case{"semi_lagrangian", 1, 1e-3, 1e-5},
                        Case{"mac_cormack", 1, 1e-3, 1e-5}, Case{"mac_cormack", 24, 0.1, 0.15}}) {
    GasSetup run(fmt::format("{{frames: [1, 100], fps: {}}}", c.fps),
                 fmt::format("  - volume_object: {{voxel: 0.1, advection: {}}}\n  - pressure\n"
                             "  - wind: {{velocity: [2, 0, 0.5]}}\n"
                             "  - emitter: {{from: sphere, radius: 0.4, density: 1, stop: 0 s}}\n",
                             c.scheme));
    const double begin = run.amount("density");
    run.advance(2 * c.fps);
    double whole = 0;
    Vec3d centre{0, 0, 0};
    run.for_cells("density", [&](Vec3d x, double f) { whole += f, centre += x * f; });
    const double off = norm(centre / whole - Vec3d{4, 0, 1}), grown = run.amount("density") / begin - 1;
    fmt::print("smoke 4 m down the wind, {}, {} fps: {:.1e} m off, amount {:+.1e}\n", c.scheme, c.fps, off, grown);
    EXPECT_LT(off, c.place);
    EXPECT_LT(std::abs(grown), c.amount);
  }
}

// As much inside as at the rim, while it changes.
TEST(Wind, OfAGustIsFeltEverywhereAtOnce) {
  const double found =
      unrest("{frames: [1, 20], fps: 24}",
             "  - volume_object: {voxel: 0.1, domain: {low: [-2, -2, -2], high: [2, 2, 2], fill: true}}\n",
             "gusts: [{time: 0 s}, {time: 1 s, velocity: [2, 0, -1]}]", {1, 0, -0.5}, 12);
  fmt::print("halfway through a gust of a second: off by {:.1e} m/s\n", found);
  EXPECT_LT(found, 1e-5);
}

TEST(Wind, HasTheTurbulenceOfItsStrength) {
  for (const int octaves : {1, 3}) {
    GasSetup run(
        "{frames: [1, 1], fps: 24}",
        fmt::format("  - volume_object: {{voxel: 0.1, domain: {{low: [-0.8, -0.8, -0.8], high: [0.8, 0.8, 0.8], "
                    "fill: true}}}}\n  - wind: {{velocity: [3, 0, 0], turbulence: {{kind: curl_noise, strength: "
                    "0.7 m/s, length_scale: 0.173 m, octaves: {}}}}}\n",
                    octaves));
    double square[3] = {}, mean[3] = {}, faces[3] = {};
    run.for_faces([&](Vec3d, double u, int axis) {
      u -= axis == 0 ? 3 : 0;
      square[axis] += u * u, mean[axis] += u, ++faces[axis];
    });
    double all = 0;
    for (int k = 0; k < 3; ++k) {
      all += square[k] / faces[k];
      EXPECT_NEAR(mean[k] / faces[k], 0, 0.05);
    }
    fmt::print("turbulence of 0.7 m/s, {} octaves: {:.4f} m/s (root mean square)\n", octaves, std::sqrt(all));
    EXPECT_NEAR(std::sqrt(all), 0.7, 0.03 * 0.7);
  }
}

TEST(AdaptiveSubsteps, MoveTheWindAsManyVoxelsAsAllowed) {
  struct Case {
    double courant_number;
    int substeps;
  };
  // 6 m/s in 0.1 s are 6 voxels.
  for (const Case& c : {Case{1.5, 4}, Case{2.1, 3}, Case{4, 2}, Case{7, 1}}) {
    GasSetup run(
        "{frames: [1, 10], fps: 10, adaptive: true}",
        fmt::format("  - volume_object: {{voxel: 0.1, courant_number: {}, domain: {{low: [-0.8, -0.8, -0.8], high: "
                    "[0.8, 0.8, 0.8], fill: true}}}}\n  - pressure\n  - wind: {{velocity: [0, 0, -6]}}\n",
                    c.courant_number));
    run.advance(2);
    EXPECT_EQ(run.simulation().substeps(), 2 * c.substeps) << c.courant_number;
  }
}

TEST(GasFrame, ShowsTheVelocityAtVoxelCentres) {
  GasSetup run("{frames: [1, 1], fps: 24}", small_gas(""));
  const auto flow = [](Vec3d x) { return Vec3d{1 + x.x - 4 * x.z, 2 * x.y + x.x, -3 * x.z + 5 * x.y}; };
  verification::set_velocity(run.grid(), flow);
  const ObjectState state = run.gas().frame_state();
  const auto tiles = state.channels.at("bucket").as<Vec3i>();
  const auto velocity = state.channels.at("velocity").as<Vec3f>();
  ASSERT_EQ(tiles.size(), 8u);
  ASSERT_EQ(velocity.size(), 8u * 512);
  EXPECT_EQ(std::get<double>(state.attributes.at("bucket_size")), 0.8);
  double worst = 0;
  for (std::size_t t = 0; t < 8; ++t)
    for (int i = 0; i < 512; ++i) {
      const Vec3d x = (Vec3d(tiles[t]) * 8 + Vec3d(i % 8 + 0.5, i / 8 % 8 + 0.5, i / 64 + 0.5)) * 0.1;
      worst = std::max(worst, norm(Vec3d(velocity[t * 512 + static_cast<std::size_t>(i)]) - flow(x)));
    }
  EXPECT_LT(worst, 1e-5);
}

}  // namespace
}  // namespace ymir
