// Strands that touch at their surfaces: they roll, and together they keep their angular momentum.
#include <fmt/format.h>

#include "strands_run.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295;
constexpr double radius = 1e-2, never = std::numeric_limits<double>::infinity();

StrandsCase loose(const std::vector<Polyline>& lines) {
  StrandsCase c;
  c.strands = lines;
  c.clamped = false;
  c.radius = radius;
  c.newton = {1e-11, 100};
  return c;
}

// Mean velocity of a strand, and angular velocity about its edges.
struct Motion {
  Vec3d velocity{0, 0, 0};
  double spin = 0;
};
Motion motion_of(CurvesObject& object, std::size_t strand) {
  const Strand s = object.strands().copy_all()[strand];
  const RodChannels& c = object.rod_channels();
  Motion m;
  double mass = 0, inertia = 0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(s.vertices); ++i) {
    for (int k = 0; k < 3; ++k) m.velocity[k] += s.channel(c.mass)[i] * s.channel(c.velocity + k)[i];
    m.spin += s.channel(c.inertia)[i] * s.channel(c.spin)[i];
    mass += s.channel(c.mass)[i];
    inertia += s.channel(c.inertia)[i];
  }
  return {m.velocity / mass, m.spin / inertia};
}

TouchedCollider floor_for(SolidObject& object, double friction) {
  TouchedCollider collider;
  collider.friction = friction;
  collider.objects = {&object};
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  return collider;
}

// Rods across a slope that is seen level; `strands`: few or many contacts.
struct OnAFloor {
  StrandsRun run;
  CurvesObject& object;

  OnAFloor(double slope, double mu, int strands, double speed) : object(run.add(rods(strands))) {
    run.load = [slope](const StrandsRun::Vertex& v) {
      return Vec3d{g * std::sin(slope), -g * std::cos(slope), 0} * v.mass;
    };
    run.solids().add(object);
    run.solids().contacts().add_collider(floor_for(object, mu));
    run.start();
    for (int s = 0; s < strands; ++s)
      for (int i = 0; i <= 16; ++i) run.set_velocity(0, s, i, {speed, 0, 0});
  }
  static StrandsCase rods(int strands) {
    std::vector<Polyline> lines;
    for (int s = 0; s < strands; ++s) lines.push_back(line({0.1 * s, radius, 0}, {0.1 * s, radius, 1}, 16));
    return loose(lines);
  }
  Motion after(double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
      run.step(dt);
      run.solids().accept();
    }
    return motion_of(object, 0);
  }
};

// It slides until friction has given it the spin: v = 2/3 of what it was, I = m r^2/2.
TEST(Rolling, ARodThatIsThrownAcrossItsAxisRollsInTheEnd) {
  for (const int strands : {1, 8}) {
    const Motion end = OnAFloor(0, 0.2, strands, 1).after(1.0 / 96, 24);
    fmt::print("{} strands: {:.12f} m/s, {:.12f} rad/s\n", strands, end.velocity.x, end.spin);
    EXPECT_NEAR(end.velocity.x, 2.0 / 3, 1e-3);
    EXPECT_NEAR(std::fabs(end.spin) * radius, 2.0 / 3, 1e-3);
  }
}

TEST(Rolling, OnASlopeItRollsOrSlidesAsFrictionAllows) {
  constexpr double dt = 1.0 / 96, angle = 30 * degree;
  for (const int strands : {1, 8}) {
    for (const double mu : {0.25, 0.6}) {  // from tan/3 = 0.19 on
      const double a = OnAFloor(angle, mu, strands, 0).after(dt, 24).velocity.x / (24 * dt);
      fmt::print("{} strands: {:.12f} of {:.12f}\n", strands, a, 2.0 / 3 * g * std::sin(angle));
      EXPECT_NEAR(a, 2.0 / 3 * g * std::sin(angle), 1e-3) << mu;
    }
    for (const double mu : {0.05, 0.15}) {
      const Motion end = OnAFloor(angle, mu, strands, 0).after(dt, 24);
      EXPECT_NEAR(end.velocity.x / (24 * dt), g * (std::sin(angle) - mu * std::cos(angle)), 1e-3) << mu;
      EXPECT_NEAR(std::fabs(end.spin) * radius / (24 * dt), 2 * mu * g * std::cos(angle), 1e-3) << mu;
    }
  }
}

