// What hangs on plants: statics of a weight, momentum, hair rooted in a branch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "elaston_run.h"
#include "rigid_run.h"
#include "ymir/actions/attachment_set.h"

namespace ymir {
namespace {

constexpr double length = 1, radius = 0.02, young = 1e8, nu = 0.3, density = 1000;

AttachmentResponse exact() {
  AttachmentResponse response;
  response.hard = true;
  return response;
}

ElastonCloud rod(int segments, bool held = true) {
  Plant plant(length / segments);
  plant.add_branches(strand({0, 0, 0}, {length, 0, 0}), radius, "rod");
  return plant.grown(held);
}

// A plumb bob that hangs by its upper corner: an octahedron of 2 cm, of 4e-6/3 m^3.
Surface bob_at(Vec3d hook) {
  Surface s;
  for (const Vec3d x : {Vec3d{0, 0, 0}, {0.01, -0.01, 0}, {0, -0.01, -0.01}, {-0.01, -0.01, 0}, {0, -0.01, 0.01}})
    s.positions.push_back(hook + x);
  s.positions.push_back(hook + Vec3d{0, -0.02, 0});
  for (std::int32_t k = 0; k < 4; ++k) {
    const std::int32_t a = 1 + k, b = 1 + (k + 1) % 4;
    s.triangles.push_back({0, a, b});
    s.triangles.push_back({5, b, a});
  }
  return s;
}

// The weight on a branch bends it as the same force at the same point of the field does, and its root carries it.
TEST(PlantAttachment, AWeightBendsABranchAsItsForceDoes) {
  const double heavy = 2e5, mass = heavy * 4e-6 / 3, small = 1e-3;  // [kg/m^3], [kg], gravity [m/s^2]
  for (const int segments : {8, 16, 32})
    for (const double x : {1.0, 0.47}) {
      const Vec3d hook{x, -radius, 0};
      double down[2] = {};
      {
        ElastonCloud cloud = rod(segments);
        ElastonSample handle = cloud.elastons.back();
        handle.centre = hook;
        handle.node = static_cast<std::int32_t>(std::lround(x * segments));
        handle.volume = 1e-20;
        handle.extent = {1e-6, 1e-6, 1e-6};
        cloud.elastons.push_back(handle);
        const std::size_t at = cloud.elastons.size() - 1;
        ElastonRun run(std::move(cloud), {young, nu, density, 0}, 1e-11);
        run.pull(at, {0, -mass * small, 0});
        run.start();
        run.settle(1e3);
        down[0] = hook.y - run.centre(at).y;
      }
      ElastonRun run(rod(segments), {young, nu, density, 0}, 1e-11);
      RigidObject::Description d;
      d.density = heavy;
      d.newton = {1e-11, 100};
      Communicator alone;
      GridDomain domain(100.0, 1, alone);
      RigidObject cube("cube", 0, domain, d, bob_at(hook));
      run.solids().add(cube);
      cube.add_force(gravity_force("gravity", {0, -small, 0}, {}));
      EmissionRule rule;
      rule.range = 4e-3;
      ASSERT_EQ(add_attachments(run.solids(), "hook", {&cube}, {&run.object()}, exact(), rule), 1U);
      run.start();
      cube.ingest();
      const double dt = 100;
      for (int k = 0; k < 40; ++k) {
        cube.begin_substep(Step{0, 0, 0, run.time(), dt});
        run.step(dt);
      }
      const ElastonCloud::Held& held = run.object().cloud().held[0];
      const auto field = run.object().field_at(run.object().slots(), hook, static_cast<std::int32_t>(x * segments));
      down[1] = hook.y - field.value.y;
      const double grip = 1e3 * held.area * (young / (length / segments) + density * (length / segments) / (dt * dt));
      const double reaction =
          grip * (held.at - run.object().field_at(run.object().slots(), held.at, held.node).value).y;
      const MaterialPoint at = run.solids().couplings()[0]->point(0, 1);
      const double gap = norm(run.object().point_of({}, at).position -
                              run.object().field_at(run.object().slots(), at.weights, at.cell).value);
      fmt::print(
          "{} segments, at {}: {:.5f} of the sag of the force, reaction {:.6f} of the weight, {:.1e} of the sag off "
          "the field\n",
          segments, x, down[1] / down[0], reaction / (mass * small), gap / down[0]);
      EXPECT_NEAR(reaction, mass * small, 1e-5 * mass * small);
      EXPECT_NEAR(down[1] / down[0], 1, x == 1 ? 1e-4 : segments == 8 ? 0.01 : 2e-3);
      EXPECT_LT(gap, 0.1 * down[0]);
    }
}

// A free branch and a ball thrown with it.
TEST(PlantAttachment, MomentumIsKept) {
  ElastonRun run(rod(10, false), {1e6, nu, density, 0}, 1e-12);
  RigidObject::Description d;
  d.density = 5000;
  d.velocity = {0.5, -2, 1};
  d.newton = {1e-12, 100};
  Communicator alone;
  GridDomain domain(100.0, 1, alone);
  RigidObject cube("cube", 0, domain, d, bob_at({0.6, -radius, 0}));
  run.solids().add(cube);
  EmissionRule rule;
  rule.range = 4e-3;
  ASSERT_EQ(add_attachments(run.solids(), "hook", {&cube}, {&run.object()}, exact(), rule), 1U);
  run.start();
  cube.ingest();
  const auto momentum = [&] { return run.momentum() + cube.poses()[0].velocity * cube.bodies()[0].mass; };
  const Vec3d before = momentum();
  double off = 0;
  for (int k = 0; k < 60; ++k) {
    cube.begin_substep(Step{0, 0, 0, run.time(), 0.005});
    run.step(0.005);
    off = std::max(off, norm(momentum() - before) / norm(before));
  }
  fmt::print("a free branch with a ball: momentum off by {:.1e}\n", off);
  EXPECT_LT(off, 1e-10);
  const MaterialPoint hook = run.solids().couplings()[0]->point(0, 0), at = run.solids().couplings()[0]->point(0, 1);
  EXPECT_LT(norm(run.object().point_of({}, at).position - cube.point_of(cube.present_shapes()[0], hook).position),
            1e-2);
}

// Rigid motion of the plant carries its points exactly, in place and frame; derivatives are those of differences.
TEST(PlantAttachment, PointsFollowThePlant) {
  ElastonRun run(rod(10), {1e6, nu, density, 0});
  run.start();
  const PieceShape shape = run.object().input_shapes()[0];
  for (std::size_t v = 0; v < shape.points.size(); v += 7) {
    const MaterialPoint at = shape.points[v];
    EXPECT_LT(norm(run.object().point_of(shape, at).position - shape.positions[v]), 1e-14);
    std::vector<Vec3d> slots = run.object().slots();
    for (std::size_t i = 0; i < slots.size(); ++i)
      slots[i] += Vec3d{std::sin(1.0 * static_cast<double>(i)), std::cos(2.0 * static_cast<double>(i)),
                        std::sin(3.0 * static_cast<double>(i))} *
                  0.01;
    const Embedding here = run.object().embedded_at(at, slots, 0);
    for (int dof = 0; dof < here.dofs; ++dof) {
      std::int32_t nodes[ElastonReach::few];
      run.object().reach().nearest(at.cell, at.weights, nodes);
      const std::int32_t node = nodes[dof / 12];
      Vec3d& slot = slots[4 * static_cast<std::size_t>(node) + static_cast<std::size_t>(dof % 12 / 3)];
      const double h = 1e-6;
      const Vec3d keep = slot;
      slot[dof % 3] = keep[dof % 3] + h;
      const Embedding up = run.object().embedded_at(at, slots, 0);
      slot[dof % 3] = keep[dof % 3] - h;
      const Embedding low = run.object().embedded_at(at, slots, 0);
      slot = keep;
      EXPECT_LT(norm((up.position - low.position) / (2 * h) - here.shift[dof]), 1e-8);
      for (int k = 0; k < 3; ++k)
        EXPECT_LT(norm((up.frame[k] - low.frame[k]) / (2 * h) - cross(here.turn[dof], here.frame[k])), 1e-6);
    }
  }
}

}  // namespace
}  // namespace ymir
