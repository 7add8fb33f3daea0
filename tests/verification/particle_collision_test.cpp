// Particles that touch each other and other things, exactly.
#include <array>
#include <random>

#include "ball_run.h"
#include "contact_run.h"
#include "rigid_run.h"
#include "soft_run.h"
#include "ymir/actions/attachment_set.h"
#include "ymir/actions/elastic_rod.h"
#include "ymir/actions/removal.h"
#include "ymir/objects/curves_object.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295;
const Vec3d down{0, -g, 0};

// One ball flies against another at rest, past its middle by `aside` [m].
void meet(double aside, double friction) {
  BallRun run(1.0 / 96);
  const std::vector<Ball> balls{{{0, 0, 0}, {2, 0, 0}, 0.05, 1000},
                                {{0.13, aside, 0.3 * aside}, {0, 0, 0}, 0.05, 3000}};
  run.balls(balls, {0, 0, 0});
  TouchParams params;
  params.friction = friction;
  run.touch({}, params);
  run.start();
  const Vec3d before = balls[0].velocity * balls[0].mass();
  double energy = 0.5 * balls[0].mass() * 4;
  for (int k = 0; k < 12; ++k) {
    run.step();
    EXPECT_LT(norm(run.momentum() - before), 1e-12 * norm(before)) << aside << ", step " << k;
    double now = 0;
    run.visit([&](Vec3d, Vec3d v, double m, double) { now += 0.5 * m * dot(v, v); });
    EXPECT_LT(now, energy * (1 + 1e-12)) << aside << ", step " << k;
    energy = now;
  }
  EXPECT_LT(energy, 0.9 * 0.5 * balls[0].mass() * 4) << "they meet";
  if (aside == 0) {
    EXPECT_NEAR(run.ball(0).velocity.x, before.x / (balls[0].mass() + balls[1].mass()), 1e-12);
    EXPECT_NEAR(run.ball(1).velocity.x, run.ball(0).velocity.x, 1e-12) << "and go on together";
  }
}

TEST(ParticleCollision, BallsThatMeetKeepTheirMomentum) {
  meet(0, 0.3);
  meet(0.04, 0);
  meet(0.04, 0.8);
}

// Seen with the slope level. One ball alone answers to the collider by itself.
TEST(ParticleCollision, ABallOnASlopeRestsOrSlidesAsCoulombSays) {
  constexpr double mu = 0.5, dt = 1.0 / 48;
  for (const double angle : {20.0, 26.0, 27.0, 40.0}) {
    BallRun run(dt);
    run.balls({{{0, 0.05, 0}}}, Vec3d{-std::sin(angle * degree), -std::cos(angle * degree), 0} * g);
    run.floor({}, mu);
    run.touch({}, {});
    run.start();
    run.steps(24);
    const double a = std::max(0.0, g * (std::sin(angle * degree) - mu * std::cos(angle * degree)));
    EXPECT_NEAR(-run.ball(0).velocity.x / (24 * dt), a, 1e-6 * std::max(a, 1e-3)) << angle;
  }
}

// A smooth ball leans on a rough one below it: they hold, or slide, by the mean of their friction by weight.
TEST(ParticleCollision, BallsThatLeanOnEachOtherShareTheirFriction) {
  constexpr double dt = 1.0 / 48, angle = 30 * degree, smooth = 0.2;
  for (const double rough : {0.6, 0.9, 1.0}) {
    BallRun run(dt);
    Ball above{{0.1, 0.05, 0}}, below{{0, 0.05, 0}};
    above.friction = smooth, below.friction = rough;
    run.balls({above, below}, Vec3d{-std::sin(angle), -std::cos(angle), 0} * g);
    run.floor({}, 0.1);
    run.touch({}, {});
    run.start();
    run.steps(24);
    const double mean = (smooth + rough) / 2;
    const double a = std::max(0.0, g * (std::sin(angle) - mean * std::cos(angle)));
    for (const std::uint64_t id : {0, 1})
      EXPECT_NEAR(-run.ball(id).velocity.x / (24 * dt), a, 1e-6 * std::max(a, 1e-1)) << rough;
  }
}

