// Drag of strands in a prescribed wind: terminal speeds, bending, and rest that does not depend on the step.
#include <fmt/format.h>

#include "strands_run.h"
#include "ymir/actions/drag_force.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81;
const Gas air{1.225, 1.81e-5};

PrescribedField uniform(Vec3d wind) {
  VectorField field;
  field.uniform = wind;
  PrescribedField air_field;
  air_field.add(field);
  return air_field;
}

StrandsCase hair(double length, int edges, Vec3d direction, double radius = 4e-5) {
  StrandsCase c;
  const CrossSection section{radius, radius};
  c.strands = {line({0, 0, 0}, direction * length, edges)};
  c.bend = 3.5e9 * section.bending1();
  c.twist = 1.3e9 * section.torsion();
  c.stretch = 3.5e9 * section.area();
  c.mass = 1300 * section.area();
  c.radius = radius;
  c.newton = {1e-4, 30};
  return c;
}

// Another Young's modulus [Pa], with a Poisson ratio of 0.3.
void soften(StrandsCase& c, double modulus) {
  const CrossSection section{c.radius, c.radius};
  c.bend = modulus * section.bending1();
  c.twist = modulus / 2.6 * section.torsion();
  c.stretch = modulus * section.area();
}

void step(CurvesObject& object, double dt) {
  const Step step{0, 0, 0, 0, dt};
  object.save();
  object.prepare(step);
  object.advance(step);
}

// Across the fall a fibre reaches the speed at which the law carries its weight; along it, another.
TEST(StrandDrag, GivesFibresTheirTerminalSpeed) {
  for (const double radius : {2e-5, 4e-5, 1e-3})
    for (const double tilt : {0.0, 90.0}) {
      if (radius > 1e-4 && tilt > 0) continue;  // falls for a minute
      const double a = tilt * M_PI / 180;
      StrandsCase c = hair(0.05, 10, {std::cos(a), std::sin(a), 0}, radius);
      c.clamped = false;
      StrandsRun run;
      CurvesObject& object = run.add(c);
      object.add_force(fibre_drag_force("drag", air, 1, {}));
      run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g * v.mass, 0}; };
      run.start();
      for (int k = 0; k < 250; ++k) step(object, 0.02);
      const double speed = object.report().speed;
      const Vec3d t{std::cos(a), std::sin(a), 0};
      const double carried = fibre_drag(air, 2 * radius, 1, t, {0, speed, 0}).force.y;
      fmt::print("fibre of {:.0e} m, tilted {:.0f} degrees, falls at {:.4f} m/s\n", radius, tilt, speed);
      EXPECT_NEAR(carried / (c.mass * g), 1, 1e-4) << radius << ' ' << tilt;
    }
}

TEST(StrandDrag, BendsAFibreAsALoadAcrossIt) {
  const double length = 0.02, speed = 0.05;
  StrandsCase c = hair(length, 40, {1, 0, 0});
  c.newton = {1e-10, 100};
  StrandsRun run;
  CurvesObject& object = run.add(c);
  object.add_force(fibre_drag_force("drag", air, 1, uniform({0, speed, 0})));
  run.start();
  for (int k = 0; k < 60; ++k) step(object, 1);
  const double load = fibre_drag(air, 2 * c.radius, 1, {1, 0, 0}, {0, speed, 0}).force.y;
  const double expected = load * std::pow(length, 4) / (8 * c.bend), found = run.position(0, 0, 40).y;
  fmt::print("fibre in a breeze: tip at {:.6e} m, load q L^4/8EI {:.6e} m\n", found, expected);
  ASSERT_LT(expected, 0.02 * length);
  EXPECT_NEAR(found / expected, 1, 2e-3);
}

// A hair that streams in the wind comes to rest, at the same place with one substep per frame as with eight.
TEST(StrandDrag, RestsInTheWindWhereSmallStepsPutIt) {
  struct Case {
    double length, radius;
    int edges;
  };
  for (const Case& h : {Case{0.04, 4e-5, 20}, Case{0.04, 4e-5, 40}, Case{0.15, 4e-5, 25}, Case{0.04, 2e-5, 20}})
    for (const double wind : {0.5, 2.0, 8.0, 20.0, 50.0}) {
      Vec3d tips[3];
      int at = 0;
      for (const int substeps : {1, 2, 8}) {
        StrandsCase c = hair(h.length, h.edges, {0, -1, 0}, h.radius);
        StrandsRun run;
        CurvesObject& object = run.add(c);
        object.add_force(fibre_drag_force("drag", air, 1, uniform({wind, 0, 0})));
        run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g * v.mass, 0}; };
        run.start();
        for (int k = 0; k < 48 * substeps; ++k) step(object, 1.0 / 24 / substeps);
        tips[at++] = run.position(0, 0, h.edges);
        EXPECT_LT(object.report().speed, 0.01 * wind) << h.length << ' ' << wind << ' ' << substeps;
        EXPECT_EQ(object.report().unconverged, 0) << h.length << ' ' << wind << ' ' << substeps;
      }
      fmt::print(
          "hair of {} m, {:.0e} m thick, {} edges, wind {} m/s: tip at ({:.2f}, {:.2f}) mm; 2, 8 substeps {:.3f}, "
          "{:.3f} mm off\n",
          h.length, h.radius, h.edges, wind, tips[0].x * 1e3, tips[0].y * 1e3, norm(tips[1] - tips[0]) * 1e3,
          norm(tips[2] - tips[0]) * 1e3);
      EXPECT_LT(norm(tips[1] - tips[0]), 0.01 * h.length) << wind;
      EXPECT_LT(norm(tips[2] - tips[0]), 0.01 * h.length) << wind;
    }
}

