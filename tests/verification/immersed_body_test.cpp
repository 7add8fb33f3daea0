// Soft and rigid bodies in gas: Archimedes' lift, added mass, balance with a spring. [method notes C, light bodies]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gas_run.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/objects/rigid_object.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81, air = 1.2;

// A body in the middle of a closed box of still gas, voxels of 5 cm; under gravity, let go.
class Immersed {
 public:
  Immersed(bool soft, double density, double size, const char* shape, const std::string& more = "", double fps = 500,
           int box = 24)
      : soft_(soft),
        run_(fmt::format("{{frames: [1, 100], fps: {}}}", fps),
             fmt::format(
                 "  - gravity\n  - volume_object: {{voxel: 0.05, domain: {{low: [{0}, {0}, {0}], high: [{1}, "
                 "{1}, {1}], sides: closed, fill: true}}}}\n  - pressure: {{tolerance: 1e-6}}\n{2}"
                 "  - coupled_buoyancy\n{3}",
                 -0.025 * box, 0.025 * box,
                 soft ? fmt::format("  - solid_object: {{surface: body, cell: 0.06, density: {}, tolerance: 1e-10}}\n"
                                    "  - elastic_solid: {{youngs_modulus: 1e4}}\n",
                                    density)
                      : fmt::format("  - rigid_object: {{surface: body, density: {}}}\n", density),
                 more),
             fmt::format("{{body: {{shape: {0}, size: [{1}, {1}, {1}]}}}}", shape, size)) {}
  Vec3d velocity() {
    for (const auto& object : run_.simulation().objects()) {
      if (const auto* rigid = dynamic_cast<const RigidObject*>(object.get())) return rigid->poses()[0].velocity;
      if (const auto* mesh = dynamic_cast<const MeshObject*>(object.get())) {
        Vec3d sum{0, 0, 0};
        double mass = 0;
        for (std::size_t i = 0; i < mesh->mass().size(); ++i) {
          sum += mesh->velocities()[i] * mesh->mass()[i];
          mass += mesh->mass()[i];
        }
        return sum / mass;
      }
    }
    return {0, 0, 0};
  }
  const RigidObject& rigid() {
    for (const auto& object : run_.simulation().objects())
      if (const auto* found = dynamic_cast<const RigidObject*>(object.get())) return *found;
    throw std::runtime_error("no rigid body");
  }
  GasSetup& run() { return run_; }

 private:
  bool soft_;
  GasSetup run_;
};

// A body as heavy as the gas it displaces stays where it is.
TEST(ImmersedBody, NeutralBodiesFloat) {
  for (const bool soft : {false, true})
    for (const char* shape : {"box", "ellipsoid"}) {
      Immersed body(soft, air, 0.3, shape);
      body.run().advance(2);
      EXPECT_LT(norm(body.velocity()), 1e-3 * g * 0.004) << soft << shape;
      if (!soft) {
        EXPECT_LT(norm(body.rigid().angular_velocity(0)), 1e-6);
      }
    }
}

// From rest a ball accelerates by (1 - s)/(s + C) g: half of the gas it displaces goes along, C = 1/2 + 7/4 V/L^3 in a
// closed cube. Gas keeps 5 % of every voxel, and points know 2 % less of each other than a finer grid would: both are
// errors of C alone.
TEST(ImmersedBody, BallsAccelerateAgainstTheirAddedMass) {
  for (const bool soft : {false, true})
    for (const double s : {0.2, 2.0, 20.0})
      for (const double size : {0.08, 0.2, 0.3}) {
        Immersed body(soft, s * air, size, "ellipsoid");
        body.run().advance(1);
        const double added = 0.5 + 1.748 * M_PI / 6 * std::pow(size / 1.2, 3);
        const double expected = (1 - s) / (s + added) * g, found = body.velocity().y * 500;
        fmt::print("{} ball of {} m, density {} of the gas: {:.4f} of {:.4f} m/s^2 ({:+.1f} %)\n",
                   soft ? "soft" : "rigid", size, s, found, expected, 100 * (found / expected - 1));
        EXPECT_NEAR(found, expected, 0.07 / (s + added) * std::abs(expected)) << soft << s << size;
      }
}

// Hung on a spring per volume k a body rests (rho - rho_gas) g/k below its place, however it is cut into points.
TEST(ImmersedBody, ASpringCarriesTheWeightLessThatOfTheGas) {
  for (const double density : {0.6, 3.0}) {
    const double k = 1e3;
    Immersed body(false, density, 0.2, "box", fmt::format("  - follow: {{surface: body, stiffness: {}}}\n", k), 2, 16);
    body.run().advance(6);
    const double expected = -(density - air) * g / k;
    EXPECT_NEAR(body.rigid().poses()[0].position.y, expected, 0.01 * std::abs(expected)) << density;
  }
}

}  // namespace
}  // namespace ymir::verification
