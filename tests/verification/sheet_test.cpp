// Solids without thickness: nothing crosses a sheet, neither material nor motion. [method notes C, 11]
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "gas_run.h"
#include "ymir/base/error.h"
#include "ymir/data/shape_meshes.h"

namespace ymir::verification {
namespace {

struct Sums {
  double above = 0, below = 0;
};

// Of a material, on the two sides of a plane.
Sums material(const GasGrid& grid, ChannelId<float> channel, Vec3d point, Vec3d normal) {
  Sums sums;
  for_cells(grid, channel,
            [&](Vec3d x, double value) { (dot(normal, x - point) > 0 ? sums.above : sums.below) += std::abs(value); });
  return sums;
}
// Fastest face between two cells of the same side.
Sums fastest(const GasGrid& grid, Vec3d point, Vec3d normal) {
  Sums most;
  for_faces(grid, [&](Vec3d x, double u, int axis) {
    const double d = dot(normal, x - point), across = 0.5 * grid.voxel() * std::abs(normal[axis]);
    if (d > across) most.above = std::max(most.above, std::abs(u));
    if (d < -across) most.below = std::max(most.below, std::abs(u));
  });
  return most;
}

// Hot spots stir the gas on one side or on both of a sheet that parts a closed box, with smoke below it: none arrives
// above, and all of it stays.
void expect_tight(const std::string& rotation, Vec3d angles, const std::string& advection, bool both) {
  const Vec3d point{0.203, 0.611, 0.197}, normal = rotate(quaternion_from_angles(angles), {0, 1, 0});
  GasSetup run(
      "{frames: [1, 100], fps: 24, substeps: 2}",
      "  - collider: {shape: sheet, center: [0.203, 0.611, 0.197], size: [4, 1, 4], rotation: " + rotation +
          "}\n"
          "  - group: Gas\n"
          "    with:\n"
          "      - volume_object: {voxel: 4 cm, advection: " +
          advection +
          ", domain: {low: [-0.64, 0, -0.32], high: [0.64, 1.28, 0.32], sides: closed, fill: true}}\n"
          "      - pressure: {tolerance: 1e-6}\n"
          "      - buoyancy\n"
          "      - emitter: {from: sphere, center: [0, 0.15, 0], radius: 0.1 m, temperature: 500 K}\n" +
          (both ? "      - emitter: {from: sphere, center: [-0.4, 1, 0], radius: 0.1 m, temperature: 200 K}\n" : ""));
  const auto density = run.gas().material("density");
  set_material(run.grid(), density, [&](Vec3d x) { return dot(normal, x - point) > 0 ? 0.0 : 1.0; });
  const double all = material(run.grid(), density, point, normal).below;
  run.advance(24);
  const Sums smoke = material(run.grid(), density, point, normal), speed = fastest(run.grid(), point, normal);
  std::printf(
      "%s, tilted by %s, stirred on %s: smoke through the sheet %.1e of %.0f cells, lost %.1e; fastest %.1e m/s "
      "above, %.2f m/s below\n",
      advection.c_str(), rotation.c_str(), both ? "both sides" : "one side", smoke.above, all, all - smoke.below,
      speed.above, speed.below);
  EXPECT_EQ(smoke.above, 0);
  EXPECT_EQ(smoke.below, all);
  EXPECT_GT(all, 1000);
  EXPECT_GT(speed.below, 0.5);
  EXPECT_TRUE(both ? speed.above > 0.5 : speed.above < 1e-5 * speed.below);
}

TEST(Sheet, KeepsMotionOnItsSide) {
  expect_tight("[0, 0, 0]", {0, 0, 0}, "mac_cormack", false);
  expect_tight("[0.3, 0, 0.5]", {0.3, 0, 0.5}, "mac_cormack", false);
}

TEST(Sheet, KeepsSmokeOnItsSide) {
  expect_tight("[0, 0, 0]", {0, 0, 0}, "mac_cormack", true);
  for (const char* advection :
       {"mac_cormack", "semi_lagrangian, interpolation: cubic", "bfecc", "mac_cormack, reflection: true"})
    expect_tight("[0.3, 0, 0.5]", {0.3, 0, 0.5}, advection, true);
}

// A hole in a sheet is plugged by a ball.
TEST(Sheet, IsTightWhereItEndsInASolid) {
  GasCase c;
  c.voxel = 0.05;
  GasRun run(c);
  const auto density = run.gas().material("density");
  const Vec3d hole{0.81, 0.77, 0.79}, x{1, 0, 0}, z{0, 0, 1};
  for (const double side : {-1.0, 1.0}) {
    run.gas().add_sheet({rectangle_mesh(hole + x * (1.1 * side), 1, 2, x, z), {}});
    run.gas().add_sheet({rectangle_mesh(hole + z * (1.1 * side), 2, 1, x, z), {}});
  }
  run.gas().add_solid({[&](Vec3d p) { return DistanceSample{norm(p - hole) - 0.26, {0, 1, 0}}; }});
  run.begin([](Vec3d p) { return p.y > 0.8 ? Vec3d{0, 0, 0} : Vec3d{3 * std::sin(4 * p.y), std::cos(5 * p.x), 1}; });
  set_material(run.grid(), density, [&](Vec3d p) { return p.y < hole.y ? 1.0 : 0.0; });
  run.advance(40);
  const Sums smoke = material(run.grid(), density, hole, {0, 1, 0});
  std::printf("smoke past the plug: %.1e of %.0f cells\n", smoke.above, smoke.below);
  EXPECT_EQ(smoke.above, 0);
}

// A sheet across a channel with open ends pushes the smoke before it; none is left behind.
TEST(Sheet, SweepsSmokeAlongAsItMoves) {
  const Quaternion turn = quaternion_from_angles({0, 0.2, 1.4});
  const Vec3d start{-0.41, 0.16, 0.16}, normal = rotate(turn, {0, 1, 0});  // towards -x
  for (const int steps : {24, 96}) {
    GasCase c;
    c.voxel = 0.04;
    c.box = {{-0.96, 0, 0}, {1.6, 0.32, 0.32}};
    c.open = {0, 1};
    c.dt = 1.0 / steps;
    GasRun run(c);
    const auto density = run.gas().material("density");
    run.gas().add_sheet(
        {rectangle_mesh(start, 1, 1, rotate(turn, {1, 0, 0}), rotate(turn, {0, 0, 1})), [](double time) {
           return RigidTransform{{}, Vec3d{0.8, 0, 0} * time};
         }});
    run.begin();
    set_material(run.grid(), density, [&](Vec3d x) { return dot(normal, x - start) < 0 && x.x < 0.6 ? 1.0 : 0.0; });
    const double before = material(run.grid(), density, start, normal).below;
    run.advance(steps);
    const Sums smoke = material(run.grid(), density, start + Vec3d{0.8, 0, 0}, normal);
    std::printf("%d steps: smoke behind the sheet %.1e, before it %.3f of what there was\n", steps, smoke.above,
                smoke.below / before);
    EXPECT_EQ(smoke.above, 0);
    EXPECT_NEAR(smoke.below / before, 1, 0.1);
  }
}

// Gas slips: a stream along a sheet does not feel it.
TEST(Sheet, DoesNotSlowAStreamAlongIt) {
  GasSetup run(
      "{frames: [1, 100], fps: 100}",
      "  - collider: {shape: sheet, center: [0, 0.07, 0], size: [0.6, 1, 0.8]}\n"
      "  - volume_object: {voxel: 10 cm, domain: {low: [-1.6, -1.6, -1.6], high: [1.6, 1.6, 1.6], fill: true}}\n"
      "  - pressure: {tolerance: 1e-8}\n"
      "  - wind: {velocity: [2, 0, 0]}\n");
  set_velocity(run.grid(), [](Vec3d) { return Vec3d{2, 0, 0}; });
  run.advance(20);
  double worst = 0;
  run.for_faces([&](Vec3d, double u, int axis) { worst = std::max(worst, std::abs(u - (axis == 0 ? 2 : 0))); });
  std::printf("largest change of a stream of 2 m/s along a sheet: %.1e m/s\n", worst);
  EXPECT_LT(worst, 1e-5);
}

// Smoke spreads and motion rubs on, but on its own side: a sheet is no conductor, and gas slips along it.
TEST(Sheet, LetsNeitherDiffusionNorViscosityThrough) {
  const Vec3d point{0, 0.611, 0}, normal{0, 1, 0};
  GasSetup run("{frames: [1, 10], fps: 24}",
               "  - collider: {shape: sheet, center: [0, 0.611, 0], size: [4, 1, 4]}\n"
               "  - group: Gas\n"
               "    with:\n"
               "      - volume_object: {voxel: 4 cm, domain: {low: [-0.64, 0, -0.32], high: [0.64, 1.28, 0.32], "
               "sides: closed, fill: true}}\n"
               "      - pressure: {tolerance: 1e-6}\n"
               "      - viscosity: {viscosity: 0.02 Pa*s}\n"
               "      - diffusion: {channel: density, diffusivity: 0.02 m^2/s}\n");
  const auto density = run.gas().material("density");
  const auto below = [&](Vec3d x) { return dot(normal, x - point) > 0 ? 0.0 : 1.0; };
  set_material(run.grid(), density, [&](Vec3d x) { return below(x) * (x.y < 0.32 ? 1 : 0.5); });
  set_velocity(run.grid(), [&](Vec3d x) { return Vec3d{below(x) * std::cos(x.y / 0.611 * M_PI), 0, 0}; });
  const double all = material(run.grid(), density, point, normal).below;
  Step step{1, 0, 0, 0, 1.0 / 24};
  for (int k = 0; k < 10; ++k) {  // nothing is carried along here
    run.gas().apply_viscosity(step);
    run.gas().emit(step);
  }
  const Sums smoke = material(run.grid(), density, point, normal), speed = fastest(run.grid(), point, normal);
  std::printf(
      "diffusion and viscosity beside a sheet: %.1e of %.0f cells of smoke above, %.1e lost; fastest %.1e m/s "
      "above, %.2f m/s below\n",
      smoke.above, all, all - smoke.below, speed.above, speed.below);
  EXPECT_EQ(smoke.above, 0);
  EXPECT_NEAR(smoke.below, all, 1e-5 * all);
  EXPECT_EQ(speed.above, 0);
  EXPECT_LT(speed.below, 0.95);  // it did rub
  EXPECT_GT(speed.below, 0.1);
}

TEST(Sheet, IsTheRemedyForAMeshThatIsNotClosed) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "ymir_leaf.obj";
  std::ofstream(file) << "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
  const std::string inputs = "{leaf: {surface: " + file.string() + "}}";
  const auto setup = [](const std::string& shape) {
    return "  - collider: {shape: " + shape +
           ", surface: leaf}\n"
           "  - volume_object: {voxel: 10 cm, domain: {low: [-1, -1, -1], high: [1, 1, 1], fill: true}}\n"
           "  - pressure\n";
  };
  try {
    GasSetup("{frames: [1, 2]}", setup("mesh"), inputs);
    FAIL() << "an open mesh was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("shape: sheet"), std::string::npos) << error.what();
  }
  try {
    GasSetup("{frames: [1, 2]}", setup("sheet, wall: no_slip"), inputs);
    FAIL() << "a no_slip sheet was accepted";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("wall"), std::string::npos) << error.what();
  }
  GasSetup run("{frames: [1, 2]}", setup("sheet"), inputs);
  EXPECT_EQ(VolumeView<float>(run.grid().volume(), run.grid().open, 1).value(0, {2, 0, 2}), 0);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace ymir::verification
