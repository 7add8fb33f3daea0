// Exact Coulomb contact of simulated strands: with a plane, and with each other.
#include "strands_run.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81;  // [m/s^2]

// Four loose rods side by side, 1 m long, of 1 kg/m, 2 cm thick.
StrandsCase rods(const std::vector<Polyline>& lines) {
  StrandsCase c;
  c.strands = lines;
  c.clamped = false;
  c.newton = {1e-9, 60};
  return c;
}

// Acceleration along a slope that is seen level, after half a second [m/s^2]; `strands`: few or many contacts.
double slide(double slope, double mu, int strands) {
  StrandsRun run;
  std::vector<Polyline> lines;
  for (int s = 0; s < strands; ++s) lines.push_back(line({0, 0.01, 0.1 * s}, {1, 0.01, 0.1 * s}, 16));
  CurvesObject& object = run.add(rods(lines));
  run.load = [&](const StrandsRun::Vertex& v) { return Vec3d{-g * std::sin(slope), -g * std::cos(slope), 0} * v.mass; };
  TouchedCollider collider;
  collider.friction = mu;
  collider.objects = {&object};
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  run.solids().add(object);
  run.solids().contacts().add_collider(std::move(collider));
  run.start();
  constexpr double dt = 1.0 / 48;
  for (int k = 0; k < 24; ++k) {
    run.step(dt);
    run.solids().accept();
  }
  return norm(run.momentum()) / (strands * 24 * dt);
}

TEST(StrandCollision, RodsOnASlopeRestOrSlideAsCoulombSays) {
  constexpr double mu = 0.5, degree = 0.017453292519943295;
  for (const int strands : {1, 8}) {
    for (const double angle : {0.0, 26.0}) EXPECT_LT(slide(angle * degree, mu, strands), 1e-3) << angle;
    for (const double angle : {27.0, 40.0}) {
      const double a = g * (std::sin(angle * degree) - mu * std::cos(angle * degree));
      EXPECT_NEAR(slide(angle * degree, mu, strands), a, 1e-3) << angle;
    }
  }
}

// A fibre over a round bar, half a turn in k edges, its tails hanging down: how far the heavier end has gone [m].
double run_off(double mu, double ratio, int k) {
  constexpr double bar = 0.1, thick = 1e-3, pull = 0.2;
  constexpr int tail = 4;
  const double at = bar + thick, side = 2 * at * std::sin(M_PI / (2 * k));
  Polyline wound;
  for (int i = -tail; i <= k + tail; ++i) {
    const double angle = M_PI * std::clamp(i, 0, k) / k, down = i < 0 ? i * side : i > k ? (k - i) * side : 0;
    wound.push_back({-at * std::cos(angle), at * std::sin(angle) + down, 0});
  }
  StrandsCase c = rods({wound});
  c.bend = c.twist = 1e-9;
  c.stretch = 1e5;
  c.mass = 1e-3;
  c.radius = thick;
  StrandsRun run;
  CurvesObject& object = run.add(c);
  const int last = k + 2 * tail;
  run.load = [=](const StrandsRun::Vertex& v) {
    return Vec3d{0, v.vertex == 0 ? -pull : v.vertex == last ? -ratio * pull : 0, 0};
  };
  TouchedCollider collider;
  collider.friction = mu;
  collider.objects = {&object};
  collider.during = [](double, double) {
    const auto distance = [](Vec3d x) {
      const double d = std::hypot(x.x, x.y);
      return DistanceSample{d - bar, {x.x / d, x.y / d, 0}};
    };
    ContactCollider round = rigid_collider(distance, {}, {}, 0, 0);
    round.voxel = 1;  // vertices alone touch
    return round;
  };
  run.solids().add(object);
  run.solids().contacts().add_collider(std::move(collider));
  run.start();
  const double before = run.position(0, 0, last).y;
  for (int i = 0; i < 9; ++i) {
    run.step(0.02);
    run.solids().accept();
  }
  return before - run.position(0, 0, last).y;
}

// Every vertex on the bar turns the fibre by al, the first and the last by half of it.
TEST(StrandCollision, AFibreOverABarHoldsUpToTheRatioOfTheCapstan) {
  for (const double mu : {0.2, 0.5})
    for (const int k : {12, 24}) {
      const auto factor = [&](double x) { return (1 + mu * std::tan(x / 2)) / (1 - mu * std::tan(x / 2)); };
      const double ratio = std::pow(factor(M_PI / k), k - 1) * std::pow(factor(M_PI / k / 2), 2);
      EXPECT_NEAR(ratio, std::exp(mu * M_PI), 0.02 * ratio);
      EXPECT_LT(run_off(mu, 0.98 * ratio, k), 1e-5) << mu << ", " << k;
      EXPECT_GT(run_off(mu, 1.02 * ratio, k), 5e-4) << mu << ", " << k;
    }
}

