// Exact Coulomb contact of simulated cloth.
#include "contact_run.h"
#include <chrono>

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


void watch(ContactRun& run, double dt, int steps, int every) {
  double seconds = 0;
  for (int k = 0; k < steps; ++k) {
    const auto t0 = std::chrono::steady_clock::now();
    const SolveReport r = run.step(dt);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    if (k % every == every - 1)
      printf("%d carried %.9f speed %.3g unconverged %ld newton %d its %ld contacts %zu crossings %d  %.1f s\n", k, run.carried(dt).y / (run.mass() * g),
             run.fastest(), long(run.solids().report().unconverged), r.iterations, long(run.solids().report().contact_iterations), run.solids().contacts().contacts().size(), run.crossings(), seconds);
  }
}

TEST(ClothCollision, DrapeOnASphere) {
  ContactRun run;
  run.cloth(lying_sheet(0.8, 0.8, 0.05, 0.01), fabric(1e3, 1e-4));
  run.gravity({0, -g, 0});
  run.collider(SphereShape{{0, -0.2, 0}, 0.2}, 0.4);
  run.touch();
  run.start();
  watch(run, 1.0 / 96, 200, 20);
}

TEST(ClothCollision, DrapeOnABox) {
  ContactRun run;
  run.cloth(lying_sheet(0.8, 0.8, 0.05, 0.01), fabric(1e3, 1e-4));
  run.gravity({0, -g, 0});
  BoxShape box;
  box.center = {0, -0.2, 0}, box.half_size = {0.2, 0.2, 0.2};
  run.collider(box, 0.4);
  run.touch();
  run.start();
  watch(run, 1.0 / 96, 200, 20);
}

TEST(ClothCollision, TwoLayersOnASphere) {
  ContactRun run;
  run.cloth(lying_sheet(0.6, 0.6, 0.05, 0.01), fabric(1e3, 1e-4));
  run.cloth(lying_sheet(0.6, 0.6, 0.05, 0.03, 0.02, 0.01, 0.6), fabric(1e3, 1e-4));
  run.gravity({0, -g, 0});
  run.collider(SphereShape{{0, -0.2, 0}, 0.2}, 0.4);
  run.touch();
  run.start();
  watch(run, 1.0 / 384, 300, 10);
}

TEST(ClothCollision, FoldedStrip) {
  ContactRun run;
  Surface s = sheet_mesh({0, 0, 0}, 0.6, 0.12, 0.03);
  // An L: half of it stands up, and leans over the rest.
  for (Vec3d& p : s.positions) {
    const double along = p.x, z = p.y;
    p = along < 0 ? Vec3d{along, 0.001, z} : Vec3d{-along * 0.1, 0.001 + along * std::sqrt(0.99), z};
  }
  run.cloth(s, fabric(1e3, 1e-5));
  run.gravity({0, -g, 0});
  run.collider(PlaneShape{}, 0.4);
  run.touch();
  run.start();
  watch(run, 1.0 / 192, 200, 10);
}

TEST(ClothCollision, HangingHammock) {
  ContactRun run;
  MeshObject& c = run.cloth(lying_sheet(0.8, 0.8, 0.05, 0), fabric(1e4, 1e-5));
  run.bodies(sphere_mesh({0.02, 0.08, 0.01}, 0.07, 12), 1000);
  run.gravity({0, -g, 0});
  ContactRun::hold(c, [](Vec3d x) { return std::fabs(x.x) > 0.35 && std::fabs(x.z) > 0.35; });
  run.touch();
  run.start();
  watch(run, 1.0 / 96, 200, 20);
  printf("ball %.6f\n", run.bodies(0).poses()[0].position.y);
}

TEST(ClothCollision, FreePieces) {
  ContactRun run;
  run.cloth(lying_sheet(0.4, 0.4, 0.05, 0.0), fabric(1e3, 1e-5), 0.2, {0, 1, 0});
  run.cloth(lying_sheet(0.4, 0.4, 0.05, 0.03, 0.05, 0.07, 0.4), fabric(1e3, 1e-5), 0.2, {0.2, -1, 0});
  run.touch();
  run.start();
  const Vec3d p = run.momentum();
  for (int k = 0; k < 8; ++k) {
    watch(run, 1.0 / 192, 5, 5);
    printf("momentum %.3g of %.3g\n", norm(run.momentum() - p), norm(p));
  }
}

}  // namespace
}  // namespace ymir::cloth_tests