struct Collision {
  Vec3d drift{0, 0, 0};  // of angular momentum, by what it was
  double momentum = 0, energy = 0;
};

struct Totals {
  Vec3d momentum{0, 0, 0}, angular{0, 0, 0};
  double energy = 0;
};
Totals totals(CurvesObject& object) {
  Totals sum;
  const RodChannels& c = object.rod_channels();
  for (const Strand& s : object.strands().copy_all())
    for (std::size_t i = 1; i < static_cast<std::size_t>(s.vertices); ++i) {
      const auto vector = [&](int channel, std::size_t at) {
        return Vec3d{s.channel(channel)[at], s.channel(channel + 1)[at], s.channel(channel + 2)[at]};
      };
      const Vec3d x = vector(c.position, i), p = vector(c.velocity, i) * s.channel(c.mass)[i];
      const double spin = s.channel(c.spin)[i], inertia = s.channel(c.inertia)[i];
      sum.momentum += p;
      sum.angular += cross(x, p);
      sum.energy += 0.5 * dot(p, vector(c.velocity, i)) + 0.5 * inertia * spin * spin;
      if (inertia > 0) sum.angular += normalized(vector(c.position, i + 1) - x) * (inertia * spin);
    }
  return sum;
}

// Two rods of 10 cm, 1 mm thick, which touch already, in the step in which one hits the other.
Collision collide(double mu, double dt, double rolls_from) {
  constexpr double r = 5e-4;
  StrandsCase c =
      loose({line({-0.04, 2 * r, 0.006}, {0.06, 2 * r, 0.006}, 15), line({0.007, 0, -0.055}, {0.007, 0, 0.045}, 15)});
  c.radius = r;
  c.mass = 1e-3;
  c.bend = c.twist = 1e-5;
  c.stretch = 1e3;
  StrandsRun run;
  CurvesObject& object = run.add(c);
  SolidObject* objects[] = {&object};
  run.solids().add(object);
  TouchParams params;
  params.friction = mu;
  params.rolls_from = rolls_from;
  run.solids().contacts().add_family(objects, params, 0);
  run.start();
  for (int i = 0; i <= 15; ++i) run.set_velocity(0, 0, i, {0.5, -1, 0.2});
  const Totals before = totals(object);
  run.step(dt);
  const Totals after = totals(object);
  double impulse = 0;
  for (const Contact& contact : run.solids().contacts().contacts()) impulse += norm(contact.impulse);
  EXPECT_GT(impulse, 0);
  return {(after.angular - before.angular) / norm(before.angular),
          norm(after.momentum - before.momentum) / norm(before.momentum), after.energy / before.energy};
}

// Backward Euler itself loses angular momentum in proportion to dt; so that is followed to nothing.
TEST(Rolling, CrossedRodsThatHitKeepTheirAngularMomentum) {
  for (const double mu : {0.3, 5.0}) {
    for (const double from : {0.0, never}) {
      constexpr double dt = 1e-6;
      const Collision whole = collide(mu, 2 * dt, from), half = collide(mu, dt, from);
      const double left = norm(half.drift * 2 - whole.drift);
      fmt::print("mu {}: drift {:.3e} at 2 us, {:.3e} at 1 us, {:.3e} at 0; momentum {:.1e}, energy {:.6f}\n", mu,
                 norm(whole.drift), norm(half.drift), left, half.momentum, half.energy);
    }
  }
}

}  // namespace
}  // namespace ymir::verification