// Balls one above the other: each contact carries what is above it. Of the densities the last is on top.
void stack(const std::vector<double>& densities, double tolerance) {
  BallRun run(1.0 / 96);
  std::vector<Ball> balls;
  double weight = 0;
  for (const double density : densities) {
    balls.push_back({{0, 0.05 + 0.1 * static_cast<double>(balls.size()), 0}, {0, 0, 0}, 0.05, density});
    weight += balls.back().mass() * g;
  }
  run.balls(balls, down);
  run.floor({}, 0.3);
  TouchParams params;
  params.tolerance = 1e-8;
  run.touch({}, params);
  run.start();
  run.steps(8);
  EXPECT_NEAR(run.carried().y / run.dt(), weight, tolerance * weight);
  std::vector<double> above(balls.size(), 0);
  for (std::size_t k = balls.size() - 1; k > 0; --k) above[k - 1] = above[k] + balls[k].mass() * g;
  for (const Contact& c : run.solids().contacts().contacts()) {
    if (c.b.kind == SideKind::collider) continue;
    const auto a = static_cast<std::size_t>(run.solids().contacts().place(c.a).piece),
               b = static_cast<std::size_t>(run.solids().contacts().place(c.b).piece);
    if (a + 1 != b && b + 1 != a) continue;
    EXPECT_NEAR(norm(c.impulse) / run.dt(), above[std::min(a, b)], tolerance * weight) << a << " on " << b;
  }
  for (std::size_t k = 0; k < balls.size(); ++k) {
    EXPECT_LT(norm(run.ball(k).velocity), 1e-6) << k;
    EXPECT_NEAR(run.ball(k).position.y, balls[k].position.y, 1e-7) << k;
  }
}

TEST(ParticleCollision, AColumnCarriesItsWeight) { stack({1000, 1000, 1000, 1000, 1000}, 1e-6); }
TEST(ParticleCollision, AColumnOfUnlikeBallsCarriesItsWeight) {
  stack({1, 1e4}, 1e-6);
  stack({1e4, 1, 1e4}, 1e-6);
  stack({1, 1, 1, 1, 1e4}, 1e-6);
}

// A ball that nothing else touches bounces as without `collision`; on its way another lies near.
TEST(ParticleCollision, ABallThatNothingElseTouchesBounces) {
  constexpr double e = 0.5, speed = 2;
  BallRun run(1.0 / 96);
  run.balls({{{0, 0.06, 0}, {0, -speed, 0}}, {{0.101, 0.05, 0}}}, {0, 0, 0});
  run.floor({}, 0, e);
  run.touch({}, {});
  run.start();
  run.steps(1);
  EXPECT_NEAR(run.ball(0).velocity.y, e * speed, 1e-9);
  EXPECT_LT(norm(run.ball(1).velocity), 1e-12);
}

// What lies on the floor, with a ball on it: the floor carries both, and the ball stays.
void carries_both(BallRun& run, const std::vector<SolidObject*>& below, double mass_below, double ball_mass, int settle,
                  double tolerance) {
  TouchParams params;
  params.friction = 0.5;
  params.tolerance = 1e-8;
  run.touch(below, params);
  run.floor(below, 0.5);
  run.start();
  run.steps(settle);
  const double weight = (mass_below + ball_mass) * g;
  double mean = 0;
  constexpr int watched = 4;
  for (int k = 0; k < watched; ++k) {
    run.step();
    mean += run.carried().y / run.dt() / watched;
  }
  EXPECT_NEAR(mean, weight, tolerance * weight);
  EXPECT_LT(norm(run.ball(0).velocity), 1e-5);
}

