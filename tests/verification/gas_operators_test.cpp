// Operators on a gas against what they promise: cooling, dissipation, diffusion. [method notes C, section 8]
#include <fmt/format.h>

#include "gas_run.h"

namespace ymir {
namespace {

using verification::GasSetup;
using verification::set_material;

// --- one value everywhere

// A gas at rest in a closed box, filled once with what the emitter says.
std::string filled(const std::string& emitter, const std::string& more) {
  return "  - volume_object: {voxel: 0.1, temperature: 300 K, domain: {low: [0, 0, 0], high: [0.8, 0.8, 0.8], sides: "
         "closed, fill: true}}\n"
         "  - emitter: {from: box, size: [4, 4, 4], stop: 0 s, " +
         emitter + "}\n" + more;
}

TEST(Cooling, FollowsTheFourthPowerExactlyHoweverManySubsteps) {
  for (const int substeps : {1, 16}) {
    GasSetup run(fmt::format("{{frames: [1, 10], fps: 10, substeps: {}}}", substeps),
                 filled("temperature: 1500 K", "  - cooling: {rate: 3000 K/s, peak_temperature: 2000 K}\n"));
    for (int frame = 1; frame <= 8; ++frame) {
      run.advance(1);
      // y' = -c (y/Y)^4 from y0: y^-3 = y0^-3 + 3 c t / Y^4.
      const double y = std::pow(std::pow(1200.0, -3) + 3 * 3000 * 0.1 * frame / std::pow(1700.0, 4), -1.0 / 3);
      EXPECT_NEAR(run.value("temperature", {0.45, 0.45, 0.45}), 300 + y, 2e-3) << substeps << " " << frame;
    }
  }
}

TEST(Cooling, BeginsAtItsRateAtThePeak) {
  GasSetup run("{frames: [1, 10], fps: 10000}",
               filled("temperature: 2000 K", "  - cooling: {rate: 3000 K/s, peak_temperature: 2000 K}\n"));
  run.advance(1);
  EXPECT_NEAR((2000 - run.value("temperature", {0.45, 0.45, 0.45})) / 1e-4, 3000, 5);
}

TEST(Dissipation, IsExponentialTowardsTheAmbientValueHoweverManySubsteps) {
  for (const int substeps : {1, 16}) {
    GasSetup run(fmt::format("{{frames: [1, 10], fps: 10, substeps: {}}}", substeps),
                 filled("density: 0.8, temperature: 500 K",
                        "  - dissipation: {channel: density, rate: 1.5 Hz}\n"
                        "  - dissipation: {channel: temperature, rate: 0.5 Hz}\n"));
    run.advance(8);
    EXPECT_NEAR(run.value("density", {0.45, 0.45, 0.45}), 0.8 * std::exp(-1.5 * 0.8), 1e-6) << substeps;
    EXPECT_NEAR(run.value("temperature", {0.45, 0.45, 0.45}), 300 + 200 * std::exp(-0.5 * 0.8), 1e-3) << substeps;
  }
}

// --- diffusion

// Amplitude of cos(pi x/L) cos(2 pi z/L) between insulating walls after 1 s, relative to the exact one.
double wave_left(int substeps) {
  constexpr double length = 1.6, kappa = 0.02;
  GasSetup run(fmt::format("{{frames: [1, 1], fps: 1, substeps: {}}}", substeps),
               "  - volume_object: {voxel: 5 cm, domain: {low: [0, 0, 0], high: [1.6, 0.4, 1.6], sides: closed, fill: "
               "true}}\n  - diffusion: {channel: soot, diffusivity: 200 cm^2/s, tolerance: 1e-10}\n"
               "  - emitter: {materials: [{name: soot}], start: 1000 s}\n");
  const auto wave = [](Vec3d x) { return std::cos(M_PI * x.x / length) * std::cos(2 * M_PI * x.z / length); };
  set_material(run.grid(), run.gas().material("soot"), wave);
  run.advance(1);
  double sum = 0, whole = 0;
  run.for_cells("soot", [&](Vec3d x, double f) { sum += f * wave(x), whole += wave(x) * wave(x); });
  return sum / whole / std::exp(-kappa * 5 * M_PI * M_PI / (length * length));
}

TEST(Diffusion, DampsAWaveByItsWaveNumber) {
  const double coarse = wave_left(8) - 1, fine = wave_left(16) - 1;
  fmt::print("wave between walls: amplitude off by {:.2e}, {:.2e} with half the substep\n", coarse, fine);
  EXPECT_LT(std::abs(fine), 1e-2);
  EXPECT_NEAR(coarse / fine, 2, 0.3);  // implicit steps are of first order
}

}  // namespace
}  // namespace ymir
