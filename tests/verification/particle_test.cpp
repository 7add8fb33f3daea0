// Particles against exact solutions.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "particle_run.h"
#include "ymir/cache/formats/vdb.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81;

TEST(BallisticParticle, WithLinearDragConvergesToTheExactSolutionAtSecondOrder) {
  // v' = -g e_y - v / tau, tau = m / (6 pi mu r).
  const double r = 1e-3, density = 2e4, mu = 0.01;
  const double tau = 4.0 / 3.0 * M_PI * r * r * r * density / (6 * M_PI * mu * r);
  const Vec3d v0{3, 5, -1}, x0{0.1, 1, 0.2};
  const double t = 0.5;
  const double decay = std::exp(-t / tau);
  const Vec3d settle{0, -g * tau, 0};
  const Vec3d exact = x0 + settle * t + (v0 - settle) * (tau * (1 - decay));

  std::vector<double> errors;
  for (const int substeps : {50, 100, 200, 400}) {
    const Particle end =
        run_particle({x0, v0}, fmt::format("{{frames: [1, 5], fps: 10, substeps: {}}}", substeps),
                     "  - gravity\n  - particle_object: {points: start, radius: 1 mm, density: 20 g/cm^3}\n"
                     "  - drag: {law: linear, viscosity: 0.01 Pa*s}\n");
    errors.push_back(norm(end.position - exact));
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    const double order = std::log2(errors[i - 1] / errors[i]);
    fmt::print("substeps {}: error {:.3e} m, order {:.3f}\n", 50 << i, errors[i], order);
    EXPECT_NEAR(order, 2, 0.05);
  }
  EXPECT_LT(errors.back(), 1e-7);
}

TEST(BallisticParticle, WithoutDragFollowsItsParabolaExactly) {
  for (const int substeps : {1, 4}) {
    const Particle end =
        run_particle({{0, 100, 0}, {2, 3, 0}}, fmt::format("{{frames: [1, 24], fps: 24, substeps: {}}}", substeps),
                     "  - gravity\n  - particle_object: {points: start}\n");
    EXPECT_NEAR(end.position.y, 100 + 3 - g / 2, 1e-11) << substeps;
    EXPECT_NEAR(end.velocity.y, 3 - g, 1e-11) << substeps;
    EXPECT_NEAR(end.position.x, 2, 1e-12) << substeps;
  }
}

TEST(TerminalVelocity, OfQuadraticDragIsRightAtAnySubstep) {
  // m g = rho_f C pi r^2 v^2 / 2.
  const double r = 1e-3, density = 1000, air = 1.225, coefficient = 0.47;
  const double exact = std::sqrt(8 * r * density * g / (3 * coefficient * air));
  for (const int substeps : {1, 10, 100, 1000}) {
    const Particle end =
        run_particle({{0, 0, 0}, {0, 0, 0}}, fmt::format("{{frames: [1, 80], fps: 10, substeps: {}}}", substeps),
                     "  - gravity\n  - particle_object: {points: start, radius: 1 mm, density: 1 g/cm^3}\n"
                     "  - drag: {law: quadratic}\n");
    fmt::print("substep {:g} s: {:.6f} m/s, exact {:.6f} m/s, error {:.2e}\n", 0.1 / substeps, -end.velocity.y, exact,
               std::abs(-end.velocity.y / exact - 1));
    EXPECT_NEAR(-end.velocity.y / exact, 1, 1e-3);
  }
}

// Highest point after the first bounce, of a fall from rest by `height` onto something at y = 0.
double rebound_height(const std::string& collider, double radius, double height) {
  double lowest = height, highest = 0;
  bool bounced = false;
  run_particle({{0, height + radius, 0}, {0, 0, 0}}, "{frames: [1, 900], fps: 1000, substeps: 10}",
               "  - gravity\n  - particle_object: {points: start, radius: 5 mm}\n" + collider,
               [&](double, const Particle& p) {
                 const double y = p.position.y - radius;
                 if (p.velocity.y > 0.1) bounced = true;
                 if (bounced && p.velocity.y <= 0 && highest > 0) return;
                 if (bounced) highest = std::max(highest, y);
                 lowest = std::min(lowest, y);
               });
  EXPECT_GT(lowest, -1e-9) << "went through the collider";
  return highest;
}

TEST(Restitution, OnAPlaneGivesTheSquareOfTheCoefficientTimesTheHeight) {
  const double height = 1, e = 0.7;
  const double measured = rebound_height("  - collider: {shape: plane, restitution: 0.7}\n", 5e-3, height);
  fmt::print("plane: rebound {:.5f} m, exact {:.5f} m\n", measured, e * e * height);
  EXPECT_NEAR(measured / (e * e * height), 1, 2e-3);
}

TEST(Restitution, OnASphereGivesTheSquareOfTheCoefficientTimesTheHeight) {
  const double height = 1, e = 0.5;
  const double measured = rebound_height(
      "  - collider: {shape: sphere, center: [0, -0.5, 0], radius: 0.5, restitution: 0.5}\n", 5e-3, height);
  fmt::print("sphere: rebound {:.5f} m, exact {:.5f} m\n", measured, e * e * height);
  EXPECT_NEAR(measured / (e * e * height), 1, 2e-3);
}

