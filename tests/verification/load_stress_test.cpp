// Gravity compensation of soft bodies: equilibrium where they begin, whatever they are made of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "soft_run.h"
#include "ymir/actions/load_stress.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr double g = 9.81;
constexpr std::array shapes{CellShape::tetrahedron, CellShape::hexahedron, CellShape::quadratic_tetrahedron};

double farthest(SoftRun& run) {
  double most = 0;
  for (std::size_t i = 0; i < run.object().positions().size(); ++i)
    most = std::max(most, norm(run.object().positions()[i] - run.object().mesh().positions[i]));
  return most;
}

double tip_sag(SoftRun& run, double length) {
  double sag = 0;
  int count = 0;
  for (std::size_t i = 0; i < run.object().positions().size(); ++i)
    if (run.object().mesh().positions[i].x > length - 1e-9) {
      sag += run.object().mesh().positions[i].y - run.object().positions()[i].y;
      ++count;
    }
  return sag / count;
}

// A beam that would sag by 12 cm in linear theory, 40 % of its length, stays where it is, of every material and shape,
// anywhere.
TEST(LoadStress, ABeamStaysWhereItBegins) {
  for (const CellShape shape : shapes)
    for (const SolidModel model :
         {SolidModel::neo_hookean, SolidModel::log_neo_hookean, SolidModel::corotated, SolidModel::st_venant_kirchhoff})
      for (const double nu : {0.0, 0.3, 0.49})
        for (const double away : {0.0, 1000.0}) {
          if (away > 0 && model != SolidModel::neo_hookean) continue;
          SolidMesh mesh = block(shape, {6, 2, 2}, {0.3, 0.05, 0.05});
          for (auto* x : {&mesh.positions, &mesh.skin.positions})
            for (Vec3d& at : *x) at += Vec3d{1, -0.5, 0.3} * away;
          const ElasticSolidMaterial material{4e5, nu, model, 0};
          SoftRun run(std::move(mesh), material, 1e-9);
          run.gravity({0, -g, 0});
          run.hold([&](Vec3d x) { return x.x - away < 1e-6; });
          add_load_stress(run.object(), "compensation", material, 1);
          run.start();
          for (int k = 0; k < 10; ++k) run.step(0.05);
          EXPECT_LT(farthest(run), 1e-8) << static_cast<int>(shape) << static_cast<int>(model) << nu << ", " << away;
        }
}

// Half of it leaves the sag of half the weight; none, all of it. Small loads: to first order in them.
TEST(LoadStress, AShareLeavesTheRestOfTheSag) {
  const double length = 0.3, small = 1e-3 * g;
  const auto sag = [&](double weight, double share) {
    SoftRun run(block(CellShape::hexahedron, {12, 2, 2}, {length, 0.05, 0.05}), {1e5, 0.3}, 1e-12);
    run.gravity({0, -weight, 0});
    run.hold([](Vec3d x) { return x.x == 0; });
    add_load_stress(run.object(), "compensation", {1e5, 0.3}, share);
    run.start();
    run.settle(10);
    return tip_sag(run, length);
  };
  const double whole = sag(small, 0);
  EXPECT_NEAR(sag(small, 0.5), 0.5 * whole, 2e-3 * whole);
  EXPECT_NEAR(sag(small, 0.9), 0.1 * whole, 2e-3 * whole);
  EXPECT_NEAR(sag(2 * small, 0.25), 1.5 * whole, 4e-3 * whole);
}

// The stress belongs to the body: upside down its weight counts twice.
TEST(LoadStress, TurnsWithTheBody) {
  const double length = 0.3, small = 1e-3 * g;
  std::array<double, 2> sag{};
  for (const bool compensated : {false, true}) {
    SoftRun run(block(CellShape::hexahedron, {12, 2, 2}, {length, 0.05, 0.05}), {1e5, 0.3}, 1e-12);
    Vec3d down{0, -small, 0};
    PointForce weight;
    weight.owner = weight.what = "weight";
    weight.steady = true;
    weight.accumulate = [&](const PointBlock& b, Planes<const Vec3d>::Type, const ForceBlock& out) {
      for (int i = 0; i < b.count; ++i) out.force.y[i] += down.y * b.mass[i];
    };
    run.object().add_force(weight);
    run.hold([](Vec3d x) { return x.x == 0; });
    if (compensated) add_load_stress(run.object(), "compensation", {1e5, 0.3}, 1);
    run.start();
    down = -down;
    run.settle(10);
    sag[compensated ? 1 : 0] = -tip_sag(run, length);
  }
  EXPECT_NEAR(sag[1], 2 * sag[0], 4e-3 * sag[0]);
}

// In between, energy is kept as without it: a beam that is let go after a push swings about where it began.
TEST(LoadStress, ABeamSwingsAboutItsGroomedShape) {
  SoftRun run(block(CellShape::hexahedron, {6, 1, 1}, {0.3, 0.05, 0.05}), {5e5, 0.3, SolidModel::neo_hookean, 0.02},
              1e-10);
  run.gravity({0, -g, 0});
  run.hold([](Vec3d x) { return x.x == 0; });
  add_load_stress(run.object(), "compensation", {5e5, 0.3}, 1);
  run.start();
  for (Vec3d& v : run.object().velocities()) v = {0, 0.3, 0.2};
  run.step(0.01);
  EXPECT_GT(farthest(run), 1e-3);
  for (int k = 0; k < 400; ++k) run.step(0.02);
  EXPECT_LT(farthest(run), 1e-7);
}

// Equilibrium is not stability: it is told whether a beam stands, and how stiff it would have to be. This one would sag
// by 37 cm in linear theory where it still stands, by 80 cm where it does not.
TEST(LoadStress, WhatBucklesIsKnown) {
  const auto falls = [](double young, double* factor) {
    SoftRun run(block(CellShape::hexahedron, {6, 2, 2}, {0.3, 0.05, 0.05}), {young, 0.3, SolidModel::neo_hookean, 0.02},
                1e-7);
    run.gravity({0, -g, 0});
    run.hold([](Vec3d x) { return x.x == 0; });
    *factor = add_load_stress(run.object(), "compensation", {young, 0.3}, 1);
    run.start();
    for (Vec3d& v : run.object().velocities()) v = {0, 0.02, 0.02};
    for (int k = 0; k < 60; ++k) run.step(0.1);
    return farthest(run) > 1e-6;
  };
  double factor = 0, again = 0;
  EXPECT_FALSE(falls(1.3e5, &factor));
  EXPECT_EQ(factor, 1);
  EXPECT_TRUE(falls(6e4, &factor));
  EXPECT_GT(factor, 1.5);
  EXPECT_LT(factor, 2.4);
  EXPECT_FALSE(falls(6e4 * factor, &again));
  EXPECT_EQ(again, 1);
}

// Held by nothing, by one node, by an edge that it could turn about.
TEST(LoadStress, WhatIsNotHeldIsRefused) {
  const std::array<std::function<bool(Vec3d)>, 3> holds{[](Vec3d) { return false; },
                                                        [](Vec3d x) { return norm(x) < 1e-9; },
                                                        [](Vec3d x) { return x.x == 0 && x.y == 0; }};
  for (const CellShape shape : shapes)
    for (const auto& where : holds) {
      SoftRun run(block(shape, {3, 2, 2}, {0.3, 0.1, 0.1}), {1e4, 0.3});
      run.gravity({0, -g, 0});
      run.hold(where);
      EXPECT_THROW(add_load_stress(run.object(), "elastic_solid", {1e4, 0.3}, 1), Error);
    }
}

}  // namespace
}  // namespace ymir
