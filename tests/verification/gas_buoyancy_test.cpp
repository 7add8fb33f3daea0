// Hot gas rises and heavy smoke sinks, as fast as they must. [method notes C, section 8]
#include <fmt/format.h>

#include "gas_run.h"
#include "ymir/actions/gas_forces.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;
using verification::GasSetup;
using verification::set_material;

constexpr double g = 9.81;

TEST(Buoyancy, AcceleratesUniformGasByItsTemperatureAndItsSmoke) {
  // 330 K in air of 300 K, with smoke 0.4 that is 0.5 heavier than air: (30/300 - 0.5 * 0.4) g along -gravity.
  struct Column {
    const char* emitter;
    const char* buoyancy;
    double share;
  };
  for (const Column& c : {Column{"temperature: 330 K", "", 0.1}, Column{"temperature: 270 K", "", -0.1},
                          Column{"density: 0.4", "smoke_weight: 0.5", -0.2}, Column{"density: 0.4", "", 0},
                          Column{"temperature: 330 K, density: 0.4", "smoke_weight: 0.5", -0.1}}) {
    GasSetup run(
        "{frames: [1, 1], fps: 100}",
        fmt::format("  - volume_object: {{voxel: 0.1, temperature: 300 K, domain: {{low: [0, 0, 0], high: [0.8, 3.2, "
                    "0.8], fill: true}}}}\n  - emitter: {{from: box, size: [9, 9, 9], {}}}\n"
                    "  - buoyancy: {{{}}}\n",
                    c.emitter, c.buoyancy));
    run.gas().apply_forces({0, 0, 0, 0, 0.01});
    run.for_faces([&](Vec3d, double u, int axis) {
      EXPECT_NEAR(u / 0.01, axis == 1 ? c.share * g : 0, 1e-5 * g) << c.emitter << " " << c.buoyancy;
    });
  }
}

TEST(Buoyancy, FollowsTheDirectionOfGravity) {
  GasSetup run("{frames: [1, 1], fps: 100}",
               "  - volume_object: {voxel: 0.1, temperature: 300 K, domain: {low: [0, 0, 0], high: [0.8, 0.8, 0.8], "
               "fill: true}}\n"
               "  - emitter: {from: box, size: [9, 9, 9], temperature: 330 K}\n"
               "  - buoyancy: {gravity: [3, 0, -4]}\n");
  run.gas().apply_forces({0, 0, 0, 0, 0.01});
  run.for_faces([&](Vec3d, double u, int axis) { EXPECT_NEAR(u / 0.01, (Vec3d{-0.3, 0, 0.4}[axis]), 1e-5); });
}

TEST(Buoyancy, DrivesAHotChimneyWithItsWholeHeight) {
  // Walls around, open below and above: pressure 0 half a voxel beyond both ends, where half of the face's gas is cold.
  GasCase c;
  c.box = {{0, 0, 0}, {0.8, 3.2, 0.8}};
  c.temperature = 300;
  c.open = {2, 3};
  GasRun run(c);
  add_buoyancy(run.gas(), "buoyancy", {{0, -g, 0}, 0});
  run.begin();
  set_material(run.grid(), run.gas().material("temperature"),
               [](Vec3d x) { return x.y > 0 && x.y < 3.2 ? 330.0 : 300.0; });
  const Step step{0, 0, 0, 0, 0.01};
  run.gas().apply_forces(step);
  run.gas().project(step);
  const double wanted = 0.1 * g * 32 / 33;
  double low = 1e9, high = -1e9;
  run.for_faces([&](Vec3d, double u, int axis) {
    if (axis != 1) {
      EXPECT_NEAR(u / step.dt, 0, 1e-5 * g);
    } else {
      low = std::min(low, u / step.dt), high = std::max(high, u / step.dt);
    }
  });
  fmt::print("hot chimney: {:.6f} to {:.6f} m/s^2, {:.6f} expected\n", low, high, wanted);
  EXPECT_NEAR(low, wanted, 2e-5 * g);
  EXPECT_NEAR(high, wanted, 2e-5 * g);
}

// Mean acceleration inside a ball of gas with 1 + b of the ambient temperature, relative to b g.
double ball_acceleration(int n, bool closed) {
  const double h = 1.6 / n;
  GasSetup run(
      "{frames: [1, 1], fps: 1000}",
      fmt::format("  - volume_object: {{voxel: {}, temperature: 300 K, domain: {{low: [-0.8, -0.8, -0.8], high: [0.8, "
                  "0.8, 0.8], sides: {}, fill: true}}}}\n  - pressure: {{tolerance: 1e-7}}\n"
                  "  - emitter: {{from: sphere, radius: 0.2, temperature: 315 K}}\n  - buoyancy\n",
                  h, closed ? "closed" : "open"));
  const Step step{0, 0, 0, 0, 1e-3};
  run.gas().apply_forces(step);
  run.gas().project(step);
  double sum = 0;
  int faces = 0;
  run.for_faces([&](Vec3d x, double u, int axis) {
    if (axis != 1 || norm(x) > 0.15) return;
    sum += u;
    ++faces;
  });
  return sum / faces / (step.dt * 0.05 * g);
}

// The gas around must give way: a ball moves as if it were half as heavy again, 1/(1 + 1/2) = 2/3.
TEST(Buoyancy, AHotBallBeginsToRiseAgainstItsAddedMass) {
  const double closed = ball_acceleration(64, true), open = ball_acceleration(64, false);
  fmt::print("hot ball from rest: {:.4f} of b g in a closed box, {:.4f} in an open one, 2/3 without any\n", closed,
             open);
  // Sides at 4 radii: in spheres the factors are 2/3 (1 - 1/64) and 2/3 (1 + 1/128).
  EXPECT_NEAR(closed, 2.0 / 3 * (1 - 1.0 / 64), 0.01);
  EXPECT_NEAR(open, 2.0 / 3 * (1 + 1.0 / 128), 0.01);
  EXPECT_LT(closed, open);
}

// Smoke in the middle of the ball, without an edge that limiters would hold back.
TEST(Buoyancy, AHotBallRisesByHalfItsAccelerationTimesTimeSquared) {
  for (const bool reflection : {false, true}) {
    GasSetup run(
        "{frames: [1, 100], fps: 50}",
        fmt::format("  - volume_object: {{voxel: 0.05, temperature: 300 K, reflection: {}, domain: {{low: [-0.8, "
                    "-0.8, -0.8], high: [0.8, 0.8, 0.8], fill: true}}}}\n  - pressure: {{tolerance: 1e-6}}\n"
                    "  - emitter: {{from: sphere, radius: 0.2, density: 0, temperature: 315 K, stop: 0 s}}\n"
                    "  - buoyancy\n",
                    reflection));
    set_material(run.grid(), run.gas().material("density"),
                 [](Vec3d x) { return std::exp(-dot(x, x) / (2 * 0.05 * 0.05)); });
    run.advance(20);
    double sum = 0, whole = 0;
    run.for_cells("density", [&](Vec3d x, double f) { sum += f * x.y, whole += f; });
    const double t = 0.4, wanted = 0.5 * 2 / 3 * 0.05 * g * t * t;
    fmt::print("hot ball after 0.4 s, reflection {}: rose {:.4f} m, {:.4f} expected\n", reflection, sum / whole,
               wanted);
    EXPECT_NEAR(sum / whole, wanted, 0.08 * wanted);
  }
}

}  // namespace
}  // namespace ymir
