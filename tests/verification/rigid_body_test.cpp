// Rigid bodies through the solid system: free flight, joints, motors, limits, contact. [method notes: solids, section
// 7]
#include <fmt/format.h>

#include <cmath>

#include "rigid_run.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr Vec3d down{0, -9.81, 0};

TEST(RigidBody, HasTheInertiaOfItsBox) {
  RigidObject::Description d;
  d.density = 700;
  RigidRun run(box_surface({100, -40, 7}, {0.3, 0.2, 0.1}), d);
  const RigidBody& body = run.object().bodies()[0];
  const double mass = 700 * 0.3 * 0.2 * 0.1;
  EXPECT_NEAR(body.mass, mass, 1e-12 * mass);
  EXPECT_NEAR(body.moments.x, mass / 12 * (0.09 + 0.04), 1e-10);
  EXPECT_NEAR(body.moments.y, mass / 12 * (0.09 + 0.01), 1e-10);
  EXPECT_NEAR(body.moments.z, mass / 12 * (0.04 + 0.01), 1e-10);
  EXPECT_LE(norm(run.object().rest_poses()[0].position - Vec3d{100, -40, 7}), 1e-12 * 100);
}

// S9: the top that flips, period 5.0259 s. The box has moments 1 : 2 : 3.
TEST(RigidBody, FlipsAsTheTopDoes) {
  for (const double dt : {1.0 / 24, 1.0 / 96}) {
    RigidObject::Description d;
    // Spreads 2, 1 and next to nothing.
    const double sx = std::sqrt(12 * 2.0), sy = std::sqrt(12 * 1.0), sz = std::sqrt(12 * 1e-6);
    d.density = 1 / (sx * sy * sz);
    d.spin = {0.01, 5, 0.01};
    RigidRun run(box_surface({0, 0, 0}, {sx, sy, sz}), d);
    run.start();
    const double energy = run.energy(), spin = norm(run.pose().momentum);
    std::vector<double> flips;
    double least = 1, before = 1;
    while (run.time() < 20) {
      run.step(dt);
      const Quaternion& q = run.pose().rotation;
      // The middle axis of the body turns over: its angular velocity changes sign.
      const double along = rotate(conjugate(q), run.pose().momentum).y;
      if (flips.empty() && before == 1) before = along > 0 ? 1 : -1;
      if ((along > 0 ? 1 : -1) != before) {
        flips.push_back(run.time());
        before = -before;
      }
      least = std::min(least, run.energy() / energy);
      EXPECT_LE(run.energy() / energy, 1 + 1e-3);
      EXPECT_LE(std::fabs(norm(run.pose().momentum) / spin - 1), 1e-12);
    }
    fmt::print("dt 1/{:.0f}: energy {:.6f} at least, flips", 1 / dt, least);
    for (const double t : flips) fmt::print(" {:.3f}", t);
    fmt::print("\n");
    EXPECT_GE(least, 1 - 1e-3);
    ASSERT_EQ(flips.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(flips[k], 2.7411 + 5.0259 * static_cast<double>(k), 0.002 * flips[k] + dt) << k;
  }
}

// S10: a box on a pin, let go at 90 degrees; exact period 1.93623268 s. Backward Euler loses energy at first order.
TEST(RigidBody, SwingsAsAPendulum) {
  struct Case {
    double dt, period;
  };
  for (const Case& c : {Case{1.0 / 960, 0.9946}, {1.0 / 240, 0.980}, {1.0 / 96, 0.958}, {1.0 / 24, 0.907}}) {
    // Moment 1/12 about each axis through the centre: a cube of mass 1 and edge sqrt(1/2) [m], pin at 1/2 m.
    const double edge = std::sqrt(0.5);
    RigidObject::Description d;
    d.density = 1 / std::pow(edge, 3);
    RigidRun run(box_surface({0.5, 0, 0}, {edge, edge, edge}), d);
    run.join(JointKind::ball, {run.place(0, -1, {0, 0, 0})});
    run.gravity(down);
    run.start();
    double apart = 0, last_speed = 0, last_angle = -1, period = 0;
    int most = 0;
    for (double crossings = 0; crossings < 2 && run.time() < 5;) {
      most = std::max(most, run.step(c.dt));
      apart = std::max(apart, norm(run.at(0, {0, 0, 0})));
      const double angle = std::atan2(run.pose().position.x, -run.pose().position.y);
      const double speed = (angle - (last_angle < 0 && last_speed == 0 ? M_PI / 2 : last_angle)) / c.dt;
      // Turning points: the velocity changes sign.
      if (last_speed != 0 && speed * last_speed < 0) {
        ++crossings;
        period = run.time() - c.dt * (0.5 + std::fabs(speed) / (std::fabs(speed) + std::fabs(last_speed)));
      }
      last_speed = speed;
      last_angle = angle;
    }
    fmt::print("dt 1/{:.0f}: first period {:.4f} of exact, {} iterations at most, pin off by {:.1e} m\n", 1 / c.dt,
               period / 1.93623268, most, apart);
    EXPECT_NEAR(period / 1.93623268, c.period, 0.002 + 0.5 * c.dt / 1.93623268);  // found to half a step
    EXPECT_LE(apart, 1e-9);
    EXPECT_LE(most, 5);
  }
}

// Bodies joined by every kind of joint and thrown: momentum stays. Angular momentum is lost as backward Euler loses it,
// at first order: -dt^2 v x f per step.
TEST(RigidBody, JointsKeepMomentum) {
  for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::slider, JointKind::weld}) {
    double turned[2] = {0, 0};
    for (const int half : {0, 1}) {
      RigidObject::Description d;
      d.velocity = {1, 2, -0.5};
      d.spin = {3, -2, 4};
      RigidRun run(joined(joined(box_surface({0, 0, 0}, {0.2, 0.1, 0.15}), box_surface({0.3, 0, 0}, {0.1, 0.3, 0.1})),
                          box_surface({0.3, 0.4, 0}, {0.1, 0.1, 0.4})),
                   d);
      run.join(kind, {run.place(0, 1, {0.15, 0, 0}, normalized(Vec3d{1, 0.2, 0})),
                      run.place(1, 2, {0.3, 0.2, 0}, normalized(Vec3d{0, 1, 0.3}))});
      run.start();
      run.step(1e-4);  // the joints find velocities that fit them
      const Vec3d linear = run.momentum(), angular = run.angular_momentum();
      double off = 0;
      for (int k = 0; k < (half == 1 ? 400 : 200); ++k) {
        run.step(half == 1 ? 1.0 / 1600 : 1.0 / 800);
        off = std::max(off, norm(run.momentum() - linear) / norm(linear));
      }
      turned[half] = norm(run.angular_momentum() - angular) / norm(angular);
      fmt::print("joint {}: momentum {:.1e}, angular momentum {:.1e}\n", static_cast<int>(kind), off, turned[half]);
      EXPECT_LE(off, 1e-10);
      if (kind != JointKind::slider) EXPECT_LE(norm(run.at(0, {0.15, 0, 0}) - run.at(1, {0.15, 0, 0})), 1e-9);
    }
    EXPECT_NEAR(turned[1] / turned[0], 0.5, 0.1);
  }
}

