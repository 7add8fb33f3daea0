// Chains of rigid bodies: hinges with limits and friction, welds. What joints hold, what friction does, and what moving
// with others conserves, for few links and many.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "rigid_run.h"

namespace ymir {
namespace {

constexpr double acceleration = 9.81, edge = 0.02, pitch = 0.03;
constexpr Vec3d down{0, -acceleration, 0};

// Boxes in a row from `begin`, each joined to the next halfway between them, the first to the world.
class ChainRun : public RigidRun {
 public:
  ChainRun(int links, Vec3d begin, Vec3d along, JointKind kind, JointKind end, const JointDrive& drive = {},
           const RigidObject::Description& d = {}, bool held = true)
      : RigidRun(row(links, begin, along), d), links_(static_cast<std::size_t>(links)), begin_(begin), along_(along) {
    std::vector<JointPlace> places;
    for (std::size_t k = 1; k < links_; ++k) places.push_back(place(k, static_cast<int>(k) - 1, before(k), {0, 0, 1}));
    if (links > 1) join(kind, places, drive);
    if (held) join(end, {place(0, -1, before(0), {0, 0, 1})});
  }
  static Surface row(int links, Vec3d begin, Vec3d along) {
    Surface all;
    for (int k = 0; k < links; ++k)
      all = joined(std::move(all), box_surface(begin + along * (pitch * k), {edge, edge, edge}));
    return all;
  }
  Vec3d before(std::size_t link) const { return begin_ + along_ * (pitch * (static_cast<double>(link) - 0.5)); }
  double mass() { return object().bodies()[0].mass; }
  double total_energy() {
    double sum = energy();
    for (std::size_t k = 0; k < links_; ++k) sum += mass() * acceleration * (pose(k).position.y - begin_.y);
    return sum;
  }
  // Largest angle of the hinges between links.
  double most_angle() {
    double most = 0;
    if (links_ > 1)
      for (const double angle : solids().couplings()[0]->state()) most = std::max(most, std::fabs(angle));
    return most;
  }
  double apart() {
    double most = norm(at(0, before(0)) - before(0));
    for (std::size_t k = 1; k < links_; ++k) most = std::max(most, norm(at(k, before(k)) - at(k - 1, before(k))));
    return most;
  }
  std::size_t links() const { return links_; }

