// Two strands on one object, painted with two values: each does what theory says for its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "ymir/behaviors/register.h"
#include "ymir/physics/fluid/drag_laws.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

constexpr double g = 9.81, radius = 1e-3, density = 1000;  // [m/s^2], [m], [kg/m^3]
const double area = M_PI * radius * radius, second_moment = M_PI * std::pow(radius, 4) / 4;

struct Motion {
  std::vector<Vec3d> position, velocity;  // from root to tip
};

class PaintedParameters : public testing::Test {
 protected:
  PaintedParameters()
      : file_(std::filesystem::path(testing::TempDir()) /
              (std::string("ymir_parameters_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
               ".ply")) {}
  ~PaintedParameters() override { std::filesystem::remove(file_); }

  // Strands of one shape, 0.5 m apart in z, each with its value of the channel.
  void write(const std::vector<Vec3d>& shape, const std::string& channel, const std::vector<double>& values) const {
    std::ofstream out(file_);
    out << "ply\nformat ascii 1.0\nelement vertex " << shape.size() * values.size()
        << "\nproperty double x\nproperty double y\nproperty double z\nproperty int strand\nproperty double " << channel
        << "\nend_header\n";
    for (std::size_t s = 0; s < values.size(); ++s)
      for (const Vec3d& x : shape)
        out << fmt::format("{:.17g} {:.17g} {:.17g} {} {:.17g}\n", x.x, x.y, x.z + 0.5 * static_cast<double>(s), s,
                           values[s]);
  }

  std::array<Motion, 2> run(int frames, int substeps, const std::string& curves, const std::string& behaviors,
                            const std::string& overrides = "{}") const {
    const std::string text = fmt::format(
        "ymir: 1\ntime: {{frames: [1, {}], fps: 25, substeps: {}}}\ninputs:\n  strands: {{curves: {}, overrides: {}}}\n"
        "  bar: {{shape: box, size: [4, 1, 4], center: [0, 0.5, 0]}}\n"
        "setup:\n  - gravity\n  - curves_object: {{curves: strands, radius: 1 mm, density: 1000, tolerance: "
        "1e-9{}}}\n{}",
        frames, substeps, file_.string(), overrides, curves, behaviors);
    const Registry registry = all_behaviors();
    const ReadResult read = read_setup_text(text, "painted.yaml", registry);
    EXPECT_TRUE(read.setup) << to_string(read.diagnostics);
    std::array<Motion, 2> found;
    if (!read.setup) return found;
    Communicator alone;
    const BuiltSimulation built = build(*read.setup, alone);
    built.simulation->ingest();
    for (int frame = 1; frame <= frames; ++frame) built.simulation->advance_frame(frame);
    for (const ObjectState& object : built.simulation->frame(frames).objects) {
      if (object.kind != "curves") continue;
      const auto x = object.channels.at("position").as<Vec3f>(), v = object.channels.at("velocity").as<Vec3f>();
      for (std::size_t i = 0; i < x.size(); ++i) {
        Motion& motion = found[i * 2 / x.size()];
        motion.position.emplace_back(x[i]);
        motion.velocity.emplace_back(v[i]);
      }
    }
    return found;
  }

  static std::vector<Vec3d> along(Vec3d direction, double length, int edges) {
    std::vector<Vec3d> x;
    for (int i = 0; i <= edges; ++i) x.push_back(direction * (length * i / edges));
    return x;
  }

  std::filesystem::path file_;
};

// 2 k C = m g: a strand on half the stiffness hangs twice as deep.
TEST_F(PaintedParameters, AttachmentsOfTwiceTheStiffnessGiveHalfAsMuch) {
  constexpr double length = 0.1, k = 0.5;
  write(along({0, -1, 0}, length, 8), "normal_stiffness", {k, 2 * k});
  const auto at = run(50, 4, ", clamp_roots: false",
                      "  - elastic_rod: {youngs_modulus: 1 GPa}\n"
                      "  - attachment: {surface: bar, hard: false, attachment_relaxation_time: 40 ms}\n");
  const double weight = density * area * length * g;
  EXPECT_NEAR(-at[0].position[0].y, weight / (2 * k), 2e-3 * weight / (2 * k));
  EXPECT_NEAR(at[0].position[0].y / at[1].position[0].y, 2, 2e-3);
}

// A critically damped strand creeps to its rest; an undamped one still swings with most of its first amplitude C.
TEST_F(PaintedParameters, AttachmentsAreDampedEachByItsOwn) {
  constexpr double length = 0.1, k = 0.05;
  const double mass = density * area * length, omega = std::sqrt(2 * k / mass), rest = -mass * g / (2 * k);
  write(along({0, -1, 0}, length, 8), "attachment_relaxation_time", {0, 2 / omega});
  const int period = static_cast<int>(std::lround(2 * M_PI / omega * 25));  // frames
  double most[2] = {};
  for (int frame = 2 * period; frame < 3 * period; frame += 2) {
    const auto at = run(frame, 40, ", clamp_roots: false",
                        "  - elastic_rod: {youngs_modulus: 1 GPa}\n"
                        "  - attachment: {surface: bar, hard: false, normal_stiffness: 0.05}\n");
    for (std::size_t s = 0; s < 2; ++s) most[s] = std::max(most[s], std::abs(at[s].position[0].y - rest));
  }
  EXPECT_GT(most[0], 0.6 * std::abs(rest));
  EXPECT_LT(most[1], 0.02 * std::abs(rest));
}

// A vector, which files of points do not hold: given to all strands of the input.
TEST_F(PaintedParameters, OrientationsAreHeldAsTheInputSays) {
  write(along({1, 0, 0}, 0.1, 8), "bend", {1, 1});
  const auto held = [&](const std::string& plain, const std::string& overrides) {
    return run(10, 2, ", clamp_roots: false",
               "  - elastic_rod: {youngs_modulus: 50 MPa}\n  - attachment: {surface: bar, hard: false" + plain + "}\n",
               overrides);
  };
  const auto given = held(", orientation_stiffness: [0.01, 0.01, 0.01]", "{}");
  const auto painted = held("", "{orientation_stiffness: [0.01, 0.01, 0.01]}");
  const auto loose = held("", "{}");
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(norm(given[0].position[i] - painted[0].position[i]), 0);
  EXPECT_GT(norm(given[0].position[8] - loose[0].position[8]), 0.01);
}

// Free fall of backward Euler, y = -g t (t + dt)/2, and a fall at which drag carries the weight.
TEST_F(PaintedParameters, WithoutDragStrandsFallFreely) {
  constexpr double length = 0.1;
  write(along({1, 0, 0}, length, 8), "drag_strength", {0, 1});
  const int frames = 100, substeps = 2;
  const auto at = run(frames, substeps, ", clamp_roots: false", "  - elastic_rod\n  - drag\n");
  const double t = frames / 25.0, dt = 1 / 25.0 / substeps;
  EXPECT_NEAR(at[0].velocity[4].y, -g * t, 1e-5 * g * t);
  EXPECT_NEAR(at[0].position[4].y, -g * t * (t + dt) / 2, 1e-5 * g * t * t);
  const Vec3d w{0, -at[1].velocity[4].y, 0};
  const double drag = fibre_drag({1.225, 1.81e-5}, 2 * radius, length, {1, 0, 0}, w).force.y;
  EXPECT_NEAR(drag, density * area * length * g, 2e-3 * density * area * length * g);
  EXPECT_LT(w.y, 0.25 * g * t);
}

// q L^4/(8 E I), and nothing.
TEST_F(PaintedParameters, CompensatedStrandsStayAndOthersSag) {
  constexpr double length = 0.1, e = 1e8;
  const double q = density * area * g, sag = q * std::pow(length, 4) / (8 * e * second_moment);
  write(along({1, 0, 0}, length, 32), "gravity_compensation", {0, 1});
  const auto at = run(50, 2, "", "  - elastic_rod: {youngs_modulus: 100 MPa, relaxation_time: 0.2 s}\n");
  ASSERT_LT(sag, 0.06 * length);
  EXPECT_NEAR(-at[0].position.back().y, sag, 0.01 * sag);
  EXPECT_LT(std::abs(at[1].position.back().y), 1e-6 * length);
}

// Loaded once, friction inside carries up to EI cm of the moment: curvature max(0, M/EI - cm).
TEST_F(PaintedParameters, InternalFrictionCarriesPartOfALoad) {
  constexpr double length = 0.1, e = 5e7, saturation = 0.3;
  const double q = density * area * g, ei = e * second_moment, sag = q * std::pow(length, 4) / (8 * ei);
  write(along({1, 0, 0}, length, 64), "internal_friction_saturation", {0, saturation});
  const auto at = run(100, 2, "",
                      "  - elastic_rod: {youngs_modulus: 50 MPa, relaxation_time: 0.5 s, internal_friction: {length: "
                      "0.01}}\n");
  const double held = std::sqrt(2 * ei * saturation / q);  // from the tip: it does not bend there
  ASSERT_LT(held, 0.6 * length);
  const double less = sag * (1 - std::pow(held / length, 4)) - saturation / 2 * (length * length - held * held);
  EXPECT_NEAR(-at[0].position.back().y, sag, 0.01 * sag);
  EXPECT_NEAR(-at[1].position.back().y, less, 0.03 * less);
}

// A close coil is a spring of torsion, 2 pi n R^3 F/(G J) longer for the mean load F = W/2, whatever E is.
TEST_F(PaintedParameters, CoilsOfHalfTheShearModulusStretchTwiceAsFar) {
  constexpr double coil = 0.01, pitch = 2e-3, shear = 4e7;
  constexpr int turns = 6, per_turn = 24;
  std::vector<Vec3d> shape;
  for (int i = 0; i <= turns * per_turn; ++i) {
    const double angle = 2 * M_PI * i / per_turn;
    shape.push_back({coil * std::cos(angle), -pitch * i / per_turn, coil * std::sin(angle)});
  }
  write(shape, "shear_modulus", {shear, 2 * shear});
  const auto at = run(75, 2, "", "  - elastic_rod: {youngs_modulus: 100 MPa, relaxation_time: 0.1 s}\n");
  const auto longer = [&](std::size_t s) { return shape.back().y - at[s].position.back().y; };
  const double load = density * area * 2 * M_PI * coil * turns * g / 2, torsion = 2 * second_moment;
  const double theory = 2 * M_PI * turns * std::pow(coil, 3) * load / (shear * torsion);
  EXPECT_NEAR(longer(0) / longer(1), 2, 0.06);
  EXPECT_NEAR(longer(0), theory, 0.06 * theory);
}

}  // namespace
}  // namespace ymir