// A limp strand is pressed on the ground and pulled along it, farther than Newton's method gets in so few iterations:
// it goes through substeps in parts, each with its share of what the ground lets it go.
TEST(StrandCollision, AStrandThatIsAdvancedInPartsStaysAboveTheGround) {
  constexpr double thick = 1e-3, low = 2e-3, dt = 1.0 / 24;
  StrandsCase c = rods({line({0, low, 0}, {0.3, low, 0}, 30), line({0, low, 0.1}, {0.3, low, 0.1}, 30)});
  c.bend = c.twist = 1e-7;
  c.mass = 1e-3;
  c.stretch = 100;
  c.radius = thick;
  c.clamped = true;
  c.newton = {1e-6, 4};
  StrandsRun run;
  CurvesObject& object = run.add(c);
  run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -50, 30} * (v.strand == 0 ? g * v.mass : 0); };
  TouchedCollider ground;
  ground.friction = 0.5;
  ground.objects = {&object};
  ground.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  run.solids().add(object);
  run.solids().contacts().add_collider(std::move(ground));
  run.start();
  double lowest = 1;
  for (int k = 0; k < 12; ++k) {
    const Step step{0, 0, 0, k * dt, dt};
    object.save();
    object.prepare(step);
    run.solids().detect(step);
    run.solids().advance(step);
    object.advance(step);
    EXPECT_EQ(object.solve_report().status, SolveReport::Status::converged);
    run.solids().accept();
    for (int i = 1; i <= 30; ++i) lowest = std::min(lowest, run.position(0, 0, i).y);
  }
  EXPECT_GT(object.local_halvings(), 0);
  EXPECT_EQ(object.unconverged(), 0);
  EXPECT_NEAR(lowest, thick, 1e-6);
  EXPECT_EQ(run.position(0, 1, 30).y, low) << "lanes influence each other";
}

// One rod flies onto another across it: they keep their momentum and do not pass each other.
TEST(StrandCollision, CrossedRodsKeepTheirMomentumAndDoNotPass) {
  for (const double mu : {0.0, 0.5}) {
    StrandsRun run;
    CurvesObject& object =
        run.add(rods({line({-0.5, 0.06, 0.013}, {0.5, 0.06, 0.013}, 15), line({0.02, 0, -0.5}, {0.02, 0, 0.5}, 15)}));
    SolidObject* objects[] = {&object};
    run.solids().add(object);
    TouchParams params;
    params.friction = mu;
    run.solids().contacts().add_family(objects, params, 0);
    run.start();
    for (int i = 0; i <= 15; ++i) run.set_velocity(0, 0, i, {0.5, -2, 0});
    const Vec3d momentum = run.momentum();
    double nearest = 1;
    for (int k = 0; k < 48; ++k) {
      run.step(1.0 / 96);
      run.solids().accept();
      EXPECT_LT(norm(run.momentum() - momentum), 1e-9 * norm(momentum)) << mu;
      double above = 1;  // of the first rod at its middle edges over the second
      for (int i = 6; i <= 9; ++i) above = std::min(above, run.position(0, 0, i).y - run.position(0, 1, i).y);
      nearest = std::min(nearest, above);
    }
    EXPECT_GT(nearest, 0) << mu;
    EXPECT_LT(nearest, 0.03) << "they do not meet";
  }
}

struct Flight {
  double above = 0;  // the first rod over the second in the middle, at the end [m]
  int substeps = 0;
  double drift = 0;  // of momentum, by what it was
};

// One rod flies onto another across it, 20 cm away, for a twelfth of a second.
Flight fly(double speed, bool adaptive) {
  constexpr double longest = 1.0 / 24, end = 1.0 / 12;
  StrandsRun run;
  CurvesObject& object =
      run.add(rods({line({-0.5, 0.2, 0.013}, {0.5, 0.2, 0.013}, 15), line({0.02, 0, -0.5}, {0.02, 0, 0.5}, 15)}));
  SolidObject* objects[] = {&object};
  run.solids().add(object);
  run.solids().contacts().add_family(objects, {}, 0);
  if (adaptive) run.solids().adapt_substeps(longest);
  run.start();
  for (int i = 0; i <= 15; ++i) run.set_velocity(0, 0, i, {0, -speed, 0});
  const Vec3d momentum = run.momentum();
  Flight flight;
  while (run.time() < end * (1 - 1e-9)) {
    run.solids().save();
    run.step(std::min({run.solids().step_limit(), longest, end - run.time()}));
    run.solids().accept();
    ++flight.substeps;
  }
  flight.above = run.position(0, 0, 8).y - run.position(0, 1, 8).y;
  flight.drift = norm(run.momentum() - momentum) / norm(momentum);
  return flight;
}

TEST(StrandCollision, FastRodsThatWouldPassUnseenAreMetInShorterSubsteps) {
  const Flight blind = fly(8, false);
  EXPECT_EQ(blind.substeps, 2);
  EXPECT_LT(blind.above, -0.1) << "nothing would pass";
  const Flight seen = fly(8, true);
  EXPECT_GT(seen.above, 0);
  EXPECT_GT(seen.substeps, 4);
  EXPECT_LT(seen.substeps, 100);
  EXPECT_LT(seen.drift, 1e-9);
}

TEST(StrandCollision, SubstepsAreAsLongAsAskedForWhereNothingPasses) {
  EXPECT_EQ(fly(0.5, true).substeps, 2);  // does not get there
  EXPECT_EQ(fly(-8, true).substeps, 2);   // flies away
}

}  // namespace
}  // namespace ymir::verification
