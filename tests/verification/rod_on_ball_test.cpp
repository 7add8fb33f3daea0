// The free end of a clamped fibre rests on a ball that turns to and fro, mu = 1. [Daviet, Bertails-Descoubes, Boissieux
// 2011, 7.2, Figure 7: an experiment that tells exact friction from facets]
#include <numbers>

#include "strands_run.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir::verification {
namespace {

constexpr double radius = 40e-6, ball = 0.03, dt = 0.004;  // [m, m, s]
constexpr Vec3d middle{0.06, 0, -0.045};

// Of the ball as the substep ends, about x [rad/s].
double spin(double end) { return 6 * std::cos(2 * std::numbers::pi * 2 * end); }

ContactCollider turning_ball(double begin, double end) {
  ContactCollider collider;
  collider.voxel = 1;  // vertices alone touch
  collider.travel = std::abs(spin(end)) * ball * (end - begin);
  collider.nearest = [begin, end](Vec3d x, double) {
    const Vec3d out = normalized(x - middle);
    const Vec3d velocity = cross(Vec3d{spin(end), 0, 0}, out * ball);
    return ColliderPoint{norm(x - middle) - (ball - radius), out, velocity * (end - begin)};
  };
  return collider;
}

// Three independent solvers of another program (Gauss-Seidel, splitting at nodes, ladder; discrete rods of the same 25
// edges) let the tip go to and fro between 1.4288 and 36.1461 mm in the third period.
TEST(StrandCollision, AFibreOnATurningBallFollowsThePathOfOtherSolvers) {
  constexpr double inertia = std::numbers::pi * radius * radius * radius * radius / 4, young = 4e9;
  StrandsCase c;
  c.strands = {line({0, 0, 0}, {0.1, 0, 0}, 25)};
  c.bend = young * inertia;
  c.twist = c.bend / 1.3;
  c.stretch = young * std::numbers::pi * radius * radius;
  c.mass = 1300 * std::numbers::pi * radius * radius;
  c.radius = radius;
  c.newton = {1e-9, 60};
  StrandsRun run;
  CurvesObject& object = run.add(c);
  run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, 0, -9.81} * v.mass; };
  TouchedCollider collider;
  collider.friction = 1;
  collider.objects = {&object};
  collider.during = turning_ball;
  run.solids().add(object);
  run.solids().contacts().add_collider(std::move(collider));
  run.start();
  double low = 1, high = -1;
  for (int k = 0; k < 375; ++k) {
    run.step(dt);
    run.solids().accept();
    if (k < 250) continue;
    const double y = run.position(0, 0, 25).y;
    low = std::min(low, y);
    high = std::max(high, y);
  }
  EXPECT_NEAR(low, 1.4288e-3, 1e-7);
  EXPECT_NEAR(high, 36.1461e-3, 1e-7);
}

}  // namespace
}  // namespace ymir::verification
