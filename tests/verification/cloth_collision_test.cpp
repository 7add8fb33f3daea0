// Exact Coulomb contact of simulated cloth.
#include "contact_run.h"

namespace ymir::cloth_tests {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295;

double slide(double slope, double mu, double dt, int steps, double edge = 0.05) {
  ContactRun run;
  run.cloth(lying_sheet(0.4, 0.4, edge, ContactRun::thickness / 2), fabric(1e4, 1e-5));
  run.gravity({-g * std::sin(slope), -g * std::cos(slope), 0});
  run.collider(PlaneShape{}, mu);
  run.start();
  for (int k = 0; k < steps; ++k) run.step(dt);
  return norm(run.momentum()) / run.mass();
}

TEST(ClothCollision, ClothOnASlopeRestsOrSlidesAsCoulombSays) {
  constexpr double mu = 0.5, dt = 1.0 / 96;
  constexpr int steps = 24;
  for (const double angle : {0.0, 26.0}) EXPECT_LT(slide(angle * degree, mu, dt, steps), 1e-6) << angle;
  for (const double angle : {27.0, 40.0}) {
    const double a = g * (std::sin(angle * degree) - mu * std::cos(angle * degree));
    EXPECT_NEAR(slide(angle * degree, mu, dt, steps) / (steps * dt), a, 1e-3 * a) << angle;
  }
}

TEST(ClothCollision, BodiesOnClothOnTheFloor) {
  ContactRun run;
  run.cloth(lying_sheet(0.5, 0.5, 0.05, ContactRun::thickness / 2), fabric(1e4, 1e-5));
  run.bodies(joined(box_surface({-0.1, ContactRun::thickness + 0.05, 0}, {0.1, 0.1, 0.1}),
                    sphere_mesh({0.1, ContactRun::thickness + 0.05, 0}, 0.05, 12)));
  run.gravity({0, -g, 0});
  run.collider(PlaneShape{}, 0.5);
  run.touch();
  run.start();
  constexpr double dt = 1.0 / 96;
  for (int k = 0; k < 40; ++k) {
    run.step(dt);
    printf("%d carried %.9f speed %.3g unconverged %ld box %.9f ball %.9f\n", k, run.carried(dt).y / (run.mass() * g), run.fastest(),
           long(run.solids().report().unconverged), run.bodies(0).poses()[0].position.y, run.bodies(0).poses()[1].position.y);
  }
}

TEST(ClothCollision, DrapeOnASphere) {
  ContactRun run;
  run.cloth(lying_sheet(0.8, 0.8, 0.05, 0.01), fabric(1e3, 1e-4));
  run.gravity({0, -g, 0});
  run.collider(SphereShape{{0, -0.2, 0}, 0.2}, 0.4);
  run.touch();
  run.start();
  constexpr double dt = 1.0 / 96;
  for (int k = 0; k < 200; ++k) {
    const SolveReport r = run.step(dt);
    printf("%d carried %.9f speed %.3g unconverged %ld newton %d its %ld\n", k, run.carried(dt).y / (run.mass() * g), run.fastest(),
           long(run.solids().report().unconverged), r.iterations, long(run.solids().report().contact_iterations));
  }
}

}  // namespace
}  // namespace ymir::cloth_tests
