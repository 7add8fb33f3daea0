// Exact Coulomb contact of simulated cloth: with colliders, bodies, other cloth and itself.
#include "contact_run.h"
#include "ymir/parallel/threads.h"

namespace ymir::cloth_tests {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295, half = ContactRun::thickness / 2;

ElasticShellMaterial damped(double stretch, double bending) {
  ElasticShellMaterial m = fabric(stretch, bending);
  m.stretch_relaxation = m.bending_relaxation = 0.02;
  return m;
}

struct Slope {
  double angle = 0, edge = 0.06, dt = 1.0 / 96, seconds = 0.125;
  Vec3d at{0, 0, 0};
  double turn = 0;
};

// Speed of a square of cloth on a slope that falls along x when it ends [m/s].
double slide(const Slope& s, double mu) {
  const Quaternion tilt = quaternion_exp({0, 0, -s.angle});
  ContactRun run;
  Surface sheet = lying_sheet(0.4, 0.4, s.edge, half, 0, 0, s.turn);
  for (Vec3d& p : sheet.positions) p = s.at + rotate(tilt, p);
  run.cloth(sheet, fabric(1e4, 1e-5));
  run.gravity({0, -g, 0});
  run.collider(PlaneShape{s.at, rotate(tilt, {0, 1, 0})}, mu);
  run.start();
  const int steps = static_cast<int>(std::lround(s.seconds / s.dt));
  for (int k = 0; k < steps; ++k) run.step(s.dt);
  return norm(run.momentum()) / run.mass();
}

TEST(ClothCollision, ClothOnASlopeRestsOrSlidesAsCoulombSays) {
  constexpr double mu = 0.5;
  std::vector<Slope> cases{{}};
  cases.push_back({.edge = 0.12});
  cases.push_back({.edge = 0.03});
  cases.push_back({.dt = 1.0 / 24});
  cases.push_back({.dt = 1.0 / 192});
  cases.push_back({.at = {1000, -200, 500}, .turn = 30 * degree});
  for (const Slope& c : cases) {
    for (const double angle : {0.0, 26.0}) {
      Slope s = c;
      s.angle = angle * degree;
      EXPECT_LT(slide(s, mu), 1e-6) << angle << ", edges of " << s.edge << ", steps of " << s.dt << ", at " << s.at.x;
    }
    for (const double angle : {27.0, 40.0}) {
      Slope s = c;
      s.angle = angle * degree;
      const double a = g * (std::sin(s.angle) - mu * std::cos(s.angle));
      EXPECT_NEAR(slide(s, mu) / s.seconds, a, 1e-3 * a) << angle << ", edges of " << s.edge << ", steps of " << s.dt;
    }
  }
}

// A strip over a round bar, half a turn in k edges, its tails hanging down: how far the heavier end has gone when it
// ends [m].
double run_off(double mu, double ratio, int k) {
  constexpr double radius = 0.1, width = 0.05, pull = 0.2;
  constexpr int tail = 4;
  const double at = radius + half, side = 2 * at * std::sin(M_PI / (2 * k));
  Surface s = square_grid(k + 2 * tail, 1, 1, width);
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    const int i = static_cast<int>(v / 2) - tail;
    const double angle = M_PI * std::clamp(i, 0, k) / k, down = i < 0 ? i * side : i > k ? (k - i) * side : 0;
    s.positions[v] = {-at * std::cos(angle), at * std::sin(angle) + down, s.positions[v].y};
  }
  ContactRun run;
  MeshObject& strip = run.cloth(s, fabric(1e5, 1e-8), 0.2);
  PointForce force = gravity_force("ends", {0, 0, 0}, {});
  const auto last = static_cast<int>(s.positions.size()) - 1;
  force.accumulate = [=](const PointBlock&, auto, const ForceBlock& out) {
    for (const int v : {0, 1}) out.force.y[v] -= pull / 2;
    for (const int v : {last, last - 1}) out.force.y[v] -= ratio * pull / 2;
  };
  strip.add_force(force);
  run.collider(
      [](Vec3d x) {
        const double d = std::hypot(x.x, x.y);
        return DistanceSample{d - radius, {x.x / d, x.y / d, 0}};
      },
      mu);
  run.start();
  const double before = strip.positions()[static_cast<std::size_t>(last)].y;
  for (int i = 0; i < 10; ++i) run.step(0.01);
  return before - strip.positions()[static_cast<std::size_t>(last)].y;
}

