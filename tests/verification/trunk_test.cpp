// Solid parts of plants: trunks that are held at their foot, branches that grow out of them, fruit that hangs.
#include <fmt/format.h>

#include <array>

#include "elaston_run.h"
#include "ymir/base/error.h"
#include "ymir/data/closed_surface.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/math/quaternion.h"

namespace ymir {
namespace {

constexpr std::size_t most = 100'000;

Surface column(Vec3d size, Vec3d foot = {0, 0, 0}) {
  return box_mesh(foot + Vec3d{0, size.y / 2, 0}, size * 0.5, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
}

ElastonCloud grown(double spacing, const Surface& surface, bool held) {
  Plant plant(spacing);
  plant.add_trunks(surface, "trunk", most);
  return plant.grown(held);
}

double mass_of(const ElastonObject& object) {
  double mass = 0;
  for (const double m : object.mass()) mass += m;
  return mass;
}

// A square column under a uniform load from the side, against Timoshenko's beam (shear coefficient 5/6).
TEST(Trunks, BendAsABeam) {
  constexpr double height = 1, side = .2, young = 1e7, nu = .3, density = 1000, pull = 1e-3;
  for (const double spacing : {.1 / 1.5, .1 / 2.25, .1 / 3}) {
    ElastonCloud cloud = grown(spacing, column({side, height, side}), true);
    const std::size_t nodes = cloud.nodes.size(), elastons = cloud.elastons.size();
    ElastonRun run(std::move(cloud), {young, nu, density, 0}, 1e-12);
    run.gravity({pull, 0, 0});
    run.start();
    run.settle(1e3);
    const double area = side * side, inertia = area * area / 12, shear = young / (2 * (1 + nu));
    const double load = density * area * pull;
    const double exact =
        load * std::pow(height, 4) / (8 * young * inertia) + load * height * height / (2 * shear * area * 5 / 6);
    const Vec3d tip =
        run.object().field_at(run.object().slots(), {0, height, 0}, static_cast<std::int32_t>(nodes) - 1).value;
    fmt::print("column of {} nodes and {} elastons: {:.4f} of Timoshenko's beam\n", nodes, elastons, tip.x / exact);
    EXPECT_NEAR(tip.x / exact, 1, .02);
  }
}

// Whatever its shape and wherever it stands, it has the mass that its surface encloses, and falls as a point does.
TEST(Trunks, HaveTheMassOfWhatTheyEncloseAndFall) {
  for (const Vec3d at : {Vec3d{0, 0, 0}, Vec3d{1000, -2000, 500}})
    for (const double spacing : {.1, .2, .5}) {
      const Surface ball = sphere_mesh(at, .2, 24);
      ElastonRun run(grown(spacing, ball, false), {1e7, .3, 800, 0}, 1e-8);
      run.gravity({0, -9.81, 0});
      run.start();
      EXPECT_NEAR(mass_of(run.object()), 800 * enclosed_volume(ball), 1e-6 * 800 * enclosed_volume(ball));
      const std::vector<Vec3d> before = run.object().centres(run.object().slots());
      for (int k = 0; k < 5; ++k) run.step(1.0 / 24);
      const double fall = 0.5 * 9.81 * run.time() * (run.time() + 1.0 / 24);
      const std::vector<Vec3d> x = run.object().centres(run.object().slots());
      for (std::size_t e = 0; e < x.size(); ++e) EXPECT_LT(norm(x[e] - before[e] + Vec3d{0, fall, 0}), 1e-6);
    }
}

// A branch out of a trunk ten times as thick bends about as one that is clamped there: nodes of the trunk in reach hold
// its foot in parts longer than itself, and yield under it in shorter ones.
TEST(Trunks, CarryBranches) {
  const double young = 1e9, inertia = M_PI * std::pow(.02, 4) / 4, load = 700 * M_PI * .02 * .02 * 1e-2;
  const double exact = load * std::pow(.5, 4) / (8 * young * inertia);
  for (const auto& [spacing, least, most_bent] : {std::array{.06, .7, 1.}, {.04, .85, 1.05}, {.03, .95, 1.2}}) {
    Plant plant(spacing);
    plant.add_branches(strand({.1, .5, 0}, {.6, .5, 0}), .02, "branch");
    plant.add_trunks(column({.2, 1, .2}), "trunk", most);
    ElastonRun run(plant.grown(true), {young, .3, 700, 0}, 1e-11);
    ASSERT_EQ(run.object().pieces().size(), 1U);
    run.gravity({0, 0, 1e-2});
    run.start();
    run.settle(1e3);
    const auto at = [&](Vec3d x) {
      std::int32_t near = 0;
      const std::vector<Vec3d>& nodes = run.object().cloud().nodes;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (norm(nodes[i] - x) < norm(nodes[static_cast<std::size_t>(near)] - x)) near = static_cast<std::int32_t>(i);
      return run.object().field_at(run.object().slots(), x, near);
    };
    const auto root = at({.1, .5, 0});
    const double tip = at({.6, .5, 0}).value.z - root.value.z - .5 * root.gradient.column[0].z;
    fmt::print("branch on a trunk, {:g} radii apart: {:.4f} of a clamped beam\n", spacing / .02, tip / exact);
    EXPECT_GT(tip / exact, least);
    EXPECT_LT(tip / exact, most_bent);
  }
}

// A fruit weighs on the twig it hangs from, and nothing holds it to the ground.
TEST(Trunks, FruitHangsOnItsTwig) {
  Plant plant(.05);
  plant.add_branches(strand({0, 1, 0}, {.4, 1, 0}), .01, "twig");
  const Surface ball = sphere_mesh({.4, .945, 0}, .05, 16);
  plant.add_trunks(ball, "apple", most);
  ElastonCloud cloud = plant.grown(true);
  EXPECT_EQ(cloud.held.size(), 1U);
  const double young = 1e9, density = 800, g = 1e-3;
  ElastonRun run(std::move(cloud), {young, .3, density, 0}, 1e-12);
  ASSERT_EQ(run.object().pieces().size(), 1U);
  run.gravity({0, -g, 0});
  run.start();
  run.settle(1e3);
  const double inertia = M_PI * std::pow(.01, 4) / 4, weight = density * enclosed_volume(ball) * g;
  const double own = density * M_PI * .01 * .01 * g;
  const double exact = (weight * std::pow(.4, 3) / 3 + own * std::pow(.4, 4) / 8) / (young * inertia);
  const double sag = 1 - run.object().field_at(run.object().slots(), {.4, 1, 0}, 8).value.y;
  fmt::print("twig with an apple sags by {:.4f} of a beam\n", sag / exact);
  EXPECT_NEAR(sag / exact, 1, .1);
}

TEST(Trunks, AreRefusedWithoutAnInside) {
  Surface open = column({.2, 1, .2});
  open.triangles.pop_back();
  EXPECT_THROW(grown(.1, open, true), Error);
}

}  // namespace
}  // namespace ymir