// Speed along the slope after one second of a point laid on an incline of 30 degrees.
double slide(double friction) {
  const double angle = M_PI / 6, r = 5e-3;
  const Vec3d normal{-std::sin(angle), std::cos(angle), 0};
  const Particle end =
      run_particle({normal * r, {0, 0, 0}}, "{frames: [1, 24], fps: 24, substeps: 4}",
                   "  - gravity\n  - particle_object: {points: start, radius: 5 mm}\n" +
                       fmt::format("  - collider: {{rotation: [0, 0, 30 deg], friction: {:.15g}}}\n", friction));
  EXPECT_NEAR(dot(end.position, normal), r, 1e-9) << "left the incline";
  return norm(end.velocity);
}

TEST(FrictionOnAnIncline, HoldsAboveTheTangentAndSlidesBelowIt) {
  const double angle = M_PI / 6, threshold = std::tan(angle);
  EXPECT_LT(slide(threshold * 1.001), 1e-12);
  for (const double friction : {threshold * 0.999, threshold * 0.5, 0.0}) {
    const double exact = g * (std::sin(angle) - friction * std::cos(angle));
    const double measured = slide(friction);
    fmt::print("friction {:.4f}: acceleration {:.6f} m/s^2, exact {:.6f}\n", friction, measured, exact);
    EXPECT_NEAR(measured, exact, 1e-6);
  }
}

TEST(VolumeField, PushesPointsByWhatTheFileHolds) {
  if (!has_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  // a = (2, 0, 1) m/s^2 in 16^3 voxels of 10 cm around the origin, nothing elsewhere.
  VolumeGrid grid;
  grid.name = "force";
  grid.components = 3;
  grid.voxel = 0.1;
  for (int z = -1; z <= 0; ++z)
    for (int y = -1; y <= 0; ++y)
      for (int x = -1; x <= 0; ++x) grid.blocks.push_back({x, y, z});
  for (std::size_t v = 0; v < grid.blocks.size() * VolumeGrid::block_voxels; ++v)
    grid.values.insert(grid.values.end(), {2, 0, 1});
  const auto file = std::filesystem::temp_directory_path() / ("ymir_field_" + std::to_string(getpid()) + ".vdb");
  write_vdb(file, {{grid}, {}, {}});
  const Particle end = run_particle(
      {{0, 0, 0}, {0, 0, 0}}, "{frames: [1, 12], fps: 24, substeps: 8}",
      "  - particle_object: {points: start}\n  - force_field: {acceleration: {kind: volume, volume: wind}}\n",
      [](double, const Particle&) {}, "", "", ", wind: {volume: " + file.string() + "}");
  std::filesystem::remove(file);
  EXPECT_NEAR(end.velocity.x, 1, 1e-9);
  EXPECT_NEAR(end.velocity.y, 0, 1e-12);
  EXPECT_NEAR(end.velocity.z, 0.5, 1e-9);
}

// The narrowest scope wins: default < behavior < object < primitive channel.
TEST(SparseParameters, TheNarrowestScopeDecides) {
  const auto speed_after_a_second = [](const std::string& gravity, const std::string& overrides,
                                       const std::string& channel) {
    const Particle end = run_particle(
        {{0, 0, 0}, {0, 0, 0}}, "{frames: [1, 24], fps: 24}",
        "  - gravity" + gravity + "\n  - particle_object: {points: start}\n", [](double, const Particle&) {}, overrides,
        channel);
    return -end.velocity.y;
  };
  const std::string behavior = ": {acceleration: [0, -2, 0]}", object = "acceleration: [0, -3, 0]",
                    primitive = "0 -4 0";
  EXPECT_NEAR(speed_after_a_second("", "", ""), 9.81, 1e-12);
  EXPECT_NEAR(speed_after_a_second(behavior, "", ""), 2, 1e-12);
  EXPECT_NEAR(speed_after_a_second(behavior, object, ""), 3, 1e-12);
  EXPECT_NEAR(speed_after_a_second(behavior, object, primitive), 4, 1e-12);
}

TEST(Vortex, CarriesATracerOnACircle) {
  // A light particle in a vortex without inflow circles the axis at the speed of the air; inertia drifts it outwards a
  // little.
  const Particle end =
      run_particle({{0.5, 0, 0}, {0, 0, -1}}, "{frames: [1, 12], fps: 24, substeps: 64}",
                   "  - particle_object: {points: start, radius: 10 um, density: 10}\n"
                   "  - drag: {law: linear, viscosity: 1 Pa*s, wind: {kind: vortex, swirl: 1, core_radius: 0.5}}\n");
  EXPECT_NEAR(norm(end.position), 0.5, 2e-3);
  const double turned = std::atan2(-end.position.z, end.position.x);
  EXPECT_NEAR(turned, 0.5 / 0.5, 5e-3);
}

}  // namespace
}  // namespace ymir::verification
