// Air that moves past surfaces: cloth, soft bodies and rigid ones.
#include <cmath>

#include "cloth_run.h"
#include "rigid_run.h"
#include "soft_run.h"
#include "ymir/actions/drag_force.h"
#include "ymir/actions/surface_panels.h"
#include "ymir/base/random.h"
#include "ymir/data/mesh_skin.h"

namespace ymir {
namespace {

using cloth_tests::ClothRun;
using cloth_tests::fabric;

constexpr double g = 9.81;

template <class Object>
void add_air(Object& object, const PlateLaw& law, Vec3d wind = {0, 0, 0}) {
  PrescribedField air;
  VectorField field;
  field.uniform = wind;
  air.add(field);
  add_panels(object, "air", "drag").add_force(plate_drag_force("air", law, air));
}

// A box of cells with its boundary as the skin.
SolidMesh whole_block(CellShape shape, Vec3i cells, Vec3d size) {
  SolidMesh mesh = block(shape, cells, size);
  fill_skin(mesh, "block");
  return mesh;
}

// Terminal speed of a plate of `mass` and coefficient c on an area.
double terminal(double mass, double c, double area, double density = 1.225) {
  return std::sqrt(2 * mass * g / (density * c * area));
}

TEST(PlateDrag, DerivativeIsThatOfTheForce) {
  Random random(3, 0);
  const auto any = [&] { return Vec3d{random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5}; };
  for (int k = 0; k < 20; ++k) {
    const Vec3d n = normalized(any()), w = any() * 10;
    const PlateLaw law{1.2, 1.1, 0.3};
    const Symmetric3<double> d = plate_drag(law, 0.7, n, w).derivative;
    const double rows[3][3] = {{d.xx, d.xy, d.xz}, {d.xy, d.yy, d.yz}, {d.xz, d.yz, d.zz}};
    for (int c = 0; c < 3; ++c) {
      Vec3d e{0, 0, 0};
      e[c] = 1e-6;
      const Vec3d slope = (plate_drag(law, 0.7, n, w + e).force - plate_drag(law, 0.7, n, w - e).force) / 2e-6;
      for (int r = 0; r < 3; ++r) EXPECT_NEAR(slope[r], rows[r][c], 1e-7);
    }
  }
}

// Equal panels, whose centres and shares make up the triangle: exact for what is linear on it.
TEST(Panels, MakeUpTheirTriangles) {
  const Surface s = box_surface({1, 2, 3}, {1, 0.5, 0.1});
  for (const double longest : {10.0, 0.3, 0.05}) {
    std::vector<double> share(s.triangles.size(), 0);
    std::vector<Vec3d> centre(s.triangles.size(), Vec3d{0, 0, 0});
    for (const Panel& p : cut_into_panels(s.positions, s.triangles, longest)) {
      share[static_cast<std::size_t>(p.triangle)] += p.share;
      centre[static_cast<std::size_t>(p.triangle)] += p.barycentric * p.share;
    }
    for (std::size_t t = 0; t < share.size(); ++t) {
      EXPECT_NEAR(share[t], 1, 1e-12);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(centre[t][k], 1.0 / 3, 1e-12);
    }
  }
}

// Both sides of a sheet are in the air, the outside of a body: a thin plate falls like a sheet of its mass.
TEST(SurfaceDrag, PlatesFallAtTheirTerminalSpeed) {
  const PlateLaw law{1.225, 1.2, 0};
  ClothRun sheet(sheet_mesh({0, 0, 0}, 0.4, 0.4, 0.1), fabric(1e4, 1));
  sheet.gravity({0, 0, -g});
  add_air(sheet.object(), law);
  sheet.start();
  for (int k = 0; k < 100; ++k) sheet.step(0.05);
  for (const Vec3d& v : sheet.object().velocities()) EXPECT_NEAR(v.z, -terminal(0.2, 1.2, 1), 1e-6);

  for (const double far : {0.0, 1000.0})
    for (const int turned : {0, 1}) {
      RigidObject::Description d;
      d.density = 20;
      RigidRun plate(box_surface({far, far, far}, turned ? Vec3d{0.01, 0.4, 0.3} : Vec3d{0.4, 0.3, 0.01}), d);
      Vec3d down{0, 0, 0};
      down[turned ? 0 : 2] = -1;
      plate.gravity(down * g);
      add_air(plate.object(), law);
      plate.start();
      for (int k = 0; k < 100; ++k) plate.step(0.05);
      EXPECT_NEAR(dot(plate.pose().velocity, down), terminal(20 * 0.01, 1.2, 1), 1e-6);
    }

  SoftRun soft(whole_block(CellShape::hexahedron, {4, 1, 4}, {0.4, 0.05, 0.4}), {.youngs_modulus = 1e6}, 1e-9, 20);
  soft.gravity({0, -g, 0});
  add_air(soft.object(), law);
  soft.start();
  for (int k = 0; k < 100; ++k) soft.step(0.05);
  EXPECT_NEAR(soft.mean_velocity().y, -terminal(20 * 0.05, 1.2, 1), 1e-5);
}

// Cd of a ball: C_n/2 + 3 pi/8 C_t.
TEST(SurfaceDrag, BallsFallAtTheirTerminalSpeed) {
  const PlateLaw law{1.225, 1.2, 0.1};
  double before = 1;
  for (const int rings : {8, 16, 32}) {
    RigidObject::Description d;
    d.density = 20;
    const double radius = 0.5;
    RigidRun ball(sphere_mesh({0, 0, 0}, radius, rings), d);
    ball.gravity({0, -g, 0});
    add_air(ball.object(), law);
    ball.start();
    for (int k = 0; k < 200; ++k) ball.step(0.05);
    const double exact = terminal(ball.object().bodies()[0].mass, 0.6 + 3 * M_PI / 8 * 0.1, M_PI * radius * radius);
    const double error = std::abs(-ball.pose().velocity.y / exact - 1);
    std::printf("ball of %d rings: %.5f m/s, exact %.5f\n", rings, -ball.pose().velocity.y, exact);
    EXPECT_LT(error, before / 3);
    before = error;
  }
  EXPECT_LT(before, 2e-3);
}

// v' = -v^2/l, l = 2 m/(rho C A): v = v0/(1 + v0 t/l); first order in the step.
TEST(SurfaceDrag, SlowsAPlateInFirstOrder) {
  double before = 1;
  for (const double dt : {0.04, 0.02, 0.01}) {
    RigidObject::Description d;
    d.density = 20;
    d.velocity = {0, 0, 3};
    RigidRun plate(box_surface({0, 0, 0}, {0.4, 0.3, 0.01}), d);
    add_air(plate.object(), {1.225, 1.2, 0});
    plate.start();
    while (plate.time() < 0.4 - 1e-9) plate.step(dt);
    const double l = 2 * 0.2 / (1.225 * 1.2), exact = 3 / (1 + 3 * 0.4 / l);
    const double error = std::abs(plate.pose().velocity.z - exact);
    std::printf("plate, dt %.2f: %.5f m/s, exact %.5f\n", dt, plate.pose().velocity.z, exact);
    EXPECT_LT(error, 0.6 * before);
    before = error;
  }
}

// A square plate about an axis in it: torque rho C/2 w^2 int |x|^3 dA = rho C w^2 L^5/64.
TEST(SurfaceDrag, SlowsASpinningPlate) {
  const double side = 0.4, thick = 0.01, density = 50, spin = 4, dt = 1e-4;
  RigidObject::Description d;
  d.density = density;
  d.spin = {0, spin, 0};
  RigidRun plate(box_surface({0, 0, 0}, {side, side, thick}), d);
  add_air(plate.object(), {1.225, 1.2, 0});
  plate.start();
  const double before = plate.angular_momentum().y;
  for (int k = 0; k < 10; ++k) plate.step(dt);
  const double torque = (before - plate.angular_momentum().y) / (10 * dt);
  const double exact = 1.225 * 1.2 * spin * spin * std::pow(side, 5) / 64;
  std::printf("torque %.5e N m, exact %.5e\n", torque, exact);
  EXPECT_NEAR(torque, exact, 0.03 * exact);  // 7 panels along the side, second order; its edges add a little
}

// From far lighter than the air to far heavier: what is light moves with the wind at once, and nothing explodes.
TEST(SurfaceDrag, AnyMassGoesWithTheWind) {
  const Vec3d wind{3, 0, 4};
  for (const double ratio : {1e-4, 1e-2, 1.0, 1e2, 1e4})
    for (const double dt : {1.0 / 24, 1.0 / 192}) {
      // Of the air in a layer as thick as the sheet is wide.
      ClothRun sheet(sheet_mesh({0, 0, 0}, 0.4, 0.4, 0.05), fabric(1e3, 1e-4), ratio * 1.225 * 0.4);
      sheet.gravity({0, 0, -g});
      add_air(sheet.object(), {}, wind);
      sheet.start();
      RigidObject::Description d;
      d.density = ratio * 1.225;
      d.spin = {1, 2, 3};
      RigidRun ball(box_surface({0, 0, 0}, {0.4, 0.2, 0.1}), d);
      ball.gravity({0, 0, -g});
      add_air(ball.object(), {}, wind);
      ball.start();
      for (int k = 0; k < 48; ++k) {
        sheet.step(dt);
        ball.step(dt);
        if (testing::Test::HasFailure()) FAIL() << ratio << ", dt " << dt;
      }
      const double time = 48 * dt, fastest = norm(wind) + g * time;
      for (const Vec3d& v : sheet.object().velocities()) EXPECT_LT(norm(v), 1.5 * fastest) << ratio;
      EXPECT_LT(norm(ball.pose().velocity), fastest) << ratio;
      std::printf("mass %.0e of the air, dt %.4f: body at (%.3f, %.3f, %.3f) m/s\n", ratio, dt, ball.pose().velocity.x,
                  ball.pose().velocity.y, ball.pose().velocity.z);
      EXPECT_LT(norm(ball.pose().velocity - wind), ratio <= 1e-2 ? 0.5 : fastest + norm(wind));
    }
}

// Solved again in the same substep, as a gas asks for, a body on a slope is where it is solved once: friction begins
// with what it was when the substep began.
TEST(SurfaceDrag, AnotherPassBeginsWhereTheSubstepDid) {
  Vec3d end[2];
  for (const int passes : {1, 3}) {
    RigidRun box(box_surface({0, 0.0502, 0}, {0.2, 0.1, 0.2}));
    box.gravity({2, -9, 0});
    add_rigid_contact(box.object(), "floor", solid_during(Collider{[](Vec3d x) {
                        return DistanceSample{x.y, {0, 1, 0}};
                      }}),
                      {});
    box.object().solve_every_iteration();
    box.start();
    for (int k = 0; k < 20; ++k) {
      Step step{0, 0, 0, k / 48.0, 1 / 48.0};
      box.object().begin_substep(step);
      box.solids().detect(step);
      for (step.iteration = 0; step.iteration < passes; ++step.iteration) box.solids().advance(step);
    }
    end[passes / 2] = box.pose().position;
  }
  std::printf("%.4f m from its start; %.1e m apart\n", end[0].x, norm(end[1] - end[0]));
  EXPECT_LT(norm(end[1] - end[0]), 1e-7);  // Newton's tolerance, a substep after the other
}

}  // namespace
}  // namespace ymir
