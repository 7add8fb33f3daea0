// Gravity compensation of cloth, plants and jointed bodies: equilibrium where they begin, and what it leaves of the
// sag.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cloth_run.h"
#include "elaston_run.h"
#include "rigid_run.h"
#include "ymir/actions/rigid_load.h"
#include "ymir/actions/shell_load.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

using cloth_tests::ClothRun;
using cloth_tests::fabric;
using cloth_tests::square_grid;

constexpr double g = 9.81;
constexpr std::array models{BendingModel::hinge, BendingModel::tri, BendingModel::mid};

double farthest(ClothRun& run, const std::vector<Vec3d>& from) {
  double most = 0;
  for (std::size_t i = 0; i < from.size(); ++i) most = std::max(most, norm(run.object().positions()[i] - from[i]));
  return most;
}

Surface moved(Surface surface, Vec3d by) {
  for (Vec3d& x : surface.positions) x += by;
  return surface;
}

// A curtain, which may turn about the edge that holds it: its threads bear it, and pushed it swings back.
TEST(GravityCompensation, ACurtainStaysWhereItBegins) {
  for (const BendingModel model : models)
    for (const double away : {0.0, 1000.0})
      for (const double share : {0.0, 1.0}) {
        ElasticShellMaterial material = fabric(200, 1e-4);
        material.model = model;
        material.bending_relaxation = material.stretch_relaxation = 0.05;
        ClothRun run(moved(square_grid(8, 8, 0.5, 0.5), Vec3d{1, -0.5, 0.3} * away), material, 0.2, 1e-10);
        run.gravity({0, -g, 0});
        run.hold([&](Vec3d x) { return x.y + 0.5 * away > 0.5 - 1e-6; });
        if (share > 0) EXPECT_EQ(add_shell_load(run.object(), "cloth", share), 1);
        run.start();
        const std::vector<Vec3d> start = run.object().mesh().positions;
        for (int k = 0; k < 10; ++k) run.step(0.05);
        if (share == 0) {
          EXPECT_GT(farthest(run, start), 1e-4);
          continue;
        }
        EXPECT_LT(farthest(run, start), 1e-8) << static_cast<int>(model) << ", " << away;
        for (Vec3d& v : run.object().velocities()) v = {0.1, 0, 0.5};
        run.step(0.02);
        EXPECT_GT(farthest(run, start), 5e-3);
        for (int k = 0; k < 400; ++k) run.step(0.05);
        EXPECT_LT(farthest(run, start), 1e-6) << static_cast<int>(model) << ", " << away;
      }
}

// A wavy sheet that stands out from a wall, borne by its stiffness in bending: it would sag by a tenth of its length.
TEST(GravityCompensation, AnAwningStaysWhereItBegins) {
  for (const BendingModel model : models) {
    ElasticShellMaterial material = fabric(1e4, 0.02);
    material.model = model;
    Surface sheet = square_grid(12, 8, 0.3, 0.2);
    for (Vec3d& x : sheet.positions) x = {x.x, 0.01 * std::sin(20 * x.x) * std::cos(15 * x.y), x.y};
    double sag[2] = {};
    for (const double share : {0.0, 1.0}) {
      ClothRun run(sheet, material, 0.2, 1e-10);
      run.gravity({0, -g, 0});
      run.hold([](Vec3d x) { return x.x < 0.026; });
      if (share > 0) EXPECT_EQ(add_shell_load(run.object(), "cloth", share), 1);
      run.start();
      for (int k = 0; k < 20; ++k) run.step(0.1);
      sag[share > 0 ? 1 : 0] = farthest(run, sheet.positions);
    }
    fmt::print("awning, model {}: sags by {:.4f} m, compensated by {:.1e} m\n", static_cast<int>(model), sag[0],
               sag[1]);
    EXPECT_GT(sag[0], 0.005);
    EXPECT_LT(sag[1], 1e-8);
  }
}

// To first order in the load.
TEST(GravityCompensation, AShareLeavesTheRestOfTheSagOfCloth) {
  const auto sag = [](double weight, double share) {
    ClothRun run(square_grid(12, 4, 0.3, 0.1), fabric(1e4, 0.02), 0.2, 1e-12);
    run.gravity({0, 0, -weight});
    run.hold([](Vec3d x) { return x.x < 0.026; });
    add_shell_load(run.object(), "cloth", share);
    run.start();
    run.settle(10);
    return -run.object().positions().back().z;
  };
  const double small = 1e-2 * g, whole = sag(small, 0);
  EXPECT_GT(whole, 1e-5);
  EXPECT_NEAR(sag(small, 0.5), 0.5 * whole, 2e-3 * whole);
  EXPECT_NEAR(sag(2 * small, 0.25), 1.5 * whole, 4e-3 * whole);
}