// A storm carries a hair farther in one substep than Newton's method converges from. It is brought there all the same,
// and no part of the substep is given up.
TEST(StrandDrag, CarriesACoilAwayInAStorm) {
  const int turns = 4, edges = 64;
  Polyline coil;
  for (int i = 0; i <= edges; ++i) {
    const double s = static_cast<double>(i) / edges, a = 2 * M_PI * turns * s, r = 8e-3 * std::min(1.0, turns * s);
    coil.emplace_back(r * std::cos(a), -6e-3 * turns * s, r * std::sin(a));
  }
  double length = 0;
  for (int i = 0; i < edges; ++i)
    length += norm(coil[static_cast<std::size_t>(i) + 1] - coil[static_cast<std::size_t>(i)]);
  for (const double modulus : {1e9, 4e9})
    for (const double wind : {100.0, 200.0, 300.0})
      for (const int substeps : {1, 2, 8}) {
        StrandsCase c = hair(1, 1, {1, 0, 0}, 5e-5);
        c.strands = {coil};
        soften(c, modulus);
        StrandsRun run;
        CurvesObject& object = run.add(c);
        object.add_force(fibre_drag_force("drag", air, 1, uniform({wind, 0, 0})));
        run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g * v.mass, 0}; };
        run.start();
        for (int k = 0; k < 6 * substeps; ++k) step(object, 1.0 / 24 / substeps);
        const std::string what = fmt::format("{} Pa, {} m/s, {} substeps", modulus, wind, substeps);
        const double reach = run.position(0, 0, edges).x / length;
        fmt::print("coil in a storm, {}: reaches {:.3f} of its length, {} steps retried, {} iterations\n", what, reach,
                   object.local_halvings(), object.newton_iterations());
        EXPECT_EQ(object.unconverged(), 0) << what;
        EXPECT_GT(reach, 0.85) << what;
      }
}

// Rubber gives way so much that halving alone never ends: only damped steps bring it downwind.
TEST(StrandDrag, CarriesAThreadOfRubberAwayInAStorm) {
  const int edges = 32;
  const double length = 0.1, modulus = 1e6, radius = 5e-5;
  for (const double wind : {100.0, 300.0}) {
    StrandsCase c = hair(length, edges, {0, -1, 0}, radius);
    soften(c, modulus);
    StrandsRun run;
    CurvesObject& object = run.add(c);
    object.add_force(fibre_drag_force("drag", air, 1, uniform({wind, 0, 0})));
    run.start();
    for (int k = 0; k < 6; ++k) step(object, 1.0 / 24);
    const double reach = run.position(0, 0, edges).x / length;
    fmt::print("rubber in {} m/s: reaches {:.3f} of its length, {} iterations\n", wind, reach,
               object.newton_iterations());
    EXPECT_EQ(object.unconverged(), 0) << wind;
    EXPECT_GT(reach, 0.99) << wind;
  }
}

// A fibre along the stream is pulled by the drag along it alone: T(s) = kt w (L - s).
TEST(StrandDrag, PullsAStreamingFibreByWhatDragsAlongIt) {
  const double length = 0.1;
  const int edges = 50;
  for (const double wind : {100.0, 300.0})
    for (const int substeps : {1, 8}) {
      StrandsCase c = hair(length, edges, {0, -1, 0});
      c.newton = {1e-9, 100};
      StrandsRun run;
      CurvesObject& object = run.add(c);
      object.add_force(fibre_drag_force("drag", air, 1, uniform({wind, 0, 0})));
      run.start();
      for (int k = 0; k < 24 * substeps; ++k) step(object, 1.0 / 24 / substeps);
      EXPECT_EQ(object.report().unconverged, 0);
      EXPECT_LT(object.report().speed, 1e-3 * wind);
      const double along = fibre_drag(air, 2 * c.radius, 1, {1, 0, 0}, {wind, 0, 0}).force.x;
      double worst = 0;
      for (int i = edges / 4; i < edges; ++i) {
        const double strain = norm(run.position(0, 0, i + 1) - run.position(0, 0, i)) * edges / length - 1;
        const double expected = along * length * (edges - i - 0.5) / edges;
        worst = std::max(worst, std::abs(c.stretch * strain - expected) / (along * length));
      }
      fmt::print("fibre along {} m/s, {} substeps: tension within {:.1e} of that at the root\n", wind, substeps, worst);
      EXPECT_LT(worst, 1e-4) << wind << ' ' << substeps;
    }
}

// What no step is small enough for costs no more than a few steps.
TEST(StrandDrag, GivesUpAHopelessWindAtOnce) {
  StrandsCase c = hair(0.1, 32, {0, -1, 0});
  StrandsRun run;
  CurvesObject& object = run.add(c);
  object.add_force(fibre_drag_force("drag", air, 1, uniform({1e9, 0, 0})));
  run.start();
  step(object, 1.0 / 24);
  EXPECT_EQ(object.solve_report().status, SolveReport::Status::failed);
  EXPECT_LT(object.newton_iterations(), 100);
}

}  // namespace
}  // namespace ymir::verification