// A slider without gravity across it falls freely along its axis, and not otherwise.
TEST(RigidBody, SlidesDownItsRail) {
  RigidRun run(box_surface({0, 0, 0}, {0.1, 0.2, 0.1}));
  const Vec3d axis = normalized(Vec3d{1, -1, 0});
  run.join(JointKind::slider, {run.place(0, -1, {0, 0, 0}, axis)});
  run.gravity(down);
  run.start();
  const double dt = 0.01;
  for (int k = 0; k < 100; ++k) run.step(dt);
  // Backward Euler: n (n + 1)/2 dt^2 a
  const double way = 100 * 101 / 2 * dt * dt * 9.81 * std::sqrt(0.5);
  EXPECT_LE(norm(run.pose().position - axis * way), 1e-8);
  EXPECT_LE(norm(quaternion_log(run.pose().rotation * conjugate(run.object().rest_poses()[0].rotation))), 1e-9);
}

TEST(RigidBody, HingesStopAtTheirLimit) {
  RigidRun run(box_surface({0.5, 0, 0}, {1, 0.1, 0.1}));
  JointDrive drive;
  drive.low = -0.6;
  drive.high = 0.1;
  run.join(JointKind::hinge, {run.place(0, -1, {0, 0, 0}, {0, 0, 1})}, drive);
  run.gravity(down);
  run.start();
  double lowest = 0;
  for (int k = 0; k < 300; ++k) {
    run.step(1.0 / 100);
    lowest = std::min(lowest, std::asin(run.at(0, {1, 0, 0}).y));
  }
  EXPECT_NEAR(lowest, -0.6, 1e-8);
  EXPECT_NEAR(std::asin(run.at(0, {1, 0, 0}).y), -0.6, 1e-8);
  EXPECT_LE(norm(run.object().angular_velocity(0)), 1e-6);
}

