// Contacts by penalties and barriers of simulated bodies, in the Newton loop of the solid system.
#include "contact_run.h"
#include "strands_run.h"
#include "ymir/physics/contact/contact_potential.h"

namespace ymir {
namespace {

constexpr double g = 9.81;  // [m/s^2]
constexpr double degree = 0.017453292519943295;
constexpr ContactResponse both[] = {ContactResponse::penalty, ContactResponse::barrier};

TouchResponse response(ContactResponse kind, double stiffness = 0, double activation = 1e-3) {
  TouchResponse r;
  r.kind = kind;
  r.stiffness = stiffness;
  r.activation = activation;
  return r;
}

TouchedCollider plane(std::vector<SolidObject*> objects, double friction, const TouchResponse& response) {
  TouchedCollider collider;
  collider.friction = friction;
  collider.objects = std::move(objects);
  collider.response = response;
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  return collider;
}

// A box of 10 cm and 1 kg on a slope that is seen level: gravity is tilted instead.
struct Slope {
  RigidRun run;
  double speed = 0;  // along it [m/s]

  Slope(double angle, double mu, double start, const TouchResponse& response, Vec3d size = {0.1, 0.1, 0.1})
      : run(box_surface({0, size.y / 2, 0}, size), [start] {
          RigidObject::Description d;
          d.velocity = {start, 0, 0};
          d.newton = {1e-9, 60};
          return d;
        }()) {
    run.gravity({-g * std::sin(angle), -g * std::cos(angle), 0});
    run.solids().contacts().add_collider(plane({&run.object()}, mu, response));
    run.start();
  }
  void advance(double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
      run.step(dt);
      run.solids().accept();
    }
  }
  double height() const { return run.pose().position.y - 0.05; }
};

// Gap at which a barrier holds a force, by halving [m].
double gap_of(double k, double h, double force) {
  double low = 0, high = h;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (barrier_potential(k, h, middle).force > force ? low : high) = middle;
  }
  return low;
}

TEST(SmoothCollision, ABoxRestsAtTheDepthOfAPenaltyAndTheGapOfABarrier) {
  const double quarter = g / 4;  // of its weight on each corner [N]
  for (const double dt : {1.0 / 24, 1.0 / 96, 1.0 / 2000}) {
    const int steps = dt > 0.01 ? 60 : 1500;
    Slope soft(0, 0.5, 0, response(ContactResponse::penalty, 5e4));
    soft.advance(dt, steps);
    EXPECT_NEAR(soft.height(), 1e-3 - quarter / 5e4, 1e-10) << dt;
    Slope held(0, 0.5, 0, response(ContactResponse::barrier, 5e3, 1e-3));
    held.advance(dt, dt > 0.01 ? 120 : 3000);
    EXPECT_NEAR(held.height(), gap_of(5e3, 1e-3, quarter), 1e-9) << dt;
  }
}

TEST(SmoothCollision, ASlidingBoxIsSlowedAsCoulombSays) {
  for (const ContactResponse kind : both)
    for (const double angle : {0.0, 40.0}) {
      constexpr double mu = 0.3, dt = 1.0 / 96;
      Slope s(angle * degree, mu, angle == 0 ? 2 : 0, response(kind));
      s.advance(dt, 24);
      const double before = s.run.pose().velocity.x;
      s.advance(dt, 24);
      const double a = angle == 0 ? -mu * g : -g * (std::sin(angle * degree) - mu * std::cos(angle * degree));
      EXPECT_NEAR((s.run.pose().velocity.x - before) / (24 * dt), a, 1e-3 * g) << angle;
    }
}

TEST(SmoothCollision, ABoxThatWouldRestCreepsAsSmoothFrictionSays) {
  constexpr double mu = 0.5;
  for (const ContactResponse kind : both)
    for (const double angle : {5.0, 20.0}) {
      Slope s(angle * degree, mu, 0, response(kind));
      s.advance(1.0 / 48, 100);
      const double creep = s.run.pose().velocity.x;
      EXPECT_NEAR(creep, -1e-3 * (1 - std::sqrt(1 - std::tan(angle * degree) / mu)), 2e-8) << angle;
    }
}

}  // namespace
}  // namespace ymir
