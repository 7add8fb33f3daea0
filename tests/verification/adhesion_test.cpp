// Adhesion of exact contact: a contact opens at the force that it bears.
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

}  // namespace
}  // namespace ymir::verification
