// Exact Coulomb contact of rigid bodies: cases with an answer on paper [method notes, contact, 6].
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "contact_bodies.h"

namespace ymir::contact_bodies {
namespace {

constexpr double g = 9.81, pi = 3.14159265358979323846;
const Vec3d down{0, 0, -g};

Vec3d tilted(double angle) { return Vec3d{std::sin(angle), 0, -std::cos(angle)} * g; }

TEST(CoulombContact, ABoxOnFourCornersSticksOrSlidesOnAnIncline) {
  for (const double degrees : {20.0, 26.0, 27.0, 40.0}) {
    const double angle = degrees * pi / 180, dt = 0.01;
    std::vector<Body> bodies{box(1, {0.1, 0.1, 0.02}, {0, 0, 0.02})};
    std::vector<Contact> contacts = corners(0, -1, {}, 0.1, 0.5);
    EXPECT_EQ(step(bodies, contacts, tilted(angle), dt).report.status, CoulombStatus::solved);
    EXPECT_NEAR(bodies[0].v.x / dt, std::max(0.0, g * (std::sin(angle) - 0.5 * std::cos(angle))), 1e-9) << degrees;
    EXPECT_NEAR(bodies[0].v.z, 0, 1e-11);
  }
}

TEST(CoulombContact, ATallBoxTipsWhereItsCentreLeavesItsBase) {
  for (const double factor : {0.99, 1.01}) {
    const double angle = std::atan(0.25 * factor), dt = 0.01;
    std::vector<Body> bodies{box(1, {0.05, 0.05, 0.2}, {0, 0, 0.2})};
    std::vector<Contact> contacts = corners(0, -1, {}, 0.05, 1);
    EXPECT_EQ(step(bodies, contacts, tilted(angle), dt).report.status, CoulombStatus::solved);
    // About the lower edge: m g (h sin - w cos) / I, I = m (h2 + w2) (1/3 + 1), half sizes h and w.
    const double torque = 0.2 * std::sin(angle) - 0.05 * std::cos(angle), inertia = (0.2 * 0.2 + 0.05 * 0.05) * 4 / 3;
    EXPECT_NEAR(bodies[0].spin.y / dt, std::max(0.0, g * torque / inertia), 1e-8);
  }
}

TEST(CoulombContact, AStackStandsWithItsWeightOnTheGround) {
  for (const int k : {5, 10, 20}) {
    std::vector<Body> bodies;
    std::vector<Contact> contacts;
    stack(k, 0.5, bodies, contacts);
    const double dt = 0.01;
    const Step done = step(bodies, contacts, down, dt);
    EXPECT_EQ(done.report.status, CoulombStatus::solved);
    EXPECT_LE(done.report.steps, 10);
    double bottom = 0, speed = 0;
    for (int i = 0; i < 4; ++i) bottom += contacts[i].impulse.z;
    for (const Body& body : bodies) speed = std::max(speed, norm(body.v));
    EXPECT_NEAR(bottom / (k * g * dt), 1, 1e-9) << k;
    EXPECT_LT(speed, 1e-10);
  }
}

// Two cards lean on each other: tan(angle)/2 is the least friction.
TEST(CoulombContact, AHouseOfCardsStandsFromItsLeastFrictionOn) {
  const double angle = pi / 6, length = 0.5, dt = 0.001;
  for (const double factor : {0.98, 0.999, 1.001, 1.02}) {
    const double mu = factor * std::tan(angle) / 2, foot = length * std::sin(angle), top = length * std::cos(angle);
    std::vector<Body> bodies;
    std::vector<Contact> contacts;
    for (const double side : {-1.0, 1.0}) {
      const double i = length * length / 12;
      bodies.push_back({1, {i, i, i}, {side * foot / 2, 0, top / 2}, {}, {}});
    }
    for (const double y : {-0.1, 0.1}) {
      contacts.push_back({0, -1, {-foot, y, 0}, {0, 0, 1}, mu});
      contacts.push_back({1, -1, {foot, y, 0}, {0, 0, 1}, mu});
      contacts.push_back({1, 0, {0, y, top}, {1, 0, 0}, mu});
    }
    EXPECT_EQ(step(bodies, contacts, down, dt).report.status, CoulombStatus::solved);
    const double speed = (norm(bodies[0].v) + norm(bodies[0].spin) * length) / (g * dt);
    if (factor > 1)
      EXPECT_LT(speed, 1e-9) << factor;
    else
      EXPECT_GT(speed, 1e-4) << factor;
  }
}

TEST(CoulombContact, ThreeCylindersStandFromTheirLeastFrictionOn) {
  const double radius = 0.1, dt = 0.001;
  for (const double factor : {0.98, 1.02}) {
    const double mu = factor * (2 - std::sqrt(3.0)), i = 0.5 * radius * radius;
    std::vector<Body> bodies;
    for (const Vec3d x :
         {Vec3d{-radius, 0, radius}, Vec3d{radius, 0, radius}, Vec3d{0, 0, radius * (1 + std::sqrt(3.0))}})
      bodies.push_back({1, {i, i, i}, x, {}, {}});
    std::vector<Contact> contacts;
    const auto line = [&](int a, int b, Vec3d at, Vec3d normal) {
      for (const double y : {-0.1, 0.1}) contacts.push_back({a, b, at + Vec3d{0, y, 0}, normal, mu});
    };
    line(0, -1, {-radius, 0, 0}, {0, 0, 1});
    line(1, -1, {radius, 0, 0}, {0, 0, 1});
    line(1, 0, {0, 0, radius}, {1, 0, 0});
    for (int s = 0; s < 2; ++s) line(2, s, (bodies[2].x + bodies[s].x) / 2.0, normalized(bodies[2].x - bodies[s].x));
    EXPECT_EQ(step(bodies, contacts, down, dt).report.status, CoulombStatus::solved);
    const double falls = -bodies[2].v.z / (g * dt);
    if (factor > 1)
      EXPECT_LT(std::fabs(falls), 1e-9);
    else
      EXPECT_NEAR(falls, 1.9e-3, 1e-4);
  }
}

TEST(CoulombContact, ASlidingBlockStopsAfterTheDiscretePath) {
  const double dt = 0.01, mu = 0.3;
  Body block = box(1, {0.05, 0.05, 0.05}, {0, 0, 0.05});
  block.v.x = 1;
  std::vector<Body> bodies{block};
  double path = 0, expected = 0;
  int steps = 0;
  for (; steps < 200 && norm(bodies[0].v) > 1e-10; ++steps) {
    std::vector<Contact> contacts = corners(0, -1, {bodies[0].x.x, 0, 0}, 0.05, mu);
    step(bodies, contacts, down, dt);
    path += dt * bodies[0].v.x;
  }
  for (int k = 1; 1 - k * mu * g * dt > 0; ++k) expected += dt * (1 - k * mu * g * dt);
  EXPECT_EQ(steps, 34);
  EXPECT_NEAR(path, expected, 1e-9);
  EXPECT_NEAR(path, 0.164897700, 1e-9);
}

TEST(CoulombContact, ASphereThrownSlidingRollsAtFiveSeventhsOfItsSpeed) {
  const double radius = 0.1, i = 0.4 * radius * radius;
  std::vector<Body> bodies{{1, {i, i, i}, {0, 0, radius}, {1, 0, 0}, {}}};
  for (int k = 0; k < 100; ++k) {
    std::vector<Contact> contacts{{0, -1, {bodies[0].x.x, 0, 0}, {0, 0, 1}, 0.2}};
    step(bodies, contacts, down, 0.01);
  }
  EXPECT_NEAR(bodies[0].v.x, 5.0 / 7, 1e-12);
  EXPECT_NEAR(bodies[0].spin.y * radius, 5.0 / 7, 1e-12);
}

TEST(CoulombContact, ABlockOnAShakenTableSticksBelowTheCriticalAcceleration) {
  const double omega = 4 * pi, mu = 0.4, dt = 1e-3;
  for (const double factor : {0.99, 1.01}) {
    const double amplitude = factor * mu * g / (omega * omega);
    std::vector<Body> bodies{box(1, {0.05, 0.05, 0.02}, {0, 0, 0.02})};
    bodies[0].v.x = amplitude * omega;
    double slip = 0;
    for (int k = 0; k < 500; ++k) {
      const double belt = amplitude * omega * std::cos(omega * (k + 1) * dt);
      std::vector<Contact> contacts = corners(0, -1, {bodies[0].x.x, 0, 0}, 0.05, mu);
      for (Contact& c : contacts) c.belt = {belt, 0, 0};
      step(bodies, contacts, down, dt);
      bodies[0].x.z = 0.02;
      slip = std::max(slip, std::fabs(bodies[0].v.x - belt));
    }
    if (factor < 1)
      EXPECT_LT(slip, 1e-10);
    else
      EXPECT_NEAR(slip, 5.9e-4, 2e-5);
  }
}

// A bar on two rollers that turn towards each other: whichever it is nearer to bears more of it and drives it back. It
// swings with (T/2 pi)^2 = (L - mu h)/(mu g), L half the distance of the rollers, h its middle above them.
TEST(CoulombContact, ABarOnTurningRollersSwings) {
  const double apart = 0.5, above = 0.02, mu = 0.3, dt = 1e-3, start = 0.1;
  const double period = 2 * pi * std::sqrt((apart - mu * above) / (mu * g));
  EXPECT_NEAR(period, 2.57424, 1e-5);
  std::vector<Body> bodies{box(1, {1, 0.05, above}, {start, 0, above})};
  std::vector<double> turns;  // when it passes the middle [s]
  double swing = 0;
  for (int k = 0; k < 9000; ++k) {
    std::vector<Contact> contacts;
    for (const double side : {-1.0, 1.0})
      for (const double y : {-0.05, 0.05})
        contacts.push_back({0, -1, {side * apart, y, 0}, {0, 0, 1}, mu, {-side, 0, 0}});
    const double before = bodies[0].x.x;
    EXPECT_EQ(step(bodies, contacts, down, dt).report.status, CoulombStatus::solved);
    const double after = bodies[0].x.x;
    if (before * after <= 0) turns.push_back((k + before / (before - after)) * dt);
    if (turns.size() >= 5) swing = std::max(swing, std::fabs(after));
  }
  ASSERT_GE(turns.size(), 6U);
  EXPECT_NEAR((turns[5] - turns[1]) / 2, period, 5e-5);
  EXPECT_NEAR(swing, start, 1e-4);
}

// A row of blocks without friction pushed against a wall: all the momentum goes through every gap, and the last one.
TEST(CoulombContact, ARowOfBlocksHandsAllItsMomentumToTheWall) {
  for (const int n : {10, 50, 200}) {
    std::vector<Body> bodies;
    std::vector<Contact> contacts;
    for (int i = 0; i < n; ++i) {
      bodies.push_back(box(1.0 / n, {0.05, 0.05, 0.05}, {0.1 * i, 0, 0}));
      bodies.back().v.x = -1;
      contacts.push_back({i, i - 1, {0.1 * i - 0.05, 0, 0}, {1, 0, 0}, 0});
    }
    EXPECT_EQ(step(bodies, contacts, {0, 0, 0}, 0.01).report.status, CoulombStatus::solved);
    EXPECT_NEAR(contacts[0].impulse.x, 1, 1e-9) << n;
    EXPECT_NEAR(contacts[static_cast<std::size_t>(n - 1)].impulse.x, 1.0 / n, 1e-9) << n;
    for (const Body& body : bodies) EXPECT_LT(norm(body.v), 1e-9) << n;
  }
}

// A heavy top over light boxes: the mass ratio that sweeps alone do not survive.
TEST(CoulombContact, AStackUnderAHeavyTopStands) {
  for (const int k : {5, 10}) {
    std::vector<Body> bodies;
    std::vector<Contact> contacts;
    stack(k, 0.5, bodies, contacts);
    bodies.back().mass *= 1e4;
    bodies.back().inertia *= 1e4;
    const Step done = step(bodies, contacts, down, 0.01, {.tolerance = 1e-9});
    EXPECT_EQ(done.report.status, CoulombStatus::solved);
    double bottom = 0;
    for (int i = 0; i < 4; ++i) bottom += contacts[i].impulse.z;
    EXPECT_NEAR(bottom / ((k - 1 + 1e4) * g * 0.01), 1, 1e-5) << k;
  }
}

}  // namespace
}  // namespace ymir::contact_bodies