// [Capstan on a polygon: each vertex turns the strip by al, the first and the last by half of it.]
TEST(ClothCollision, AStripOverABarHoldsUpToTheRatioOfTheCapstan) {
  constexpr double mu = 0.2;
  constexpr int k = 12;
  const auto factor = [](double x) { return (1 + mu * std::tan(x / 2)) / (1 - mu * std::tan(x / 2)); };
  const double ratio = std::pow(factor(M_PI / k), k - 1) * std::pow(factor(M_PI / k / 2), 2);
  EXPECT_NEAR(ratio, 1.8811, 1e-4);
  EXPECT_LT(run_off(mu, 0.98 * ratio, k), 1e-4);
  EXPECT_GT(run_off(mu, 1.02 * ratio, k), 1e-3);
}

// The floor carries all of it through the cloth, which is a thousandth as heavy as what lies on it.
TEST(ClothCollision, BoxAndBallOnClothOnTheFloorNeitherSinkNorCreep) {
  ContactRun run;
  run.cloth(lying_sheet(0.5, 0.5, 0.05, half), fabric(1e4, 1e-5));
  run.bodies(joined(box_surface({-0.1, 2 * half + 0.05, 0}, {0.1, 0.1, 0.1}),
                    sphere_mesh({0.1, 2 * half + 0.05, 0}, 0.05, 12)));
  run.gravity({0, -g, 0});
  run.collider(PlaneShape{}, 0.5);
  TouchParams params;
  params.tolerance = 1e-6;
  run.touch(params);
  run.start();
  constexpr double dt = 1.0 / 96;
  for (int k = 0; k < 100; ++k) {
    run.step(dt);
    EXPECT_EQ(run.solids().report().unconverged, 0) << k;
    EXPECT_NEAR(run.carried(dt).y / (run.mass() * g), 1, 1e-6) << k;
  }
  // The ball stands on a vertex, where it may roll; down it does not go.
  for (const RigidPose& pose : run.bodies(0).poses()) {
    EXPECT_NEAR(pose.position.y, 2 * half + 0.05, 1e-6);
    EXPECT_LT(std::fabs(pose.velocity.y), 1e-6);
  }
  EXPECT_LT(norm(run.bodies(0).poses()[0].velocity), 1e-6);
  const std::vector<Vec3d>&now = run.cloth(std::size_t{0}).positions(), &first = run.cloth(std::size_t{0}).start();
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_LT(norm(now[i] - first[i]), 1e-6) << i;
}

TEST(ClothCollision, ABallInAHangingClothIsCarriedByItsPins) {
  ContactRun run;
  MeshObject& c = run.cloth(lying_sheet(0.6, 0.6, 0.06, 0), damped(1e4, 1e-5));
  run.bodies(sphere_mesh({0.02, 0.06, 0.01}, 0.05, 10), 1000);
  run.gravity({0, -g, 0});
  ContactRun::hold(c, [](Vec3d x) { return std::fabs(x.x) > 0.25 && std::fabs(x.z) > 0.25; });
  run.touch();
  run.start();
  constexpr double dt = 1.0 / 96;
  for (int k = 0; k < 240; ++k) run.step(dt);
  const Vec3d before = run.momentum();
  run.step(dt);
  Vec3d on_ball{0, 0, 0};
  for (const Contact& contact : run.solids().contacts().contacts()) {
    const bool first = run.solids().contacts().place(contact.a).member == 0;  // by name: bodies before cloth
    on_ball += contact.impulse * (first ? 1.0 : -1.0);
  }
  const double weight = run.bodies(0).bodies()[0].mass * g;
  EXPECT_NEAR(on_ball.y / dt, weight, 0.01 * weight);
  EXPECT_LT(norm(run.momentum() - before) / dt, 0.01 * weight) << "pins carry something else than the weight";
  double lowest = 0;
  for (const Vec3d& x : c.positions()) lowest = std::min(lowest, x.y);
  EXPECT_GT(run.bodies(0).poses()[0].position.y, lowest + 0.04) << "it falls through";
}

void drape(ContactRun& run, double dt, int steps) {
  run.gravity({0, -g, 0});
  run.touch();
  run.start();
  for (int k = 0; k < steps; ++k) {
    run.step(dt);
    EXPECT_EQ(run.solids().report().unconverged, 0) << k;
  }
  EXPECT_NEAR(run.carried(dt).y / (run.mass() * g), 1, 0.02);
  EXPECT_LT(run.fastest(), 0.1);
  EXPECT_EQ(run.crossings(), 0);
}