TEST(ParticleCollision, ABallRestsOnABox) {
  BallRun run(1.0 / 96);
  RigidObject::Description d;
  d.density = 100;
  auto& box =
      run.add(std::make_unique<RigidObject>("box", 0, run.domain(), d, box_surface({0, 0.1, 0}, {0.2, 0.2, 0.2})));
  box.add_force(gravity_force("gravity", down, {}));
  const Ball ball{{0.02, 0.25, 0.01}};
  run.balls({ball}, down);
  carries_both(run, {&box}, 100 * 0.008, ball.mass(), 4, 1e-6);
}

TEST(ParticleCollision, ABallRestsOnAStrand) {
  BallRun run(1.0 / 96);
  CurvesObject::Description d;
  d.radius = 0.01;
  d.density = 1000;
  d.newton = {1e-10, 100};
  d.clamped = false;
  auto& rod = run.add(std::make_unique<CurvesObject>("rod", 0, run.domain(), d));
  Curves curves;
  for (int i = 0; i <= 10; ++i) curves.positions.push_back({0.1 * i - 0.5, 0.01, 0});
  curves.first.push_back(11);
  curves.vertices.resize(11);
  curves.strands.resize(1);
  rod.set_curves(std::move(curves));
  ElasticRodMaterial material;
  material.youngs_modulus = 1e8;
  material.shear_modulus = 4e7;
  add_elastic_rod(rod, "rod", material, d);
  rod.add_force(gravity_force("gravity", down, {}));
  const Ball ball{{0.03, 0.07, 0}};
  run.balls({ball}, down);
  carries_both(run, {&rod}, 1000 * M_PI * 1e-4, ball.mass(), 60, 1e-6);
}

TEST(ParticleCollision, ABallRestsOnCloth) {
  BallRun run(1.0 / 96);
  constexpr double thickness = 1e-3, weight = 0.2;  // [m], [kg/m^2]
  MeshObject::Description d;
  d.density = weight / thickness;
  d.newton = {1e-8, 120};
  auto& cloth = run.add(std::make_unique<MeshObject>(
      "cloth", 0, run.domain(), d,
      cloth_of(cloth_tests::lying_sheet(0.4, 0.4, 0.05, thickness / 2), thickness, "sheet")));
  add_elastic_shell(cloth, "material", cloth_tests::fabric(1e4, 1e-5), warp_along(cloth.mesh(), {1, 0, 0}));
  cloth.add_force(gravity_force("gravity", down, {}));
  const Ball ball{{0.01, 0.051, 0.02}};
  run.balls({ball}, down);
  carries_both(run, {&cloth}, weight * 0.16, ball.mass(), 8, 1e-6);
}

TEST(ParticleCollision, ABallRestsOnJelly) {
  BallRun run(1.0 / 48);
  MeshObject::Description d;
  d.density = 1000;
  d.newton = {1e-9, 50};
  SolidMesh mesh = block(CellShape::hexahedron, {4, 4, 4}, {0.2, 0.2, 0.2});
  auto& jelly = run.add(std::make_unique<MeshObject>("jelly", 0, run.domain(), d, std::move(mesh)));
  ElasticSolidMaterial material;
  material.youngs_modulus = 1e5;
  material.poisson_ratio = 0.3;
  material.relaxation_time = 0.02;
  add_elastic_solid(jelly, "material", material);
  jelly.add_force(gravity_force("gravity", down, {}));
  const Ball ball{{0.1, 0.25, 0.1}};
  run.balls({ball}, down);
  carries_both(run, {&jelly}, 8, ball.mass(), 150, 1e-6);
}

