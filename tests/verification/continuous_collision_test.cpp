// What would pass through something within one substep does not, where contact is continuous.
#include "contact_run.h"
#include "strands_run.h"

namespace ymir {
namespace {

// A small box flies at 40 m/s through a hanging cloth, 40 cm in a substep: how far it has come [m].
double bullet(bool continuous, ContactResponse kind) {
  constexpr double dt = 0.01;
  cloth_tests::ContactRun run;
  MeshObject& c = run.cloth(cloth_tests::lying_sheet(0.4, 0.4, 0.04, 0), cloth_tests::fabric(1e4, 1e-5), 0.5);
  run.bodies(box_surface({0.003, 0.23, 0.005}, {0.02, 0.02, 0.02}), 100, {0, -40, 0});
  cloth_tests::ContactRun::hold(c, [](Vec3d x) { return std::fabs(x.x) > 0.16 && std::fabs(x.z) > 0.16; });
  TouchParams params;
  params.continuous = continuous;
  params.response.kind = kind;
  run.touch(params);
  run.start();
  run.step(dt);
  double lowest = 0;
  for (const Vec3d& x : c.positions()) lowest = std::min(lowest, x.y);
  return run.bodies(0).poses()[0].position.y - lowest;
}

TEST(ContinuousCollision, ABulletDoesNotPassThroughCloth) {
  EXPECT_LT(bullet(false, ContactResponse::exact), -0.05) << "margins alone hold it";
  for (const ContactResponse kind : {ContactResponse::exact, ContactResponse::penalty, ContactResponse::barrier})
    EXPECT_GT(bullet(true, kind), 0) << static_cast<int>(kind);
}

// A thin strand at 20 m/s across another, 20 cm in a substep.
double shot(bool continuous) {
  verification::StrandsRun run;
  verification::StrandsCase c;
  c.strands = {verification::line({-0.1, 0.1, 0.003}, {0.1, 0.1, 0.003}, 20),
               verification::line({0.002, 0, -0.1}, {0.002, 0, 0.1}, 20)};
  c.clamped = false;
  c.radius = 1e-3;
  c.mass = 0.01;
  c.bend = 1e-3, c.twist = 1e-3, c.stretch = 1e4;
  c.newton = {1e-9, 100};
  CurvesObject& object = run.add(c);
  SolidObject* objects[] = {&object};
  run.solids().add(object);
  TouchParams params;
  params.continuous = continuous;
  run.solids().contacts().add_family(objects, params, 0);
  run.start();
  for (int i = 0; i <= 20; ++i) run.set_velocity(0, 0, i, {0, -20, 0});
  const Vec3d momentum = run.momentum();
  run.step(0.01);
  run.solids().accept();
  EXPECT_LT(norm(run.momentum() - momentum), 1e-8 * norm(momentum));
  return run.position(0, 0, 10).y - run.position(0, 1, 10).y;
}

TEST(ContinuousCollision, AFastStrandDoesNotPassThroughAnother) {
  EXPECT_LT(shot(false), -0.05) << "margins alone hold it";
  EXPECT_GT(shot(true), 0);
}

// A ball sweeps through a hanging strand at 50 m/s: the strand is on its far side only if it was passed.
double swept(bool continuous) {
  verification::StrandsRun run;
  verification::StrandsCase c;
  c.strands = {verification::line({0, 0.1, 0}, {0, -0.1, 0}, 20)};
  c.clamped = false;
  c.radius = 1e-3;
  c.mass = 0.01;
  c.bend = 1e-3, c.twist = 1e-3, c.stretch = 1e4;
  c.newton = {1e-9, 100};
  CurvesObject& object = run.add(c);
  run.solids().add(object);
  TouchedCollider collider;
  collider.objects = {&object};
  collider.continuous = continuous;
  collider.during = [](double begin, double end) {
    const auto at = [](double time) {
      RigidTransform pose;
      pose.translation = {-0.2 + 50 * time, 0, 0};
      return pose;
    };
    SphereShape ball;
    ball.radius = 0.05;
    return rigid_collider([ball](Vec3d x) { return signed_distance(ball, x); }, at(begin), at(end), 0, 0);
  };
  run.solids().contacts().add_collider(std::move(collider));
  run.start();
  run.step(0.008);  // 40 cm
  run.solids().accept();
  return run.position(0, 0, 10).x - 0.2;  // ahead of the centre of the ball
}

TEST(ContinuousCollision, AFastColliderTakesAStrandAlong) {
  EXPECT_LT(swept(false), -0.15) << "margins alone hold it";
  EXPECT_GT(swept(true), 0.04);
}

}  // namespace
}  // namespace ymir
