// Strands that do not converge at once: they get through a substep in parts of their own, see everything that moves at
// the times of those parts, and hold up nobody.
#include "ymir/objects/strand_retry.h"

#include <fmt/format.h>

#include <limits>

#include "strands_run.h"
#include "ymir/actions/strand_contact.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81;

// Advances objects without the demand that nothing is halved.
void step(CurvesObject& object, double time, double dt) {
  const Step step{0, 0, 0, time, dt};
  object.save();
  if (object.moving_roots()) object.place_roots(step);
  object.prepare(step);
  object.advance(step);
}

Vec3d mean_velocity(const CurvesObject& object) {
  Vec3d sum{0, 0, 0};
  double mass = 0;
  const RodChannels& c = object.rod_channels();
  for (const Strand& s : object.strands().copy_all())
    for (std::size_t i = 1; i < static_cast<std::size_t>(s.vertices); ++i) {
      for (int k = 0; k < 3; ++k) sum[k] += s.channel(c.mass)[i] * s.channel(c.velocity + k)[i];
      mass += s.channel(c.mass)[i];
    }
  return sum / mass;
}

// A conveyor at 1 m/s carries what lies on it at 1 m/s, in however many parts its strands are solved, with the
// iterations that the user allows them.
TEST(StrandInParts, IsCarriedByItsPartOfTheCollidersMotion) {
  for (const double friction : {0.5, 2.0})
    for (const int iterations : {1, 2, 3, 200}) {
      StrandsCase c;
      c.radius = 1e-4;
      c.mass = 4e-5;
      c.bend = 2.7e-7;
      c.twist = 2e-7;
      c.stretch = 110;
      c.clamped = false;
      c.newton = {1e-4, iterations};
      for (int k = 0; k < 3; ++k) c.strands.push_back(line({0, 6e-4, 0.02 * k}, {0.11, 6e-4, 0.02 * k}, 11));
      Collider conveyor;
      conveyor.distance = [](Vec3d x) { return DistanceSample{x.y, {0, 1, 0}}; };
      conveyor.pose = [](double time) { return RigidTransform{{}, {time, 0, 0}}; };
      PenaltyParams params;
      params.friction = friction;
      StrandsRun run;
      CurvesObject& object = run.add(c);
      add_strand_contact(object, "collider", conveyor, params);
      run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g * v.mass, 0}; };
      run.start();
      double fastest = 0;
      constexpr double dt = 1.0 / 48;
      for (int k = 0; k < 48; ++k) {
        step(object, k * dt, dt);
        fastest = std::max(fastest, object.report().speed);
      }
      fmt::print(
          "friction {}, {} iterations: {} strand steps in parts, fastest vertex {:.4f} m/s, at last {:.4f} m/s\n",
          friction, iterations, object.local_halvings(), fastest, mean_velocity(object).x);
      if (iterations < 3) EXPECT_GT(object.local_halvings(), 0);
      EXPECT_NEAR(mean_velocity(object).x, 1, 1e-3);
      EXPECT_LT(fastest, 1.1);
    }
}

// Roots on a turning table, too: at the end of each part they are where the table is then.
TEST(StrandInParts, FollowsItsRootOnAnArc) {
  StrandsCase c;
  c.strands = {line({0.1, 0, 0}, {0.3, 0, 0}, 8)};
  c.bend = 1e-7;
  c.twist = 1e-7;
  c.mass = 1e-5;
  c.radius = 4e-5;
  c.newton = {1e-4, 2};
  StrandsRun run;
  CurvesObject& object = run.add(c);
  std::vector<double> asked;
  object.set_root_motion(
      {"table", {}, [&](std::int64_t, double time) {
         asked.push_back(time);
         const double a = 10 * time;
         return RootFrame{{0.1 * std::cos(a), 0, -0.1 * std::sin(a)}, {std::cos(a), 0, -std::sin(a)}, {0, 1, 0}};
       }});
  run.start();
  constexpr double dt = 0.05;
  for (int k = 0; k < 10; ++k) {
    asked.clear();
    step(object, k * dt, dt);
    const double a = 10 * (k + 1) * dt;
    EXPECT_LT(norm(run.position(0, 0, 0) - Vec3d{0.1 * std::cos(a), 0, -0.1 * std::sin(a)}), 1e-12);
    for (const double t : asked) {
      EXPECT_GT(t, k * dt - 1e-12);
      EXPECT_LT(t, (k + 1) * dt + 1e-12);
    }
    EXPECT_LT(object.report().speed, 10 * 0.3 * 3);  // as fast as the table and the swing of the strand on it
  }
  EXPECT_GT(object.local_halvings(), 0);
}

