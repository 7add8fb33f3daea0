// Vorticity confinement: its force, and that it never gives gas more than the grid has taken from it.
#include <fmt/format.h>

#include "gas_run.h"

namespace ymir {
namespace {

using verification::GasSetup;
using verification::set_material;
using verification::set_velocity;

struct Push {
  double error;     // of the acceleration, relative to its largest value
  double spin_up;   // its part along the flow, mean, relative to the exact one
  double greatest;  // [m/s^2]
};

// A column that turns about z with vorticity w0 exp(-r^2/2 s^2): a = e h w^2 along the flow, where the grid has damped
// more than that.
Push confinement_of(int n, double w0, double strength) {
  constexpr double s = 0.2;
  const double h = 1.6 / n;
  GasSetup run(
      "{frames: [1, 1], fps: 1}",
      fmt::format("  - volume_object: {{voxel: {0}, domain: {{low: [-0.8, -0.8, {1}], high: [0.8, 0.8, {2}], fill: "
                  "true}}}}\n  - vorticity_confinement: {{strength: {3}}}\n",
                  h, -12 * h, 12 * h, strength));
  const auto flow = [&](Vec3d x) {
    const double r2 = x.x * x.x + x.y * x.y, turn = w0 * s * s * -std::expm1(-r2 / (2 * s * s)) / std::max(r2, 1e-12);
    return Vec3d{-turn * x.y, turn * x.x, 0};
  };
  set_velocity(run.grid(), flow);
  set_material(run.grid(), run.gas().damped_energy(), [](Vec3d) { return 1e6; });
  std::vector<double> before;
  run.for_faces([&](Vec3d, double u, int) { before.push_back(u); });
  const double dt = 1e-2;
  run.gas().apply_forces({0, 0, 0, 0, dt});
  Push result{0, 0, 0};
  double along = 0, exact = 0, largest = 0;
  std::size_t face = 0;
  run.for_faces([&](Vec3d x, double u, int axis) {
    const double a = (u - before[face++]) / dt, r = std::hypot(x.x, x.y);
    // Away from the axis, where there is no direction, and from the sides, beyond which there is still air.
    if (r < 0.8 * s || r > 2.5 * s || std::abs(x.z) > 4 * h) return;
    const double w = w0 * std::exp(-r * r / (2 * s * s));
    const double wanted = strength * h * w * w * (axis == 0 ? -x.y / r : axis == 1 ? x.x / r : 0);
    result.error = std::max(result.error, std::abs(a - wanted));
    result.greatest = std::max(result.greatest, std::abs(a));
    largest = std::max(largest, std::abs(wanted));
    along += a * wanted, exact += wanted * wanted;
  });
  result.error /= largest;
  result.spin_up = along / exact;
  return result;
}

TEST(VorticityConfinement, SpeedsUpAVortexAsItsFormulaSays) {
  const Push coarse = confinement_of(32, 3, 0.3), fine = confinement_of(64, 3, 0.3);
  fmt::print("confinement of a Gaussian vortex: error {:.2e}, {:.2e} of the largest; along the flow {:.4f}, {:.4f}\n",
             coarse.error, fine.error, coarse.spin_up, fine.spin_up);
  EXPECT_GT(std::log2(coarse.error / fine.error), 1.7);
  EXPECT_LT(fine.error, 2e-2);
  EXPECT_NEAR(fine.spin_up, 1, 1e-2);
}

TEST(VorticityConfinement, GrowsWithTheSquareOfTheFlowAndWithItsStrength) {
  const double one = confinement_of(32, 3, 0.3).greatest;
  EXPECT_NEAR(confinement_of(32, 6, 0.3).greatest / one, 4, 1e-3);
  EXPECT_NEAR(confinement_of(32, 3, 0.9).greatest / one, 3, 1e-3);
}

struct Plume {
  double fastest;  // in 3 s [m/s]
  double energy;   // at the end: mean of |u|^2 over faces [m^2/s^2]
};

Plume plume(double voxel, int substeps, double strength, const std::string& more = "") {
  GasSetup run(fmt::format("{{frames: [1, 72], fps: 24, substeps: {}}}", substeps),
               fmt::format("  - volume_object: {{voxel: {}, domain: {{low: [-0.64, 0, -0.64], high: [0.64, 1.92, "
                           "0.64], floor: true, fill: true}}}}\n"
                           "  - pressure: {{tolerance: 1e-4}}\n  - buoyancy\n  - vorticity_confinement: {{strength: "
                           "{}}}\n  - emitter: {{center: [0, 0.2, 0.05], radius: 16 cm, density: 1, temperature: 450 "
                           "K, velocity: [0, 1, 0]}}\n{}",
                           voxel, strength, more));
  Plume result{0, 0};
  for (int frame = 0; frame < 72; ++frame) {
    run.advance(1);
    result.fastest = std::max(result.fastest, run.gas().report().speed);
  }
  int faces = 0;
  run.for_faces([&](Vec3d, double v, int) { result.energy += v * v, ++faces; });
  result.energy /= faces;
  return result;
}

// Confinement may sharpen a plume; it must not drive it. Without the bound on its work speeds pass 1e6 m/s here.
TEST(VorticityConfinement, KeepsAPlumeAtItsOwnSpeedAtAnyStepVoxelAndStrength) {
  struct Case {
    double voxel;
    int substeps;
  };
  for (const Case c : {Case{0.08, 1}, Case{0.08, 8}, Case{0.04, 1}}) {
    const Plume without = plume(c.voxel, c.substeps, 0);
    for (const double strength : {0.3, 3.0, 1000.0}) {
      const Plume with = plume(c.voxel, c.substeps, strength);
      fmt::print(
          "plume, voxels of {:g} cm, {} substeps, strength {:g}: fastest {:.2f} m/s, energy {:.3f}; without "
          "confinement {:.2f} m/s, {:.3f}\n",
          100 * c.voxel, c.substeps, strength, with.fastest, with.energy, without.fastest, without.energy);
      EXPECT_LT(with.fastest, 2 * without.fastest) << c.voxel << " " << c.substeps << " " << strength;
      EXPECT_LT(with.energy, 2 * without.energy) << c.voxel << " " << c.substeps << " " << strength;
    }
  }
}

// Beside a ball that swings, where gas is pushed and advection meets a wall.
TEST(VorticityConfinement, DoesNotRunAwayBesideAMovingWall) {
  const std::string ball =
      "  - collider: {shape: sphere, center: [0, 0.9, 0], radius: 20 cm, motion: [{time: 0 s}, {time: 1 s, position: "
      "[30 cm, 0, 0]}, {time: 2 s, position: [-30 cm, 0, 0]}, {time: 3 s}]}\n";
  EXPECT_LT(plume(0.08, 2, 100, ball).fastest, 2 * plume(0.08, 2, 0, ball).fastest);
}

// A vortex in a closed box, with nothing that drives it: its energy only ever falls, and its core turns on for longer
// with confinement than without.
TEST(VorticityConfinement, KeepsTheCoreOfAVortexTurningAndNeverFeedsIt) {
  const auto spin_left = [](double strength) {
    GasSetup run(
        "{frames: [1, 48], fps: 24}",
        fmt::format("  - volume_object: {{voxel: 0.05, domain: {{low: [0, 0, 0], high: [1.6, 1.6, 0.4], sides: "
                    "closed, fill: true}}}}\n  - pressure: {{tolerance: 1e-6}}\n"
                    "  - vorticity_confinement: {{strength: {}}}\n",
                    strength));
    const Vec3d axis{0.8, 0.8, 0};
    set_velocity(run.grid(), [&](Vec3d x) {
      const Vec3d d = x - axis;
      const double r2 = d.x * d.x + d.y * d.y, turn = 8 * -std::expm1(-r2 / 0.02) * 0.01 / std::max(r2, 1e-12);
      const double wall = std::exp(-std::pow(r2 / 0.3, 4));
      return Vec3d{-turn * d.y * wall, turn * d.x * wall, 0};
    });
    double energy = 0, turning = 0, square = 0;
    const auto measure = [&] {
      energy = turning = square = 0;
      run.for_faces([&](Vec3d x, double u, int a) {
        energy += u * u;
        const Vec3d d = x - axis;
        const double lever = a == 0 ? -d.y : a == 1 ? d.x : 0;
        if (std::hypot(d.x, d.y) > 0.12) return;
        turning += u * lever;
        square += lever * lever;
      });
    };
    measure();
    const double begin = turning / square;
    double last = energy;
    for (int frame = 0; frame < 48; ++frame) {
      run.advance(1);
      measure();
      EXPECT_LT(energy, last * (1 + 1e-6)) << strength << " " << frame;
      last = energy;
    }
    return turning / square / begin;
  };
  const double without = spin_left(0), with = spin_left(0.3), most = spin_left(1000);
  fmt::print("core of a vortex after 2 s: {:.3f} of its spin without confinement, {:.3f} with 0.3, {:.3f} with 1000\n",
             without, with, most);
  EXPECT_GT(with, 1.05 * without);
  EXPECT_LT(most, 1);
}

}  // namespace
}  // namespace ymir