// A motor of torque tau about a fixed axis: alpha = tau / I until the speed is reached, then that speed; it turns many
// times round.
TEST(RigidBody, MotorsTurnAtTheirSpeed) {
  RigidRun run(box_surface({0, 0, 0}, {0.4, 0.2, 0.3}));
  const RigidBody& body = run.object().bodies()[0];
  const double inertia = body.mass / 12 * (0.16 + 0.09), torque = 2;
  JointDrive drive;
  drive.motor_speed = 7;
  drive.motor_strength = torque;
  run.join(JointKind::hinge, {run.place(0, -1, {0, 0, 0}, {0, 1, 0})}, drive);
  run.start();
  const double dt = 1.0 / 240;
  const int spin_up = static_cast<int>(7 / (torque / inertia) / dt);
  for (int k = 1; k <= spin_up; ++k) {
    run.step(dt);
    if (k % 20 == 0) EXPECT_NEAR(run.object().angular_velocity(0).y, torque / inertia * dt * k, 1e-6) << k;
  }
  for (int k = 0; k < 480; ++k) run.step(dt);
  EXPECT_NEAR(run.object().angular_velocity(0).y, 7, 1e-7);
}

// A motor with a relaxation time T goes to its target as dphi/dt = (target - phi)/T, with error of first order; no
// faster than its largest speed.
TEST(RigidBody, MotorsSlowDownBeforeTheirTarget) {
  const double target = 1.2, relaxation = 0.25, end = 0.5;
  const auto angle_at_end = [&](int steps, std::optional<double> fastest) {
    RigidRun run(box_surface({0, 0, 0}, {0.4, 0.2, 0.3}));
    JointDrive drive;
    drive.motor_target = target;
    drive.motor_relaxation = relaxation;
    drive.motor_speed = fastest;
    run.join(JointKind::hinge, {run.place(0, -1, {0, 0, 0}, {0, 1, 0})}, drive);
    run.start();
    for (int k = 0; k < steps; ++k) run.step(end / steps);
    const Vec3d x = run.at(0, {1, 0, 0});
    return std::atan2(-x.z, x.x);
  };
  const double exact = target * (1 - std::exp(-end / relaxation));
  for (const int steps : {20, 40, 80}) {
    EXPECT_NEAR(angle_at_end(steps, {}), target * (1 - std::pow(1 + end / steps / relaxation, -steps)), 1e-9);
    EXPECT_NEAR((angle_at_end(steps, {}) - exact) / (angle_at_end(2 * steps, {}) - exact), 2, 0.1);
  }
  EXPECT_NEAR(angle_at_end(50, 0.4), 0.2, 1e-9);
}