TEST(GravityCompensation, ClothThatBucklesIsKnownAndWhatIsNotHeldIsRefused) {
  // A sheet that stands on its clamped edge buckles under its weight w per area above D = w L^3/7.837.
  const double free = 0.3 * 11 / 12, critical = 0.2 * g * std::pow(free, 3) / 7.837;
  const auto factor = [](double bending) {
    ClothRun run(square_grid(4, 12, 0.1, 0.3), fabric(1e4, bending, 0), 0.2);
    run.gravity({0, -g, 0});
    run.hold([](Vec3d x) { return x.y < 0.026; });
    return add_shell_load(run.object(), "cloth", 1);
  };
  EXPECT_EQ(factor(1.25 * critical), 1);
  const double told = factor(0.2 * critical);
  fmt::print("a standing sheet five times too soft: {:.2f} times stiffer\n", told);
  EXPECT_GT(told, 4);
  EXPECT_LT(told, 6.5);
  // By nothing, a corner, an edge about which it may turn; without stiffness in bending; bent away from its rest shape.
  const std::array<std::function<bool(Vec3d)>, 3> holds{
      [](Vec3d) { return false; }, [](Vec3d x) { return norm(x) < 1e-9; }, [](Vec3d x) { return x.x == 0; }};
  for (const auto& where : holds) {
    ClothRun run(square_grid(6, 6, 0.3, 0.3), fabric(1e3, 1e-2));
    run.gravity({0, 0, -g});
    run.hold(where);
    EXPECT_THROW(add_shell_load(run.object(), "cloth", 1), Error);
  }
  ClothRun limp(square_grid(6, 6, 0.3, 0.3), fabric(1e3, 0));
  limp.gravity({0, 0, -g});
  limp.hold([](Vec3d x) { return x.x < 0.06; });
  EXPECT_THROW(add_shell_load(limp.object(), "cloth", 1), Error);
  Surface bent = square_grid(6, 6, 0.3, 0.3);
  for (Vec3d& x : bent.positions) x.z = 0.5 * x.x * x.x;
  ElasticShellMaterial flat = fabric(1e3, 1e-2);
  flat.flat = true;
  ClothRun stressed(bent, flat);
  stressed.gravity({0, 0, -g});
  stressed.hold([](Vec3d x) { return x.x < 0.06; });
  EXPECT_THROW(add_shell_load(stressed.object(), "cloth", 1), Error);
}

// A branch of a metre that stands out from a wall, with a twig and a leaf.
ElastonCloud branch(Vec3d at = {0, 0, 0}) {
  Plant plant(0.1);
  Curves wood;
  wood.positions = {at, at + Vec3d{1, 0.2, 0}, at + Vec3d{0.5, 0.1, 0}, at + Vec3d{0.6, 0.1, 0.3}};
  wood.first = {0, 2, 4};
  wood.vertices.resize(4);
  wood.strands.resize(2);
  plant.add_branches(wood, 0.01, "wood");
  Surface leaf;
  const Vec3d tip = at + Vec3d{1, 0.2, 0};
  leaf.positions = {tip, tip + Vec3d{0.1, 0, 0.05}, tip + Vec3d{0.2, 0, 0}, tip + Vec3d{0.1, 0, -0.05}};
  leaf.triangles = {{0, 1, 2}, {0, 2, 3}};
  plant.add_leaves(leaf, 1e-3, "leaf");
  return plant.grown(true);
}

double farthest(ElastonRun& run) {
  double most = 0;
  const std::vector<Vec3d> now = run.object().centres(run.object().slots());
  for (std::size_t e = 0; e < now.size(); ++e)
    most = std::max(most, norm(now[e] - run.object().cloud().elastons[e].centre));
  return most;
}

TEST(GravityCompensation, APlantStaysWhereItBeginsAndSwingsBack) {
  for (const double away : {0.0, 1000.0})
    for (const double share : {0.0, 1.0}) {
      ElastonRun run(branch(Vec3d{1, 0.5, -0.2} * away), {1e9, 0.3, 700, 0.02}, away > 0 ? 1e-8 : 1e-11);
      run.gravity({0, -g, 0});
      if (share > 0) EXPECT_EQ(run.object().bear_load(share), 1);
      run.start();
      for (int k = 0; k < 20; ++k) run.step(0.05);
      fmt::print("a branch {} m away, {} compensated: moves by {:.2e} m\n", away, share, farthest(run));
      if (share == 0) {
        EXPECT_GT(farthest(run), 5e-3);
        continue;
      }
      EXPECT_LT(farthest(run), 1e-8);
      for (std::size_t i = 0; i < run.object().slot_velocities().size(); i += 4)
        run.object().slot_velocities()[i] = {0, 0.5, 0.3};
      run.step(0.01);
      EXPECT_GT(farthest(run), 1e-3);
      for (int k = 0; k < 300; ++k) run.step(0.05);
      EXPECT_LT(farthest(run), 1e-7);
    }
}