// Beads threaded on a cord hang there as if nothing touched, but for each other: those that a swing brings together
// stay apart.
TEST(ParticleCollision, BeadsOnCordsHangAsWithoutAndTouchThoseOfOthers) {
  for (const double apart : {0.2, 0.055}) {
    double lowest[2];
    for (const bool touching : {false, true}) {
      BallRun run(1.0 / 96);
      CurvesObject::Description d;
      d.radius = 0.002;
      d.density = 1000;
      d.newton = {1e-10, 100};
      auto& cords = run.add(std::make_unique<CurvesObject>("cords", 0, run.domain(), d));
      Curves curves;
      for (const double x : {0.0, apart}) {
        for (int i = 0; i <= 10; ++i) curves.positions.push_back({x, 0.5 - 0.05 * i, 0});
        curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
      }
      curves.vertices.resize(22);
      curves.strands.resize(2);
      cords.set_curves(std::move(curves));
      ElasticRodMaterial material;
      material.youngs_modulus = 1e7;
      material.shear_modulus = 4e6;
      add_elastic_rod(cords, "rod", material, d);
      cords.add_force(gravity_force("gravity", down, {}));
      // The second cord's bead is thrown against the first one's.
      run.balls(
          {{{0, 0.1, 0}, {0, 0, 0}, 0.025, 1000}, {{apart, 0.1, 0}, {apart < 0.1 ? -0.5 : 0.0, 0, 0}, 0.025, 1000}},
          down);
      run.solids().add(cords);
      run.solids().add(run.object());
      AttachmentResponse response;
      response.hard = true;
      EmissionRule rule;
      rule.range = 0.01;
      ASSERT_EQ(add_attachments(run.solids(), "threads", {&run.object()}, {&cords}, response, rule), 2U);
      if (touching) run.touch({&cords}, {});
      run.start();
      run.steps(40);
      lowest[touching ? 1 : 0] = run.ball(0).position.y;
      const double gap = norm(run.ball(1).position - run.ball(0).position) - 0.05;
      if (!touching) continue;
      EXPECT_GT(gap, -1e-4) << apart;
      EXPECT_EQ(run.ball(0).position.x < -1e-3, apart < 0.1) << "pushed aside where they meet";
    }
    EXPECT_NEAR(lowest[0], lowest[1], apart > 0.1 ? 1e-7 : 0.1) << apart;
  }
}

// A bead between a rod that presses on it and the floor, which would make it bounce: both hold it.
TEST(ParticleCollision, ABeadBetweenABoxAndTheFloorRests) {
  BallRun run(1.0 / 96);
  RigidObject::Description d;
  d.density = 1000;
  auto& box =
      run.add(std::make_unique<RigidObject>("box", 0, run.domain(), d, box_surface({0, 0.07, 0}, {0.1, 0.1, 0.1})));
  box.add_force(gravity_force("gravity", down, {}));
  std::vector<Ball> beads;
  for (const double x : {-0.04, 0.04})
    for (const double z : {-0.04, 0.04}) beads.push_back({{x, 0.01, z}, {0, 0, 0}, 0.01, 0.1});
  run.balls(beads, down);
  run.floor({}, 0.5, 0.9);
  TouchParams params;
  params.tolerance = 1e-8;
  run.touch({&box}, params);
  run.start();
  run.steps(12);
  const double weight = (1 + 4 * beads[0].mass()) * g;
  EXPECT_NEAR(run.carried().y / run.dt(), weight, 1e-6 * weight);
  for (std::uint64_t id = 0; id < 4; ++id) EXPECT_NEAR(run.ball(id).position.y, 0.01, 1e-6) << id;
}

// What is born and what is removed changes the pieces: a stream that piles up and runs out at the side.
void pour(BallRun& run) {
  ParticleObject::Description born;
  born.radius = 0.02;
  ParticleObject& balls = run.balls({}, down, born);
  PointSource::Description d;
  d.shape = SourceShape::box;
  d.center = {0, 0.6, 0};
  d.size = {0.15, 0.01, 0.15};
  d.rate = 100;
  d.velocity = {0, -1, 0};
  balls.add_source(PointSource(d, nullptr));
  PointRemoval gone;
  gone.owner = gone.what = "edge";
  gone.mark = [](const PointBlock& block, const double*, const std::uint64_t*, std::span<std::uint8_t> dead) {
    for (int i = 0; i < block.count; ++i)
      if (norm(Vec3d{block.position[i].x, 0, block.position[i].z}) > 0.12) dead[static_cast<std::size_t>(i)] = 1;
  };
  balls.add_removal(gone);
  run.floor({}, 0.1);
  run.touch({}, {});
  run.start();
}

