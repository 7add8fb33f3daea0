// A plume from a symmetric source: symmetry, conservation of smoke, convergence. [method notes C, V12]
#include <fmt/format.h>

#include "gas_run.h"

namespace ymir {
namespace {

using verification::GasSetup;
using verification::set_material;

// Largest difference from the mirror image about the plane x = 0 (axis 0) or z = 0 (axis 2).
double asymmetry(GasSetup& run, ChannelId<float> channel, int axis) {
  const VolumeChannel& info = run.grid().volume().channel(channel.index);
  double worst = 0;
  for (int c = 0; c < info.components; ++c) {
    const VolumeView<float> view(run.grid().volume(), channel, c);
    // Faces along the axis lie on the plane themselves, and what flows through them turns around.
    const bool across = info.sampling == Sampling::face && c == axis;
    verification::for_gas(run.grid(), [&](Vec3i v, int) {
      Vec3i mirrored = v;
      mirrored[axis] = (across ? 0 : -1) - v[axis];
      const double image = static_cast<double>(view.value(0, mirrored));
      worst = std::max(worst, std::abs(static_cast<double>(view.value(0, v)) - (across ? -image : image)));
    });
  }
  return worst;
}

std::string plume(double voxel, const std::string& gas, const std::string& emitter, double tolerance) {
  return fmt::format(
      "  - volume_object: {{voxel: {}, {}, domain: {{low: [-0.4, 0, -0.4], high: [0.4, 1.2, 0.4], sides: closed, fill: "
      "true}}}}\n  - pressure: {{tolerance: {}}}\n  - buoyancy\n"
      "  - emitter: {{from: sphere, center: [0, 0.2, 0], radius: 0.1, density: 1, temperature: 400 K{}}}\n",
      voxel, gas, tolerance, emitter);
}

TEST(Plume, IsSymmetricAsItsSourceIsInEveryStage) {
  GasSetup run("{frames: [1, 48], fps: 24}", plume(0.05, "advection: mac_cormack", "", 1e-10));
  const ChannelId<float> smoke = run.gas().material("density"), velocity = run.grid().velocity;
  const Step step{1, 0, 0, 0, 1.0 / 24};
  for (const int axis : {0, 2}) EXPECT_EQ(asymmetry(run, smoke, axis), 0) << "emission";
  run.gas().apply_forces(step);
  for (const int axis : {0, 2}) EXPECT_EQ(asymmetry(run, velocity, axis), 0) << "buoyancy";
  run.gas().project(step);
  const double pressed = std::max(asymmetry(run, velocity, 0), asymmetry(run, velocity, 2));
  run.gas().advect(step);
  const double carried = std::max(asymmetry(run, velocity, 0), asymmetry(run, velocity, 2));
  const double smoked = std::max(asymmetry(run, smoke, 0), asymmetry(run, smoke, 2));
  fmt::print("asymmetry of the first step: velocity {:.1e} m/s by the pressure, {:.1e} by advection; smoke {:.1e}\n",
             pressed, carried, smoked);
  // Values are stored in single precision: 1e-7 of 0.1 m/s and of 1, and a few roundings.
  EXPECT_LT(pressed, 1e-7);
  EXPECT_LT(carried, 5e-7);
  EXPECT_LT(smoked, 5e-7);
}

TEST(Plume, StaysSymmetric) {
  for (const double tolerance : {1e-4, 1e-10})
    for (const std::string scheme : {"semi_lagrangian", "mac_cormack"}) {
      GasSetup run("{frames: [1, 48], fps: 24}", plume(0.05, "advection: " + scheme, "", tolerance));
      run.advance(18);
      const ChannelId<float> smoke = run.gas().material("density");
      const double found = std::max(asymmetry(run, smoke, 0), asymmetry(run, smoke, 2));
      fmt::print("asymmetry of smoke after 18 steps, {}, tolerance {:.0e}: {:.1e}\n", scheme, tolerance, found);
      EXPECT_LT(found, 2e-5);
    }
}

// Carrying values along does not conserve their sum. How much is lost between walls depends on how well what happens is
// resolved: a ball with an edge loses several percent, a smooth one far less.
double lost(const std::string& scheme, bool smooth) {
  GasSetup run("{frames: [1, 48], fps: 24, substeps: 2}", plume(0.025, "advection: " + scheme, ", stop: 0 s", 1e-6));
  const auto blob = [](Vec3d x) {
    const Vec3d d = x - Vec3d{0, 0.3, 0};
    return std::exp(-dot(d, d) / (2 * 0.1 * 0.1));
  };
  if (smooth) {
    set_material(run.grid(), run.gas().material("density"), blob);
    set_material(run.grid(), run.gas().material("temperature"), [&](Vec3d x) { return 293.15 + 20 * blob(x); });
  }
  const double begin = run.amount("density");
  run.advance(12);
  return 1 - run.amount("density") / begin;
}

TEST(Plume, KeepsItsSmokeBetweenWalls) {
  for (const std::string scheme : {"semi_lagrangian", "mac_cormack", "bfecc", "semi_lagrangian, interpolation: cubic",
                                   "mac_cormack, reflection: true"}) {
    const double sharp = lost(scheme, false), smooth = lost(scheme, true);
    fmt::print("smoke lost in 0.5 s, {}: {:+.2e} of a ball with an edge, {:+.2e} of a smooth one\n", scheme, sharp,
               smooth);
    EXPECT_LT(std::abs(sharp), 0.12);
    EXPECT_LT(std::abs(smooth), 0.01);
  }
}

TEST(Plume, RisesToAHeightThatConverges) {
  double top[3];
  int k = 0;
  for (const double voxel : {0.05, 0.025, 0.0125}) {
    GasSetup run("{frames: [1, 48], fps: 24}", plume(voxel, "advection: mac_cormack", "", 1e-4));
    run.advance(12);
    double height = 0;  // where the smoke is half as dense as its source, from above
    for (double y = 1.19; y > 0 && height == 0; y -= 1e-3)
      if (run.value("density", {0, y, 0}) >= 0.5) height = y;
    top[k++] = height;
  }
  fmt::print("top of the plume after 0.5 s: {:.3f}, {:.3f}, {:.3f} m with voxels of 5, 2.5, 1.25 cm\n", top[0], top[1],
             top[2]);
  EXPECT_GT(top[1], top[0]);
  EXPECT_GT(top[2], top[1]);
  EXPECT_LT(top[2] - top[1], 0.75 * (top[1] - top[0]));
}

}  // namespace
}  // namespace ymir
