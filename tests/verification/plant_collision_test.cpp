// Plants that touch exactly: what carries branches, what lies on them, what holds them.
#include "ball_run.h"
#include "contact_run.h"
#include "elaston_run.h"

namespace ymir {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295;
constexpr double radius = 0.02, young = 1e8, density = 800, length = 1;
const Vec3d down{0, -g, 0};

ElastonObject& rod(BallRun& run, Vec3d from, Vec3d to, bool held, Vec3d gravity, double damping = 0) {
  Plant plant(length / 10);
  plant.add_branches(strand(from, to), radius, "rod");
  ElastonObject::Description d;
  d.material = {young, 0.3, density, damping};
  d.newton = {1e-10, 100};
  auto& object = run.add(std::make_unique<ElastonObject>("plant", 0, run.domain(), d, plant.grown(held)));
  object.add_force(gravity_force("gravity", gravity, {}));
  return object;
}

double mass_of(const ElastonObject& plants) {
  double sum = 0;
  for (const double m : plants.mass()) sum += m;
  return sum;
}

Vec3d momentum_of(const ElastonObject& plants) {
  const std::vector<Vec3d> v = plants.centres(plants.slot_velocities());
  Vec3d sum{0, 0, 0};
  for (std::size_t e = 0; e < v.size(); ++e) sum += v[e] * plants.mass()[e];
  return sum;
}

TouchParams sharp() {
  TouchParams params;
  params.friction = 0.5;
  params.tolerance = 1e-8;
  return params;
}

// Pressed on the floor by its weight and a force in its middle.
TEST(PlantCollision, TheFloorCarriesABranchAndWhatPressesOnIt) {
  constexpr double load = 20;  // [N]
  BallRun run(1.0 / 96);
  ElastonObject& branch = rod(run, {0, radius, 0}, {length, radius, 0}, false, down, 0.02);
  PointForce press;
  press.owner = press.what = "press";
  press.accumulate = [](const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
    out.force.y[block.count / 2] -= load;
  };
  branch.add_force(press);
  run.balls({}, down);
  run.touch({&branch}, sharp());
  run.floor({&branch}, 0.5);
  run.start();
  run.steps(120);
  const double weight = mass_of(branch) * g + load;
  EXPECT_NEAR(run.carried().y / run.dt(), weight, 1e-6 * weight);
}

// Seen with the slope level.
TEST(PlantCollision, ABranchOnASlopeRestsOrSlidesAsCoulombSays) {
  constexpr double mu = 0.5;
  for (const double angle : {26.0, 27.0, 40.0}) {
    BallRun run(1.0 / 48);
    const Vec3d tilted{-g * std::sin(angle * degree), -g * std::cos(angle * degree), 0};
    ElastonObject& branch = rod(run, {0, radius, 0}, {length, radius, 0}, false, tilted);
    run.balls({}, down);
    run.touch({&branch}, sharp());
    run.floor({&branch}, mu);
    run.start();
    run.steps(24);
    const double a = std::max(0.0, g * (std::sin(angle * degree) - mu * std::cos(angle * degree)));
    EXPECT_NEAR(-momentum_of(branch).x / mass_of(branch) / (24 * run.dt()), a, 1e-4 * std::max(a, 1e-1)) << angle;
  }
}

// A ball dropped on a bough comes to rest there, and the bough carries it.
TEST(PlantCollision, ABallThatFallsOnABoughRestsOnIt) {
  BallRun run(1.0 / 96);
  ElastonObject& bough = rod(run, {0, 1, 0}, {length, 1, 0}, true, {0, 0, 0}, 0.05);
  const Ball ball{{0.6, 1 + radius + 0.05 + 0.01, 0}, {0, 0, 0}, 0.05, 200};
  run.balls({ball}, down);
  run.touch({&bough}, sharp());
  run.start();
  run.steps(400);
  Vec3d carried{0, 0, 0};
  for (const Contact& c : run.solids().contacts().contacts()) carried += c.impulse;
  EXPECT_NEAR(std::fabs(carried.y) / run.dt(), ball.mass() * g, 1e-6 * ball.mass() * g);
  EXPECT_LT(norm(run.ball(0).velocity), 1e-6);
  const double sag = 1 + radius + 0.05 - run.ball(0).position.y;
  EXPECT_GT(sag, 1e-3) << "and bends under it";
  EXPECT_LT(sag, 0.2);
}

// A loose trunk of 30 x 40 x 30 cm with a ball on it, and a leaf that lies flat.
TEST(PlantCollision, TheFloorCarriesATrunkAndALeaf) {
  constexpr double thickness = 2e-3;
  for (const bool trunk : {true, false}) {
    BallRun run(1.0 / 96);
    Plant plant(0.1);
    if (trunk)
      plant.add_trunks(box_surface({0, 0.2, 0}, {0.3, 0.4, 0.3}), "trunk", 100000);
    else
      plant.add_leaves(cloth_tests::lying_sheet(0.4, 0.4, 0.1, thickness / 2), thickness, "leaf");
    ElastonObject::Description d;
    d.material = {trunk ? 1e6 : 1e8, 0.3, density, 0.02};
    d.newton = {1e-10, 100};
    auto& object = run.add(std::make_unique<ElastonObject>("plant", 0, run.domain(), d, plant.grown(false)));
    object.add_force(gravity_force("gravity", down, {}));
    const Ball ball{{0.01, (trunk ? 0.4 : thickness) + 0.05, 0.02}, {0, 0, 0}, 0.05, 200};
    run.balls({ball}, down);
    run.touch({&object}, sharp());
    run.floor({&object}, 0.5);
    run.start();
    run.steps(150);
    const double weight = (mass_of(object) + ball.mass()) * g;
    EXPECT_NEAR(run.carried().y / run.dt(), weight, 1e-6 * weight) << trunk;
    EXPECT_LT(norm(run.ball(0).velocity), 1e-5) << trunk;
  }
}

// Two loose rods that meet crosswise in the air.
TEST(PlantCollision, BranchesThatMeetKeepTheirMomentum) {
  BallRun run(1.0 / 96);
  Plant plant(length / 10);
  plant.add_branches(strand({0, 0, 0}, {length, 0, 0}), radius, "rod");
  plant.add_branches(strand({0.43, 0.045, -0.4}, {0.43, 0.045, 0.6}), radius, "rod");
  ElastonObject::Description d;
  d.material = {young, 0.3, density, 0};
  d.newton = {1e-10, 100};
  auto& plants = run.add(std::make_unique<ElastonObject>("plant", 0, run.domain(), d, plant.grown(false)));
  run.balls({}, down);
  run.touch({&plants}, sharp());
  run.start();
  ASSERT_EQ(plants.pieces().size(), 2U);
  for (std::size_t i = 4 * plants.pieces()[1].first_node; i < plants.slot_velocities().size(); i += 4)
    plants.slot_velocities()[i] = {0, -1, 0};
  const Vec3d before = momentum_of(plants);
  double most = 0;
  for (int k = 0; k < 10; ++k) {
    run.step();
    EXPECT_LT(norm(momentum_of(plants) - before), 1e-9 * norm(before)) << k;
    for (const Contact& c : run.solids().contacts().contacts()) most = std::max(most, norm(c.impulse));
  }
  EXPECT_GT(most, 0.1 * norm(before)) << "they meet";
}

}  // namespace
}  // namespace ymir