TEST(GravityCompensation, AShareLeavesTheRestOfTheSagOfAPlant) {
  const auto sag = [](double weight, double share) {
    ElastonRun run(branch(), {1e9, 0.3, 700, 0}, 1e-13);
    run.gravity({0, -weight, 0});
    run.object().bear_load(share);
    run.start();
    run.settle(1e3);
    return farthest(run);
  };
  const double small = 1e-3 * g, whole = sag(small, 0);
  EXPECT_NEAR(sag(small, 0.5), 0.5 * whole, 2e-3 * whole);
  EXPECT_NEAR(sag(2 * small, 0.25), 1.5 * whole, 4e-3 * whole);
}

// So soft that it would hang down: it is told, and falls.
TEST(GravityCompensation, APlantThatBucklesIsKnown) {
  ElastonRun run(branch(), {3e6, 0.3, 700, 0.02}, 1e-9);
  run.gravity({0, -g, 0});
  const double factor = run.object().bear_load(1);
  EXPECT_GT(factor, 1.2);
  ElastonRun stiffer(branch(), {3e6 * factor, 0.3, 700, 0.02}, 1e-9);
  stiffer.gravity({0, -g, 0});
  EXPECT_EQ(stiffer.object().bear_load(1), 1);
}

// An arm of three bodies, along x from the origin: a hinge about z at the wall, then two balls, all with springs.
class Arm {
 public:
  Arm(double share, double spring, double weight = g) : run_(links(), tight()) {
    JointDrive drive;
    drive.spring = spring;
    drive.spring_relaxation = 0.1;
    run_.gravity({0, -weight, 0});
    run_.join(JointKind::hinge, {run_.place(0, -1, {0, 0, 0}, {0, 0, 1})}, drive);
    run_.join(JointKind::ball, {run_.place(1, 0, {0.2, 0, 0}), run_.place(2, 1, {0.4, 0, 0})}, drive);
    if (share > 0) add_rigid_load(run_.object(), "load", share);
    run_.start();
  }
  RigidRun& run() { return run_; }
  double farthest() {
    double most = 0;
    for (std::size_t b = 0; b < 3; ++b)
      most = std::max(most, norm(run_.pose(b).position - run_.object().rest_poses()[b].position));
    return most;
  }

 private:
  static Surface links() {
    const Vec3d size{0.2, 0.02, 0.02};
    return joined(joined(box_surface({0.1, 0, 0}, size), box_surface({0.3, 0, 0}, size)),
                  box_surface({0.5, 0, 0}, size));
  }
  static RigidObject::Description tight() {
    RigidObject::Description d;
    d.newton = {1e-11, 100};
    return d;
  }
  RigidRun run_;
};

TEST(GravityCompensation, AnArmKeepsItsPoseAndComesBackToIt) {
  Arm sagging(0, 5), arm(1, 5);
  for (int k = 0; k < 100; ++k) {
    sagging.run().step(0.02);
    arm.run().step(0.02);
  }
  EXPECT_GT(sagging.farthest(), 0.01);
  EXPECT_LT(arm.farthest(), 1e-8);
  arm.run().object().poses()[2].velocity = {0, 1, 2};
  double away = 0;
  for (int k = 0; k < 20; ++k) {
    arm.run().step(0.01);
    away = std::max(away, arm.farthest());
  }
  EXPECT_GT(away, 0.01);
  for (int k = 0; k < 1000; ++k) arm.run().step(0.02);
  EXPECT_LT(arm.farthest(), 1e-6);
}

// Each spring k turns by the moment of what is beyond it, (w L^2/2)/k of a beam of weight w per length; half of it
// where half is borne.
TEST(GravityCompensation, SpringsOfJointsCarryTheRest) {
  const double spring = 50, weight = 1e-2 * g, mass = 1000 * 0.2 * 0.02 * 0.02;
  for (const double share : {0.0, 0.5, 0.9}) {
    Arm arm(share, spring, weight);
    for (int k = 0; k < 60; ++k) arm.run().step(10);
    const double load = (1 - share) * mass * weight / 0.2, free[3] = {0.6, 0.4, 0.2};
    double angle = 0, down = 0;
    for (std::size_t b = 0; b < 3; ++b) {
      angle += load * free[b] * free[b] / 2 / spring;
      EXPECT_NEAR(-arm.run().pose(b).position.y, down + 0.1 * angle, 1e-4 * (down + 0.1 * angle)) << share << ", " << b;
      down += 0.2 * angle;
    }
  }
}

}  // namespace
}  // namespace ymir
