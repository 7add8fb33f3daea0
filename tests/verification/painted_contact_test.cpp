// Friction and thickness that data paints on what touches exactly.
#include "contact_run.h"
#include "strands_run.h"

namespace ymir {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295;

TouchedCollider slope_for(SolidObject& object, double friction) {
  TouchedCollider collider;
  collider.friction = friction;
  collider.objects = {&object};
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  return collider;
}

// Loose rods, 1 m long, of 1 kg/m, 2 cm thick, with a channel per rod.
verification::StrandsCase rods(const std::vector<verification::Polyline>& lines, const std::string& channel,
                               std::function<double(int)> painted) {
  verification::StrandsCase c;
  c.strands = lines;
  c.clamped = false;
  c.newton = {1e-9, 60};
  c.channel = channel;
  c.painted = std::move(painted);
  return c;
}

// Seen with the slope level: of two rods the rough one rests, the other slides, whatever the collider says.
TEST(PaintedContact, EachStrandHasItsOwnFriction) {
  constexpr double angle = 30 * degree, dt = 1.0 / 48, smooth = 0.2, rough = 0.8;
  constexpr int steps = 24;
  verification::StrandsRun run;
  CurvesObject& object = run.add(
      rods({verification::line({0, 0.01, 0}, {1, 0.01, 0}, 16), verification::line({0, 0.01, 1}, {1, 0.01, 1}, 16)},
           "friction", [](int s) { return s == 0 ? rough : smooth; }));
  run.load = [&](const verification::StrandsRun::Vertex& v) {
    return Vec3d{-g * std::sin(angle), -g * std::cos(angle), 0} * v.mass;
  };
  run.solids().add(object);
  run.solids().contacts().add_collider(slope_for(object, 0.5));
  run.start();
  for (int k = 0; k < steps; ++k) {
    run.step(dt);
    run.solids().accept();
  }
  const double a = g * (std::sin(angle) - smooth * std::cos(angle));
  EXPECT_NEAR(norm(run.momentum()) / (steps * dt), a, 1e-3) << "that of one rod, of 1 kg";
}

// Cloth that is rough uphill and smooth downhill slides with the mean of its friction by weight.
TEST(PaintedContact, ClothSlidesWithTheMeanOfItsFriction) {
  constexpr double angle = 35 * degree, dt = 1.0 / 96, thickness = 1e-3;
  Communicator alone;
  GridDomain domain(100.0, 1, alone);
  SolidMesh mesh = cloth_of(cloth_tests::lying_sheet(0.4, 0.3, 0.05, thickness / 2), thickness, "sheet");
  mesh.vertices.resize(mesh.positions.size());
  const auto friction = mesh.vertices.add<double>("friction");
  for (std::size_t i = 0; i < friction.size(); ++i) friction[i] = mesh.positions[i].x < 0.03 ? 0.8 : 0.2;
  const std::vector<double> mu(friction.begin(), friction.end());
  MeshObject::Description d;
  d.density = 0.2 / thickness;
  d.newton = {1e-6, 120};
  MeshObject cloth("cloth", 0, domain, d, std::move(mesh));
  add_elastic_shell(cloth, "material", cloth_tests::fabric(1e4, 1e-5), warp_along(cloth.mesh(), {1, 0, 0}));
  cloth.add_force(gravity_force("gravity", {g * std::sin(angle), -g * std::cos(angle), 0}, {}));
  SolidSystem solids;
  solids.add(cloth);
  solids.contacts().add_collider(slope_for(cloth, 0.1));
  cloth.ingest();
  constexpr int steps = 24;
  for (int k = 0; k < steps; ++k) {
    const Step step{0, 0, 0, k * dt, dt};
    cloth.begin_substep();
    solids.detect(step);
    solids.advance(step);
    solids.accept();
    ASSERT_EQ(solids.solve_report().status, SolveReport::Status::converged) << k;
  }
  double mass = 0, rough = 0, momentum = 0;
  for (std::size_t i = 0; i < mu.size(); ++i) {
    mass += cloth.mass()[i];
    rough += cloth.mass()[i] * mu[i];
    momentum += cloth.mass()[i] * cloth.velocities()[i].x;
  }
  EXPECT_GT(std::fabs(rough / mass - 0.5), 0.01) << "painted on half of it";
  const double a = g * (std::sin(angle) - rough / mass * std::cos(angle));
  EXPECT_NEAR(momentum / mass / (steps * dt), a, 1e-3 * a);
}

TEST(PaintedContact, ThicknessIsThatOfBothStrands) {
  constexpr double first = 0.004, second = 0.010, apart = 0.028, radius = 0.01;
  verification::StrandsRun run;
  CurvesObject& object = run.add(rods({verification::line({-0.5, 0, 0.013}, {0.5, 0, 0.013}, 15),
                                       verification::line({0.02, apart, -0.5}, {0.02, apart, 0.5}, 15)},
                                      "thickness", [](int s) { return s == 0 ? first : second; }));
  SolidObject* objects[] = {&object};
  TouchParams params;
  params.thickness = 0.002;
  run.solids().add(object);
  run.solids().contacts().add_family(objects, params, 0);
  run.start();
  run.step(1.0 / 48);
  const auto found = run.solids().contacts().contacts();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, apart - 2 * radius - (first + second) / 2, 1e-12);
}

}  // namespace
}  // namespace ymir