TEST(ParticleCollision, BallsAreBornIntoAHeapAndLeaveIt) {
  BallRun run(1.0 / 96, 0.2);
  pour(run);
  run.steps(140);
  const Frame checkpoint = run.simulation().checkpoint(140);
  run.steps(10);
  std::int64_t count = 0;
  double lowest = 1;
  run.visit([&](Vec3d x, Vec3d, double, double r) {
    ++count;
    lowest = std::min(lowest, x.y - r);
  });
  EXPECT_GT(count, 50);
  EXPECT_LT(count, 150) << "some have left";
  EXPECT_GT(lowest, -1e-4);
  BallRun resumed(1.0 / 96, 0.2);
  pour(resumed);
  resumed.simulation().restore(&checkpoint);
  resumed.go_on_from(140);
  resumed.steps(10);
  EXPECT_EQ(run.simulation().hash(), resumed.simulation().hash());
}

// Balls fall on each other in a box.
class Heap : public BallRun {
 public:
  explicit Heap(int side) : BallRun(1.0 / 96, 0.2) {
    std::vector<Ball> all;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shift(-0.004, 0.004), size(0.03, 0.05);
    const auto across = [&](int i, int layer) {
      return 0.11 * (i - 0.5 * side + (layer % 2 == 0 ? 0.25 : 0.75)) + shift(random);
    };
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j)
        for (int k = 0; k < side; ++k)
          all.push_back({{across(i, j), 0.06 + 0.11 * j, across(k, j)}, {0, 0, 0}, size(random)});
    balls(all, down);
    const double wall = 0.06 * side;
    floor({}, 0.5);
    floor({}, 0.5, 0, {{-wall, 0, 0}, {1, 0, 0}});
    floor({}, 0.5, 0, {{wall, 0, 0}, {-1, 0, 0}});
    floor({}, 0.5, 0, {{0, 0, -wall}, {0, 0, 1}});
    floor({}, 0.5, 0, {{0, 0, wall}, {0, 0, -1}});
    touch({}, {});
    for (const Ball& b : all) weight += b.mass() * g;
  }
  double deepest() const {  // overlap of balls, by the smaller radius
    std::vector<std::pair<Vec3d, double>> all;
    visit([&](Vec3d x, Vec3d, double, double r) { all.emplace_back(x, r); });
    double most = 0;
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        most = std::max(most, (all[a].second + all[b].second - norm(all[a].first - all[b].first)) /
                                  std::min(all[a].second, all[b].second));
    return most;
  }
  double weight = 0;
};

TEST(ParticleCollision, AHeapComesToRestAndIsCarried) {
  Heap heap(5);
  heap.start();
  heap.steps(160);
  double fastest = 0;
  heap.visit([&](Vec3d, Vec3d v, double, double) { fastest = std::max(fastest, norm(v)); });
  EXPECT_LT(fastest, 0.02);
  EXPECT_LT(heap.deepest(), 0.02);
  EXPECT_NEAR(heap.carried().y / heap.dt(), heap.weight, 0.02 * heap.weight);
}

TEST(ParticleCollision, ThreadsChangeNoBit) {
  std::uint64_t hashes[3];
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    Heap heap(4);
    heap.start();
    heap.steps(30);
    hashes[count - 1] = heap.simulation().hash();
  }
  set_threads(0);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(ParticleCollision, AResumedHeapGoesOnAsItWould) {
  Heap heap(4);
  heap.start();
  heap.steps(25);
  const Frame checkpoint = heap.simulation().checkpoint(25);
  heap.steps(10);
  Heap resumed(4);
  resumed.start();
  resumed.simulation().restore(&checkpoint);
  resumed.go_on_from(25);
  resumed.steps(10);
  EXPECT_EQ(heap.simulation().hash(), resumed.simulation().hash());
}

}  // namespace
}  // namespace ymir