TEST(ClothCollision, ClothDrapedOverASphereRestsOutsideOfIt) {
  ContactRun run;
  MeshObject& c = run.cloth(lying_sheet(0.5, 0.5, 0.06, 0.01), damped(1e3, 1e-4));
  const SphereShape sphere{{0, -0.2, 0}, 0.2};
  run.collider(sphere, 0.4);
  drape(run, 1.0 / 192, 240);
  for (const Vec3d& x : c.positions()) EXPECT_GT(signed_distance(sphere, x).distance, half - 1e-4);
}

TEST(ClothCollision, ClothDrapedOverABoxRestsOutsideOfIt) {
  ContactRun run;
  MeshObject& c = run.cloth(lying_sheet(0.6, 0.6, 0.06, 0.01, 0, 0, 0.3), damped(1e3, 1e-4));
  BoxShape box;
  box.center = {0, -0.2, 0}, box.half_size = {0.17, 0.2, 0.2};
  run.collider(box, 0.4);
  drape(run, 1.0 / 192, 480);
  for (const Vec3d& x : c.positions()) EXPECT_GT(signed_distance(box, x).distance, half - 1e-4);
}

TEST(ClothCollision, TwoLayersOnASphereDoNotPassEachOther) {
  ContactRun run;
  run.cloth(lying_sheet(0.5, 0.5, 0.06, 0.01), damped(1e3, 1e-4));
  run.cloth(lying_sheet(0.5, 0.5, 0.06, 0.03, 0.02, 0.01, 0.6), damped(1e3, 1e-4));
  run.collider(SphereShape{{0, -0.2, 0}, 0.2}, 0.4);
  drape(run, 1.0 / 192, 240);
}

TEST(ClothCollision, AStripThatFallsOnItselfDoesNotPassItself) {
  ContactRun run;
  Surface s = sheet_mesh({0, 0, 0}, 0.6, 0.12, 0.03);
  // Half of it stands up, and leans over the rest.
  for (Vec3d& p : s.positions)
    p = p.x < 0 ? Vec3d{p.x, half, -p.y} : Vec3d{-p.x * 0.1, half + p.x * std::sqrt(0.99), -p.y};
  run.cloth(s, damped(1e3, 1e-4));
  run.collider(PlaneShape{}, 0.4);
  drape(run, 1.0 / 192, 240);
}

// Two pieces that fly against each other.
std::uint64_t meet(double dt, double edge) {
  ContactRun run;
  run.cloth(lying_sheet(0.4, 0.4, edge, 0.0), fabric(1e3, 1e-5), 0.2, {0, 1, 0});
  run.cloth(lying_sheet(0.4, 0.4, edge, 0.03, 0.05, 0.07, 0.4), fabric(1e3, 1e-5), 0.2, {0.2, -1, 0});
  run.touch();
  run.start();
  const Vec3d momentum = run.momentum();
  for (int k = 0; k * dt < 0.1; ++k) run.step(dt);
  EXPECT_LT(norm(run.momentum() - momentum), 1e-12) << "of " << norm(momentum);
  EXPECT_EQ(run.crossings(), 0);
  return run.cloth(std::size_t{0}).hash() ^ run.cloth(std::size_t{1}).hash() ^ run.solids().hash();
}

TEST(ClothCollision, PiecesThatMeetKeepTheirMomentumAndDoNotPass) {
  meet(1.0 / 192, 0.05);
  meet(1.0 / 384, 0.05);
  meet(1.0 / 192, 0.1);
}

// Which of two sheets that coincide is in front is one choice for all of their contacts: they part, at 2 cm/s.
TEST(ClothCollision, SheetsThatCoincidePart) {
  for (const double edge : {0.1, 0.05}) {
    ContactRun run;
    for (int k = 0; k < 2; ++k) run.cloth(lying_sheet(0.2, 0.2, edge, 0.0), fabric(1e3, 1e-5));
    run.touch();
    run.start();
    for (int k = 0; k < 12; ++k) run.step(1.0 / 96);
    const auto &a = run.cloth(std::size_t{0}).positions(), &b = run.cloth(std::size_t{1}).positions();
    const double side = a[0].y > b[0].y ? 1 : -1;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_GT(side * (a[i].y - b[i].y), 0.99 * ContactRun::thickness) << i;
    EXPECT_LT(norm(run.momentum()), 1e-12);
    EXPECT_EQ(run.crossings(), 0);
  }
}

TEST(ClothCollision, ThreadsDoNotChangeIt) {
  const std::uint64_t one = (set_threads(1), meet(1.0 / 192, 0.06));
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(meet(1.0 / 192, 0.06), one) << count;
  }
  set_threads(0);
}

}  // namespace
}  // namespace ymir::cloth_tests
