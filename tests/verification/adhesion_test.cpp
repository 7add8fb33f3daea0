// Adhesion of exact contact: a contact opens at the force that it bears.
#include "contact_run.h"
#include "strands_run.h"

namespace ymir::verification {
namespace {

// Two strands across each other, touching, drawn apart with a force: their distance at the crossing in the end [m].
double drawn_apart(double pull, double adhesion) {
  StrandsRun run;
  StrandsCase c;
  c.strands = {line({-0.1, 0.0201, 0}, {0.1, 0.0201, 0}, 8), line({0, 0, -0.1}, {0, 0, 0.1}, 8)};
  c.clamped = false;
  c.newton = {1e-10, 60};
  c.mass = 0.1;
  CurvesObject& object = run.add(c);
  SolidObject* objects[] = {&object};
  run.solids().add(object);
  TouchParams params;
  params.adhesion = adhesion;
  run.solids().contacts().add_family(objects, params, 0);
  const double strand = 0.2 * c.mass;  // [kg]
  run.load = [&](const StrandsRun::Vertex& v) {
    return Vec3d{0, (v.strand == 0 ? 1 : -1) * pull * v.mass / strand, 0};
  };
  run.start();
  for (int i = 0; i <= 8; ++i) run.set_velocity(0, 0, i, {0, -0.05, 0});  // they come into touch
  for (int k = 0; k < 24; ++k) {
    run.step(1.0 / 96);
    run.solids().accept();
  }
  return run.position(0, 0, 4).y - run.position(0, 1, 4).y;
}

TEST(Adhesion, APairOfStrandsOpensAtTheForceItBears) {
  constexpr double radii = 0.02;  // [m]
  for (const double bears : {0.3, 2.0}) {
    EXPECT_NEAR(drawn_apart(0.999 * bears, bears), radii, 1e-5) << bears;
    EXPECT_GT(drawn_apart(1.01 * bears, bears), 2 * radii) << bears;
  }
}

constexpr double g = 9.81;  // [m/s^2]
constexpr PlaneShape ceiling{{0, 0, 0}, {0, -1, 0}};

struct Hung {
  std::size_t contacts = 0;  // of the first substep
  double fallen = 0;         // in half a second [m]
};

// A box of a kilogram hangs under a ceiling to which each contact sticks with that force.
Hung hang_box(double adhesion) {
  cloth_tests::ContactRun run;
  run.bodies(box_surface({0, -0.05, 0}, {0.1, 0.1, 0.1}), 1000);
  run.collider(ceiling, 0.3, {}, adhesion);
  run.gravity({0, -g, 0});
  run.start();
  Hung hung;
  const double begin = run.bodies(0).poses()[0].position.y;
  for (int k = 0; k < 24; ++k) {
    run.step(1.0 / 48);
    if (k == 0) hung.contacts = run.solids().contacts().contacts().size();
  }
  hung.fallen = begin - run.bodies(0).poses()[0].position.y;
  return hung;
}

TEST(Adhesion, ABodyHangsUnderAPlaneUpToTheForceThatItsContactsBear) {
  const auto contacts = static_cast<double>(hang_box(10 * g).contacts);
  ASSERT_GE(contacts, 4);
  EXPECT_NEAR(hang_box(1.005 * g / contacts).fallen, 0, 1e-9);
  EXPECT_GT(hang_box(0.995 * g / contacts).fallen, 1e-3);
}

// A stiff rod of weight w under the same ceiling, which its contacts with it alone hold: solved in its own loop.
Hung hang_rod(double adhesion) {
  StrandsRun run;
  StrandsCase c;
  c.strands = {line({-0.1, -c.radius, 0}, {0.1, -c.radius, 0}, 8)};
  c.clamped = false;
  c.bend = 1e3;
  c.newton = {1e-10, 60};
  CurvesObject& object = run.add(c);
  run.solids().add(object);
  TouchedCollider collider;
  collider.adhesion = adhesion;
  collider.objects = {&object};
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(ceiling, x); }, {}, {}, 0, 0);
  };
  run.solids().contacts().add_collider(std::move(collider));
  run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g * v.mass, 0}; };
  run.start();
  Hung hung;
  for (int k = 0; k < 24; ++k) {
    run.step(1.0 / 48);
    if (k == 0) hung.contacts = run.solids().contacts().contacts().size();
    EXPECT_FALSE(object.system()->in_cluster(&object, 0));
    run.solids().accept();
  }
  hung.fallen = -c.radius - run.position(0, 0, 4).y;
  return hung;
}

TEST(Adhesion, ARodHangsUnderAPlaneUpToTheForceThatItsContactsBear) {
  const double weight = 0.2 * g;  // of 1 kg/m
  const auto contacts = static_cast<double>(hang_rod(10 * weight).contacts);
  ASSERT_EQ(contacts, 17);  // vertices and the middles between them
  EXPECT_NEAR(hang_rod(1.01 * weight / contacts).fallen, 0, 1e-6);
  EXPECT_GT(hang_rod(0.99 * weight / contacts).fallen, 1e-3);
}

}  // namespace
}  // namespace ymir::verification
