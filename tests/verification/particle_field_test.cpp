// Particles in prescribed fields: closed orbits, and second order in time.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <vector>

#include "particle_run.h"

namespace ymir::verification {
namespace {

using Complex = std::complex<double>;

std::vector<double> orders(const std::vector<double>& errors) {
  std::vector<double> found;
  for (std::size_t i = 1; i < errors.size(); ++i) found.push_back(std::log2(errors[i - 1] / errors[i]));
  return found;
}

// Air that turns about y as a whole near the axis: a vortex with a very wide core. u = rate (y x (x - center)).
std::string rigid_rotation(double rate, Vec3d center = {0, 0, 0}) {
  const double core = 1e4;
  return fmt::format("{{kind: vortex, center: [{}, {}, {}], swirl: {:.17g}, core_radius: {}}}", center.x, center.y,
                     center.z, rate * core / std::sqrt(2.0), core);
}

// A position in the plane across y, so that a turn by y is a multiplication by i.
Complex across(Vec3d x) { return {x.x, -x.z}; }
Vec3d from_across(Complex z) { return {z.real(), 0, -z.imag()}; }

const char* const tracer = "  - particle_object: {points: start, radius: 10 um, density: 10}\n";

TEST(Tracer, InRigidRotationIsSecondOrderInTimeAndKeepsItsRadius) {
  const double rate = 3;
  std::vector<double> errors;
  for (const int substeps : {1, 2, 4, 8, 16}) {
    const Particle end = run_particle(
        {{0.5, 0, 0}, from_across(Complex(0, 0.5 * rate))},
        fmt::format("{{frames: [1, 24], fps: 24, substeps: {}}}", substeps),
        std::string(tracer) + "  - drag: {law: linear, viscosity: 1 Pa*s, wind: " + rigid_rotation(rate) + "}\n");
    errors.push_back(std::abs(across(end.position) - 0.5 * std::exp(Complex(0, rate))));
    EXPECT_NEAR(std::abs(across(end.position)), 0.5, 2e-5) << substeps << " substeps per frame";
  }
  for (const double order : orders(errors)) {
    fmt::print("rigid rotation: order {:.3f}\n", order);
    EXPECT_NEAR(order, 2, 0.1);
  }
  fmt::print("error {:.2e} m at 1 substep, {:.2e} m at 16\n", errors.front(), errors.back());
}

// Round after round, at any substep, anywhere.
TEST(Tracer, InAVortexStaysOnItsCircle) {
  for (const double shift : {0.0, 100.0})
    for (const int substeps : {1, 2, 4, 8}) {
      const Particle end = run_particle(
          {{0.1 + shift, 0, 0}, {0, 0, 0}}, fmt::format("{{frames: [1, 24], fps: 24, substeps: {}}}", substeps),
          "  - particle_object: {points: start, radius: 1 mm, density: 10}\n"
          "  - drag: {law: linear, viscosity: 1 Pa*s, wind: {kind: vortex, swirl: 2, core_radius: 0.3, center: [" +
              fmt::format("{}", shift) + ", 0, 0]}}\n");
      const double r = norm(end.position - Vec3d{shift, 0, 0});
      fmt::print("vortex at {} m, {} substeps: r = {:.5f} m\n", shift, substeps, r);
      EXPECT_NEAR(r, 0.1, 1e-3);
    }
}

TEST(Tracer, InATurnedVortexStaysOnItsCircleForTenSeconds) {
  // Axis at 30 degrees from y in the plane of y and z; the start is across it.
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
  const Particle end = run_particle(
      {{0, -0.1 * s, 0.1 * c}, {0, 0, 0}}, "{frames: [1, 240], fps: 24, substeps: 2}",
      "  - particle_object: {points: start, radius: 100 um, density: 10}\n" +
          fmt::format("  - drag: {{law: linear, viscosity: 1 Pa*s, wind: {{kind: vortex, swirl: 2, core_radius: 0.3, "
                      "axis: [0, {:.17g}, {:.17g}]}}}}\n",
                      c, s));
  EXPECT_NEAR(norm(end.position), 0.1, 1e-3);
  EXPECT_NEAR(dot(end.position, Vec3d{0, c, s}), 0, 1e-9);
}

// x'' = (u(x) - x') / tau with u = i rate x: two exponentials.
TEST(HeavyParticle, InRigidRotationIsSecondOrderAtAnyInertia) {
  const double rate = 3, r = 1e-3, density = 2e4;
  for (const double inertia : {0.03, 0.3, 3.0}) {
    const double tau = inertia / rate;
    const double viscosity = 2 * r * r * density / (9 * tau);
    const Complex root = std::sqrt(Complex(1 / (tau * tau), 4 * rate / tau));
    const Complex fast = 0.5 * (-1 / tau - root), slow = 0.5 * (-1 / tau + root);
    const Complex x0(0.5, 0), v0(0.2, -0.4);
    const Complex b = (v0 - slow * x0) / (fast - slow), a = x0 - b;
    const Complex exact = a * std::exp(slow) + b * std::exp(fast);
    std::vector<double> errors;
    for (const int substeps : {8, 16, 32, 64}) {
      const Particle end = run_particle({from_across(x0), from_across(v0)},
                                        fmt::format("{{frames: [1, 24], fps: 24, substeps: {}}}", substeps),
                                        "  - particle_object: {points: start, radius: 1 mm, density: 20 g/cm^3}\n" +
                                            fmt::format("  - drag: {{law: linear, viscosity: {:.17g}, wind: {}}}\n",
                                                        viscosity, rigid_rotation(rate)));
      errors.push_back(std::abs(across(end.position) - exact));
    }
    for (const double order : orders(errors)) {
      fmt::print("rate x tau = {}: order {:.3f}\n", inertia, order);
      EXPECT_NEAR(order, 2, 0.15);
    }
    fmt::print("rate x tau = {}: error {:.2e} m at 1/1536 s\n", inertia, errors.back());
  }
}

// A vortex as a force: its inflow is a spring, x'' = -k x.
TEST(ForceField, OfASpringKeepsTheAmplitudeAndIsSecondOrderInPhase) {
  const double core = 1e4, k = 40, omega = std::sqrt(k);
  std::vector<double> errors;
  for (const int substeps : {1, 2, 4, 8}) {
    const Particle end = run_particle(
        {{0.5, 0, 0}, {0, 0, 0}}, fmt::format("{{frames: [1, 48], fps: 24, substeps: {}}}", substeps),
        "  - particle_object: {points: start}\n" +
            fmt::format(
                "  - force_field: {{acceleration: {{kind: vortex, swirl: 0, inflow: {:.17g}, core_radius: {}}}}}\n",
                k * core / std::sqrt(2.0), core));
    const double amplitude = std::hypot(end.position.x, end.velocity.x / omega);
    EXPECT_NEAR(amplitude, 0.5, 1e-3) << substeps;
    errors.push_back(std::abs(end.position.x - 0.5 * std::cos(2 * omega)));
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    const double order = std::log2(errors[i - 1] / errors[i]);
    fmt::print("spring: order {:.3f}\n", order);
    if (i > 1) {
      EXPECT_NEAR(order, 2, 0.15);
    }
  }
}

// The only field that changes by itself.
TEST(Tracer, InTurbulenceThatChangesIsSecondOrderInTime) {
  const auto end = [](int substeps) {
    return run_particle({{0.3, 0.2, 0.1}, {0, 0, 0}},
                        fmt::format("{{frames: [1, 12], fps: 24, substeps: {}}}", substeps),
                        std::string(tracer) +
                            "  - drag: {law: linear, viscosity: 1 Pa*s, wind: {kind: curl_noise, strength: 0.5, "
                            "length_scale: 1, octaves: 1, rate: 4 Hz}}\n")
        .position;
  };
  const Vec3d exact = end(1024);
  std::vector<double> errors;
  for (const int substeps : {4, 8, 16, 32}) errors.push_back(norm(end(substeps) - exact));
  for (const double order : orders(errors)) {
    fmt::print("turbulence: order {:.3f}\n", order);
    EXPECT_NEAR(order, 2, 0.25);
  }
}

TEST(Tracer, InjectedAtAnotherSpeedTakesThatOfTheAirWithoutRinging) {
  for (const int substeps : {1, 8}) {
    double before = 0;
    run_particle({{0, 0, 0}, {0, 0, 0}}, fmt::format("{{frames: [1, 12], fps: 24, substeps: {}}}", substeps),
                 "  - particle_object: {points: start, radius: 1 mm, density: 10}\n"
                 "  - drag: {law: linear, viscosity: 1 Pa*s, wind: {value: [10, 0, 0]}}\n",
                 [&](double time, const Particle& now) {
                   EXPECT_GE(now.velocity.x, before - 1e-12);
                   EXPECT_LE(now.velocity.x, 10 + 1e-9);
                   before = now.velocity.x;
                   EXPECT_NEAR(now.position.x, 10 * time, 1e-3);
                 });
    EXPECT_NEAR(before, 10, 1e-6);
  }
}

}  // namespace
}  // namespace ymir::verification
