// Exact Coulomb contact of simulated bodies, in the Newton loop of the solid system.
#include <functional>

#include "contact_run.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir {
namespace {

using cloth_tests::ContactRun;

constexpr double g = 9.81;  // [m/s^2]

TouchedCollider plane(RigidObject& object, Vec3d normal, double friction) {
  TouchedCollider collider;
  collider.friction = friction;
  collider.objects = {&object};
  const PlaneShape shape{{0, 0, 0}, normal};
  collider.during = [shape](double, double) {
    return rigid_collider([shape](Vec3d x) { return signed_distance(shape, x); }, {}, {}, 0, 0);
  };
  return collider;
}

struct Motion {
  double speed = 0, spin = 0;  // when it ends [m/s, rad/s]
  Vec3d way;                   // [m]
};

// A box of 10 cm on a slope that rises along x, seen with the slope level: gravity is tilted instead.
Motion slide(double slope, double mu, double start, double dt, int steps, Vec3d size = {0.1, 0.1, 0.1}) {
  RigidObject::Description d;
  d.velocity = {start, 0, 0};
  RigidRun run(box_surface({0, size.y / 2, 0}, size), d);
  run.gravity({-g * std::sin(slope), -g * std::cos(slope), 0});
  run.solids().contacts().add_collider(plane(run.object(), {0, 1, 0}, mu));
  run.start();
  for (int k = 0; k < steps; ++k) {
    run.step(dt);
    run.solids().accept();
  }
  return {norm(run.pose().velocity), norm(run.object().angular_velocity(0)),
          run.pose().position - Vec3d{0, size.y / 2, 0}};
}

constexpr double degree = 0.017453292519943295;

TEST(Collision, ABoxOnASlopeRestsOrSlidesAsCoulombSays) {
  constexpr double mu = 0.5, dt = 1.0 / 48;
  constexpr int steps = 24;
  for (const double angle : {0.0, 20.0, 26.0}) EXPECT_LT(slide(angle * degree, mu, 0, dt, steps).speed, 1e-9) << angle;
  for (const double angle : {27.0, 40.0, 60.0}) {
    const double a = g * (std::sin(angle * degree) - mu * std::cos(angle * degree));
    EXPECT_NEAR(slide(angle * degree, mu, 0, dt, steps).speed / (steps * dt), a, 1e-6 * a) << angle;
  }
}

// Infinite friction, as far as numbers go, holds what lies steeply and lets it sink no deeper.
TEST(Collision, EndlessFrictionHoldsAndCarries) {
  for (const double mu : {1e3, 1e9, 1e12, 1e30}) {
    const Motion motion = slide(60 * degree, mu, 0, 1.0 / 48, 24, {0.2, 0.1, 0.2});
    EXPECT_LT(motion.speed, 1e-6) << mu;
    EXPECT_LT(norm(motion.way), 1e-6) << mu;
  }
}

// dv = mu g dt each step until it rests in step 34; backward Euler sums the ways.
TEST(Collision, ASlidingBlockStopsWhereFrictionHasSpentItsSpeed) {
  const Motion motion = slide(0, 0.3, 1, 0.01, 40);
  double way = 0;
  for (double v = 1; v > 0; v -= 0.3 * g * 0.01) way += std::max(0.0, v - 0.3 * g * 0.01) * 0.01;
  EXPECT_NEAR(way, 0.1648977, 1e-7);
  EXPECT_NEAR(motion.way.x, way, 1e-7);
  EXPECT_LT(motion.speed, 1e-9);
}

// Width by height is 1/4: it tips where the slope exceeds that, however large the friction.
TEST(Collision, ATallBoxTipsWhereItsWeightLeavesItsFoot) {
  const Vec3d size{0.025, 0.1, 0.1};
  EXPECT_LT(slide(std::atan(0.2475), 1, 0, 0.01, 10, size).spin, 1e-8);
  EXPECT_GT(slide(std::atan(0.2525), 1, 0, 0.01, 10, size).spin, 1e-3);
}

TEST(Collision, AStackOfBoxesStays) {
  constexpr int boxes = 5;
  Surface all;
  for (int k = 0; k < boxes; ++k) all = joined(std::move(all), box_surface({0, 0.05 + 0.1 * k, 0}, {0.1, 0.1, 0.1}));
  RigidRun run(all);
  run.gravity({0, -g, 0});
  run.solids().contacts().add_collider(plane(run.object(), {0, 1, 0}, 0.5));
  SolidObject* objects[] = {&run.object()};
  run.solids().contacts().add_family(objects, {}, 0);
  run.start();
  for (int k = 0; k < 8; ++k) {
    run.step(1.0 / 48);
    run.solids().accept();
  }
  for (std::size_t b = 0; b < boxes; ++b) {
    EXPECT_LT(norm(run.pose(b).velocity), 1e-7) << b;
    EXPECT_NEAR(run.pose(b).position.y, 0.05 + 0.1 * static_cast<double>(b), 1e-6) << b;
  }
}

TouchParams of_friction(double mu) {
  TouchParams params;
  params.friction = mu;
  return params;
}

Surface pile(int boxes, Vec3d size) {
  Surface all;
  for (int k = 0; k < boxes; ++k) all = joined(std::move(all), box_surface({0, size.y * (k + 0.5), 0}, size));
  return all;
}

// Corners and edges of both coincide: they part along their faces, and hold nothing by their sides.
TEST(Collision, ABoxSlidesOffOneOfItsSize) {
  constexpr double mu = 0.3, dt = 0.01, start = 0.5;
  constexpr int steps = 10;
  for (const Vec3d way : {Vec3d{1, 0, 0}, Vec3d{0, 0, -1}, Vec3d{0.6, 0, 0.8}}) {
    RigidRun run(pile(2, {0.1, 0.1, 0.1}));
    run.gravity({0, -g, 0});
    run.solids().contacts().add_collider(plane(run.object(), {0, 1, 0}, 10));
    SolidObject* objects[] = {&run.object()};
    run.solids().contacts().add_family(objects, of_friction(mu), 0);
    run.start();
    run.object().poses()[1].velocity = way * start;
    for (int k = 0; k < steps; ++k) {
      run.step(dt);
      run.solids().accept();
    }
    EXPECT_NEAR(dot(run.pose(1).velocity, way), start - mu * g * dt * steps, 1e-6);
    EXPECT_NEAR(run.pose(1).position.y, 0.15, 1e-7);
    EXPECT_LT(norm(run.pose(0).velocity), 1e-7);
  }
}

// Ten boxes; the masses of some by 1e6 larger than those of the others.
TEST(Collision, TallStacksStayWhateverTheirMasses) {
  constexpr int boxes = 10, steps = 24;
  constexpr double heavy = 1e7, light = 10;  // [kg/m^3]
  const auto all_alike = [](int) { return 1000.0; };
  const auto top = [](int k) { return k == boxes - 1 ? heavy : light; };
  const auto bottom = [](int k) { return k == 0 ? heavy : light; };
  const auto even = [](int k) { return k % 2 == 0 ? light : heavy; };
  const std::function<double(int)> densities[] = {all_alike, top, bottom, even};
  for (const auto& density : densities) {
    ContactRun run;
    for (int k = 0; k < boxes; ++k) run.bodies(box_surface({0, 0.05 + 0.1 * k, 0}, {0.1, 0.1, 0.1}), density(k));
    run.collider(PlaneShape{{0, 0, 0}, {0, 1, 0}}, 0.5);
    run.touch(of_friction(0.5));
    run.gravity({0, -g, 0});
    run.start();
    std::int64_t iterations = 0;
    for (int k = 0; k < steps; ++k) {
      run.step(1.0 / 96);
      iterations += run.solids().report().contact_iterations;
    }
    double mass = 0;
    for (int k = 0; k < boxes; ++k) {
      const RigidPose& pose = run.bodies(static_cast<std::size_t>(k)).poses()[0];
      EXPECT_LT(norm(pose.position - Vec3d{0, 0.05 + 0.1 * k, 0}), 1e-6) << k;
      mass += run.bodies(static_cast<std::size_t>(k)).bodies()[0].mass;
    }
    EXPECT_NEAR(run.carried(1.0 / 96).y, mass * g, 1e-4 * mass * g);
    EXPECT_LT(iterations, 100000);
  }
}

// One box flies against another at rest; `aside`: how far from its middle [m]. Overlap that turning leaves is parted at
// 0.1 m/s, which may cost energy.
void meet(double aside, double most_gained) {
  RigidRun run(joined(box_surface({0, 0, 0}, {0.1, 0.1, 0.1}), box_surface({0.13, aside, aside / 2}, {0.1, 0.1, 0.1})));
  SolidObject* objects[] = {&run.object()};
  run.solids().contacts().add_family(objects, {}, 0);
  run.start();
  run.object().poses()[0].velocity = {2, 0, 0};
  const Vec3d momentum = run.momentum();
  const double start = run.energy();
  double energy = start;
  for (int k = 0; k < 24; ++k) {
    run.step(1.0 / 96);
    run.solids().accept();
    EXPECT_LT(norm(run.momentum() - momentum), 1e-12 * norm(momentum)) << aside;
    EXPECT_LT(run.energy(), energy + most_gained) << aside << ", step " << k;
    energy = run.energy();
  }
  EXPECT_LT(energy, 0.9 * start);
}

TEST(Collision, BoxesThatMeetKeepTheirMomentumAndGainNoEnergy) {
  meet(0, 1e-6);
  meet(0.04, 0.5 * 2 * 0.1 * 0.1);
}

}  // namespace
}  // namespace ymir