// One strand in a state that it does not get out of in a few iterations: its vertices fly apart.
TEST(BadStrand, IsCountedAndNamedAndLeavesTheOthersAlone) {
  const auto make = [](StrandsRun& run, bool bad) -> CurvesObject& {
    StrandsCase c;
    for (int k = 0; k < 9; ++k) c.strands.push_back(line({0.1 * k, 0, 0}, {0.1 * k, 0, 0.2}, 12));
    c.bend = 1e-8;
    c.twist = 1e-8;
    c.stretch = 20;
    c.mass = 7e-6;
    c.radius = 4e-5;
    c.newton = {1e-4, 8};
    CurvesObject& object = run.add(c);
    run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g * v.mass, 0}; };
    run.start();
    if (bad)
      for (int i = 2; i < 12; ++i) run.set_velocity(0, 5, i, {i % 2 == 0 ? 3e4 : -3e4, 1e4 * (i % 3), -2e4});
    return object;
  };
  StrandsRun sound_run, bad_run;
  CurvesObject &sound = make(sound_run, false), &bad = make(bad_run, true);
  std::int64_t left = 0, retries = 0;
  for (int k = 0; k < 12; ++k) {
    step(sound, k / 48.0, 1.0 / 48);
    step(bad, k / 48.0, 1.0 / 48);
    ASSERT_EQ(bad.solve_report().status, SolveReport::Status::converged) << k;
    ASSERT_FALSE(bad.non_finite()) << k;
    const ObjectReport report = bad.report();
    if (report.unconverged > 0) {
      EXPECT_EQ(report.worst, "strand 5");
      EXPECT_GE(report.residual, 1e-4);
    }
    left += report.unconverged;
    retries += report.retries;
    EXPECT_EQ(report.solves, 9);
    for (std::int64_t s = 0; s < 9; ++s) {
      if (s == 5) continue;
      for (int i = 0; i <= 12; ++i) EXPECT_EQ(bad_run.position(0, s, i), sound_run.position(0, s, i)) << s << ' ' << i;
    }
  }
  const ObjectReport last = bad.report();
  fmt::print("bad strand: {} steps in parts, {} taken above the tolerance, {:.3g} m/s and stretched {:.2g} at last\n",
             retries, left, last.speed, last.stretch);
  EXPECT_GT(retries, 0);
  EXPECT_LT(last.speed, 10);
  EXPECT_LT(last.stretch, 0.5);
  EXPECT_EQ(sound.report().unconverged, 0);
}

// Forces beyond all bounds are not a strand's fault: the substep fails and says which strand.
TEST(BadStrand, FailsUnderForcesThatAreNone) {
  for (const double force : {1e300, std::numeric_limits<double>::quiet_NaN()}) {
    StrandsCase c;
    c.strands = {line({0, 0, 0}, {0.2, 0, 0}, 8), line({0, 0, 0.1}, {0.2, 0, 0.1}, 8)};
    c.newton = {1e-4, 30};
    StrandsRun run;
    CurvesObject& object = run.add(c);
    run.load = [&](const StrandsRun::Vertex& v) { return Vec3d{0, v.strand == 1 && v.vertex == 4 ? force : 0, 0}; };
    run.start();
    step(object, 0, 1.0 / 24);
    EXPECT_EQ(object.solve_report().status, SolveReport::Status::failed);
    EXPECT_EQ(object.solve_report().worst_object, "strands0, strand 1");
  }
}

// What a report says of the state, against a rod in uniform motion.
TEST(StrandReport, KnowsSpeedStretchAndDepth) {
  StrandsCase c;
  c.strands = {line({0, 0, 0}, {1, 0, 0}, 10)};
  c.clamped = false;
  StrandsRun run;
  CurvesObject& object = run.add(c);
  Collider floor;
  floor.distance = [](Vec3d x) { return DistanceSample{x.y + 0.5, {0, 1, 0}}; };
  PenaltyParams weak;
  weak.stiffness = 1e-9;
  add_strand_contact(object, "collider", floor, weak);
  run.start();
  for (int i = 0; i <= 10; ++i) run.set_velocity(0, 0, i, {0, -3, 4});
  step(object, 0, 0.2);
  const ObjectReport report = object.report();
  EXPECT_NEAR(report.speed, 5, 1e-6);
  EXPECT_NEAR(report.courant, 5 * 0.2 / 0.1, 1e-5);
  EXPECT_NEAR(report.stretch, 0, 1e-9);
  EXPECT_NEAR(report.penetration, 0.1, 1e-6);
}

}  // namespace
}  // namespace ymir::verification