 private:
  std::size_t links_;
  Vec3d begin_, along_;
};

JointDrive limited(double limit, double friction) {
  JointDrive drive;
  drive.low = -limit;
  drive.high = limit;
  drive.friction = friction;
  return drive;
}

// Every substep converges (RigidRun::step), no angle passes its limit, no joint opens, energy never grows.
TEST(JointedChain, KeepsItsLimitsAndNeverGainsEnergy) {
  struct Case {
    int links, substeps;
    bool hanging;
    double degrees, far;
  };
  std::vector<Case> cases;
  for (const int links : {2, 10, 60, 200})
    for (const int substeps : {1, 2, 8})
      for (const bool hanging : {false, true}) cases.push_back({links, substeps, hanging, 0, 0});
  for (const int links : {10, 60}) {
    cases.push_back({links, 1, false, 30, 0});
    cases.push_back({links, 2, false, 30, 1000});
    cases.push_back({links, 2, true, 30, 1000});
  }
  const double limit = 0.1;
  for (const Case& c : cases) {
    const double angle = c.degrees * M_PI / 180;
    const Vec3d along =
        c.hanging ? Vec3d{std::sin(angle), -std::cos(angle), 0} : Vec3d{std::cos(angle), std::sin(angle), 0};
    ChainRun run(c.links, {c.far, 0, 0}, along, JointKind::hinge, JointKind::ball, limited(limit, 0.1));
    run.gravity(down);
    run.start();
    const double dt = 1.0 / (24 * c.substeps), scale = run.mass() * acceleration * pitch * c.links * c.links;
    double before = run.total_energy(), gained = 0, over = 0, apart = 0;
    int most = 0;
    for (int k = 0; k < (c.links == 200 ? 3 : 24) * c.substeps; ++k) {
      most = std::max(most, run.step(dt));
      const double now = run.total_energy();
      gained = std::max(gained, (now - before) / scale);
      before = now;
      over = std::max(over, run.most_angle() - limit);
      apart = std::max(apart, run.apart());
    }
    const std::string name = fmt::format("{} links, {} substeps, {}, {} degrees, {} m away", c.links, c.substeps,
                                         c.hanging ? "hanging" : "falling", c.degrees, c.far);
    fmt::print("{}: {} iterations at most, over the limit by {:.1e}, apart by {:.1e} m, gained {:.1e}\n", name, most,
               std::max(over, 0.0), apart, gained);
    EXPECT_LE(over, 1e-6) << name;
    EXPECT_LE(apart, 1e-9) << name;
    EXPECT_LE(gained, 1e-10) << name;
    EXPECT_LE(most, 10) << name;
  }
}

// The links of a chain of hinges stand still where friction is stronger than the weight of all that hangs on them.
TEST(JointedChain, StandsStillWhereFrictionIsStronger) {
  for (const int links : {1, 2, 20, 60}) {
    JointDrive drive;
    const double load = 8e-3 * acceleration * pitch * links * links / 2;  // about the first joint [N m]
    drive.friction = 1.01 * load;
    ChainRun run(links, {0, 0, 0}, {1, 0, 0}, JointKind::hinge, JointKind::weld, drive, {}, false);
    run.join(JointKind::hinge, {run.place(0, -1, run.before(0), {0, 0, 1})}, drive);
    run.gravity(down);
    run.start();
    double fastest = 0;
    for (int k = 0; k < 24; ++k) {
      run.step(1.0 / 24);
      for (std::size_t b = 0; b < run.links(); ++b) fastest = std::max(fastest, norm(run.object().angular_velocity(b)));
    }
    fmt::print("{} links: {:.1e} rad/s\n", links, fastest);
    EXPECT_LE(fastest, 1e-9);
  }
}

// One that is weaker resists with all it has: (I + m l^2) dw/dt = m g l cos(angle) - friction, as backward Euler has
// it.
TEST(JointedChain, SlipsWithTheTorqueOfFriction) {
  ChainRun run(1, {0, 0, 0}, {1, 0, 0}, JointKind::hinge, JointKind::hinge, {}, {}, false);
  const double arm = pitch / 2, mass = run.mass(), inertia = mass * edge * edge / 6, load = mass * acceleration * arm;
  JointDrive drive;
  drive.friction = 0.4 * load;
  run.join(JointKind::hinge, {run.place(0, -1, run.before(0), {0, 0, 1})}, drive);
  run.gravity(down);
  run.start();
  const double dt = 1e-3;
  double spin = 0;
  Vec3d velocity{0, 0, 0};
  for (int k = 0; k < 20; ++k) {
    run.step(dt);
    const Vec3d lever = run.pose().position - run.before(0), change = (run.pose().velocity - velocity) / dt;
    const double now = run.object().angular_velocity(0).z;
    // About the pin: the torque of inertia is that of gravity and friction, at the end of the step.
    const double torque = inertia * (now - spin) / dt + cross(lever, change).z * mass;
    EXPECT_NEAR(torque, -mass * acceleration * lever.x + drive.friction, 1e-7 * load) << k;
    spin = now;
    velocity = run.pose().velocity;
  }
  const double free = (load - drive.friction) / (inertia + mass * arm * arm);
  EXPECT_NEAR(spin, -free * 20 * dt, 0.02 * free * 20 * dt);  // its angle by then: 0.1 rad
}

// Welds are as rigid as one body: a row that is held at one end does not sag, and takes no longer per link.
TEST(JointedChain, WeldsAreAsOneBody) {
  double time[2] = {0, 0};
  for (const int k : {0, 1}) {
    const int links = k == 0 ? 100 : 300;
    ChainRun run(links, {0, 0, 0}, {1, 0, 0}, JointKind::weld, JointKind::weld);
    run.gravity(down);
    run.start();
    const std::size_t last = run.links() - 1;
    const Vec3d tip = run.pose(last).position;
    int most = 0;
    double off = 0, least = 1e300;
    for (int s = 0; s < 24; ++s) {
      const auto from = std::chrono::steady_clock::now();
      most = std::max(most, run.step(1.0 / 24));
      least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count());
      off = std::max(off, norm(run.pose(last).position - tip));
    }
    time[k] = least;
    fmt::print("{} welds: end off by {:.1e} m, {} iterations at most, {:.2f} ms each substep\n", links, off, most,
               1e3 * least);
    EXPECT_LE(off, 1e-9);
    EXPECT_LE(most, 4);
  }
  EXPECT_LE(time[1], 3 * 3 * time[0] / 2)
      << "three times as many links take three times as long, or half as much again";
}

// Thrown and turning: what joints do to each other adds up to no force and no torque. (Backward Euler takes the torque
// where the step ends and so loses angular momentum itself, dt^2 v x f per step: what is summed here is what acted.)
TEST(JointedChain, JointsExertNoTorqueOnTheWhole) {
  for (const JointKind kind : {JointKind::hinge, JointKind::weld, JointKind::ball}) {
    RigidObject::Description d;
    d.velocity = {1, 2, -0.5};
    d.spin = {3, -2, 4};
    ChainRun run(40, {0, 0, 0}, {1, 0, 0}, kind, kind, kind == JointKind::hinge ? limited(0.2, 1e-4) : JointDrive{}, d,
                 false);
    run.start();
    double worst = 0, force = 0;
    const double dt = 1.0 / 240, scale = norm(run.angular_momentum());
    const Vec3d thrown = run.momentum();
    for (int k = 0; k < 60; ++k) {
      std::vector<RigidPose> before;
      for (std::size_t b = 0; b < run.links(); ++b) before.push_back(run.pose(b));
      run.step(dt);
      Vec3d torque{0, 0, 0};
      for (std::size_t b = 0; b < run.links(); ++b)
        torque += run.pose(b).momentum - before[b].momentum +
                  cross(run.pose(b).position, run.pose(b).velocity - before[b].velocity) * run.mass();
      worst = std::max(worst, norm(torque) / scale);
      force = std::max(force, norm(run.momentum() - thrown) / norm(thrown));
    }
    fmt::print("joint {}: angular momentum exerted {:.1e} of what there is, momentum off by {:.1e}\n",
               static_cast<int>(kind), worst, force);
    EXPECT_LE(worst, 1e-10);
    EXPECT_LE(force, 1e-10);
  }
}

}  // namespace
}  // namespace ymir