// With a largest torque it brakes with that torque too, and comes to rest without swinging over.
TEST(RigidBody, WeakMotorsBrakeBeforeTheirTarget) {
  RigidRun run(box_surface({0, 0, 0}, {0.4, 0.2, 0.3}));
  const double inertia = run.object().bodies()[0].mass / 12 * (0.16 + 0.09);
  JointDrive drive;
  drive.motor_target = 1;
  drive.motor_relaxation = 0.3;
  drive.motor_strength = 10 * inertia;
  run.join(JointKind::hinge, {run.place(0, -1, {0, 0, 0}, {0, 1, 0})}, drive);
  run.start();
  double most = 0;
  for (int k = 0; k < 1200; ++k) {
    run.step(1.0 / 240);
    const Vec3d x = run.at(0, {1, 0, 0});
    most = std::max(most, std::atan2(-x.z, x.x));
    if (k == 23) EXPECT_NEAR(run.object().angular_velocity(0).y, 10 * 0.1, 1e-6) << "as fast as its torque allows";
  }
  EXPECT_LT(most, 1 + 1e-9);
  EXPECT_NEAR(most, 1, 1e-6);
}

// One that is as strong as it takes stops at the limits.
TEST(RigidBody, UnyieldingMotorsStopAtTheLimits) {
  RigidRun run(box_surface({0, 0, 0}, {0.4, 0.2, 0.3}));
  JointDrive drive;
  drive.motor_speed = 3;
  drive.high = 0.5;
  run.join(JointKind::hinge, {run.place(0, -1, {0, 0, 0}, {0, 1, 0})}, drive);
  run.start();
  for (int k = 0; k < 100; ++k) {
    run.step(0.01);
    const Vec3d x = run.at(0, {1, 0, 0});
    EXPECT_NEAR(std::atan2(-x.z, x.x), std::min(0.03 * (k + 1), 0.5), 1e-9) << k;
  }
  EXPECT_LT(norm(run.object().angular_velocity(0)), 1e-9);
}

// A motor that is too weak for the load lets it sink.
TEST(RigidBody, WeakMotorsGiveWay) {
  for (const double strength : {0.5, 2.0}) {
    RigidRun run(box_surface({0.5, 0, 0}, {1, 0.1, 0.1}));
    const double load = run.object().bodies()[0].mass * 9.81 * 0.5;
    JointDrive drive;
    drive.motor_target = 0;
    drive.motor_strength = strength * load;
    run.join(JointKind::hinge, {run.place(0, -1, {0, 0, 0}, {0, 0, 1})}, drive);
    run.gravity(down);
    run.start();
    for (int k = 0; k < 50; ++k) run.step(0.01);
    if (strength > 1)
      EXPECT_NEAR(run.at(0, {1, 0, 0}).y, 0, 1e-8);
    else
      EXPECT_LT(run.at(0, {1, 0, 0}).y, -0.3);
  }
}

// Dry friction in a hinge: a spinning wheel slows at tau/I and stands still.
TEST(RigidBody, FrictionStopsAWheel) {
  RigidObject::Description d;
  d.spin = {0, 3, 0};
  RigidRun run(box_surface({0, 0, 0}, {0.4, 0.2, 0.4}), d);
  const double inertia = run.object().bodies()[0].mass / 12 * (0.16 + 0.16);
  JointDrive drive;
  drive.friction = 1.5 * inertia;  // it stands after 2 s
  run.join(JointKind::hinge, {run.place(0, -1, {0, 0, 0}, {0, 1, 0})}, drive);
  run.start();
  for (int k = 0; k < 100; ++k) run.step(0.01);
  EXPECT_NEAR(run.object().angular_velocity(0).y, 1.5, 1e-6);
  for (int k = 0; k < 150; ++k) run.step(0.01);
  EXPECT_NEAR(run.object().angular_velocity(0).y, 0, 1e-9);
}

// A hanging chain carries the weight of what hangs below: every joint holds, for a chain of few links and of many.
TEST(RigidBody, ChainsHang) {
  for (const int links : {2, 20, 200}) {
    Surface chain;
    for (int k = 0; k < links; ++k) chain = joined(std::move(chain), box_surface({0, -0.1 * k, 0}, {0.02, 0.1, 0.02}));
    RigidRun run(std::move(chain));
    std::vector<JointPlace> places{run.place(0, -1, {0, 0.05, 0})};
    for (int k = 1; k < links; ++k)
      places.push_back(run.place(static_cast<std::size_t>(k), k - 1, {0, 0.05 - 0.1 * k, 0}));
    run.join(JointKind::ball, places);
    run.gravity(normalized(Vec3d{0.5, -1, 0.2}) * 9.81);  // it has to swing
    run.start();
    int most = 0;
    double apart = 0;
    for (int k = 0; k < 48; ++k) {
      most = std::max(most, run.step(1.0 / 48));
      for (int l = 1; l < links; ++l)
        apart = std::max(apart, norm(run.at(static_cast<std::size_t>(l), {0, 0.05 - 0.1 * l, 0}) -
                                     run.at(static_cast<std::size_t>(l) - 1, {0, 0.05 - 0.1 * l, 0})));
    }
    fmt::print("{} links: {} iterations at most, joints off by {:.1e} m\n", links, most, apart);
    EXPECT_LE(apart, 1e-9);
    EXPECT_LE(most, 12);
  }
}

// On a slope: slides at g (sin - mu cos) above the angle of friction, stays below it, for bodies of all sizes.
TEST(RigidBody, SticksAndSlidesOnASlope) {
  for (const double edge : {0.002, 0.1, 5.0})
    for (const double degrees : {10.0, 30.0}) {
      const double angle = degrees * M_PI / 180, mu = 0.3, dt = 1.0 / 200;
      RigidRun run(box_surface({0, edge * 0.25 + 1e-4 * edge, 0}, {edge, edge * 0.5, edge}));
      Collider plane;
      plane.distance = [](Vec3d x) { return DistanceSample{x.y, {0, 1, 0}}; };
      add_rigid_contact(run.object(), "plane", solid_during(plane), {200, mu, 1e-4 * edge});
      run.gravity(Vec3d{std::sin(angle), -std::cos(angle), 0} * 9.81);
      run.start();
      for (int k = 0; k < 100; ++k) run.step(dt);
      const double before = run.pose().velocity.x;
      const Vec3d place = run.pose().position;
      for (int k = 0; k < 100; ++k) run.step(dt);
      const double acceleration = (run.pose().velocity.x - before) / (100 * dt);
      const double expected = degrees > 20 ? 9.81 * (std::sin(angle) - mu * std::cos(angle)) : 0;
      fmt::print("edge {} m, {} degrees: {:.5f} m/s^2, expected {:.5f}\n", edge, degrees, acceleration, expected);
      EXPECT_NEAR(acceleration, expected, 1e-4 * 9.81);
      if (degrees < 20) EXPECT_LE(norm(run.pose().position - place), 1e-6 * edge);
    }
}

TEST(RigidBody, HasTheSameBitsOnEveryThreadCount) {
  const int before = threads();
  std::uint64_t hash[3];
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    Surface chain;
    for (int k = 0; k < 700; ++k) chain = joined(std::move(chain), box_surface({0, -0.1 * k, 0}, {0.02, 0.1, 0.02}));
    RigidRun run(std::move(chain));
    std::vector<JointPlace> places{run.place(0, -1, {0, 0.05, 0})};
    for (int k = 1; k < 700; ++k)
      places.push_back(run.place(static_cast<std::size_t>(k), k - 1, {0, 0.05 - 0.1 * k, 0}));
    run.join(JointKind::ball, places);
    run.gravity({1, -9, 2});
    run.start();
    for (int k = 0; k < 3; ++k) run.step(1.0 / 48);
    hash[count - 1] = run.object().hash();
  }
  set_threads(before);
  EXPECT_EQ(hash[1], hash[0]);
  EXPECT_EQ(hash[2], hash[0]);
}

}  // namespace
}  // namespace ymir
