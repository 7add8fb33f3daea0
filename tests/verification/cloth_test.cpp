// Cloth through the solid system: plates, strips, stretch, Newton's method, wind, sewing. [method notes: solids, 5, 9]
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "cloth_run.h"
#include "ymir/actions/drag_force.h"
#include "ymir/actions/mesh_contact.h"
#include "ymir/actions/sewing.h"
#include "ymir/actions/surface_panels.h"
#include "ymir/base/error.h"
#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"

namespace ymir::cloth_tests {
namespace {

// Table 5.7 of the notes: 12 x 12 near equilateral triangles of 1 m, 0.2 kg/m^2, D = 1e-5 N m, hung at two corners and
// released flat; six steps. `best` is the least mean of its columns.
TEST(Cloth, NeedsAsFewIterationsAsTheBestMethodOfTheNotes) {
  struct Row {
    double stretch;
    int fps;
    double best;
  };
  for (const Row& row : {Row{1e2, 96, 3.0}, Row{1e2, 24, 5.7}, Row{1e4, 96, 4.2}, Row{1e4, 24, 18.7},
                         Row{1e6, 96, 15.7}, Row{1e6, 24, 20.0}}) {
    for (const BendingModel model : {BendingModel::mid, BendingModel::hinge}) {
      ElasticShellMaterial material = fabric(row.stretch, 1e-5);
      material.model = model;
      ClothRun run(sheet_mesh({0.5, 0.5, 0}, 1, 1, 1.0 / 12 + 1e-12), material);
      run.gravity({0, 0, -9.81});
      run.hold([](Vec3d x) { return x.y < 1e-9 && (x.x < 1e-9 || x.x > 1 - 1e-9); });
      run.start();
      Random random(7, 0);
      std::vector<Vec3d> x = run.object().mesh().positions;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!run.object().held()[i]) x[i].z += 1e-3 * random.uniform(-1.7, 1.7);
      run.place(x);
      int iterations = 0, most = 0;
      for (int k = 0; k < 6; ++k) {
        const int taken = run.step(1.0 / row.fps);
        iterations += taken;
        most = std::max(most, taken);
      }
      double lowest = 0;
      for (const Vec3d& p : run.object().positions()) lowest = std::min(lowest, p.z);
      fmt::print("{} Eh {:g} N/m, dt 1/{}: {:.1f}/{} iterations, notes {}; lowest {:.3f} m\n",
                 model == BendingModel::mid ? "mid" : "hinge", row.stretch, row.fps, iterations / 6.0, most, row.best,
                 lowest);
      EXPECT_LE(iterations / 6.0, 1.2 * row.best);
    }
  }
}

constexpr std::array models{BendingModel::mid, BendingModel::tri, BendingModel::hinge};

ElasticShellMaterial fabric_of(BendingModel model, double stretch, double bending) {
  ElasticShellMaterial m = fabric(stretch, bending);
  m.model = model;
  return m;
}

// A flag without wind, held along one side: its weight presses it together along a diagonal, and it leaves one flat or
// folded equilibrium after the other. Residuals grow on the way out of each; steps that are cut down for it never get
// there.
TEST(Cloth, LeavesEquilibriaThatDoNotHold) {
  int most = 0, all = 0;
  for (const double stretch : {300.0, 3000.0}) {
    ClothRun run(sheet_mesh({0.75, 0.5, 0}, 1.5, 1, 0.06), fabric_of(BendingModel::tri, stretch, 5e-5), 0.1, 1e-4);
    run.gravity({0, -9.81, 0});
    run.hold([](Vec3d x) { return x.x < 1e-9; });
    run.start();
    Random random(3, 0);
    std::vector<Vec3d> x = run.object().mesh().positions;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!run.object().held()[i]) x[i].z += 1e-4 * random.uniform(-1, 1);
    run.place(x);
    for (int k = 0; k < 12; ++k) {
      const int taken = run.step(1.0 / 48);
      most = std::max(most, taken);
      all += taken;
    }
  }
  fmt::print("mean {:.1f}, most {} iterations\n", all / 24.0, most);
  EXPECT_LE(most, 50);  // what cloth is given
}

TEST(Cloth, FallsAsAPointDoes) {
  for (const BendingModel model : models)
    for (const Vec3d origin : {Vec3d{0, 0, 0}, Vec3d{1000, 2000, -500}}) {
      ClothRun run(sheet_mesh(origin, 0.4, 0.3, 0.06), fabric_of(model, 2000, 1e-4));
      run.gravity({0, -9.81, 0});
      run.start();
      for (Vec3d& v : run.object().velocities()) v = {4, 0, 1};
      const double dt = 1.0 / 24;
      for (int k = 0; k < 10; ++k) run.step(dt);
      const double t = run.time(), fall = 0.5 * 9.81 * t * (t + dt);  // of backward Euler
      for (std::size_t i = 0; i < run.object().positions().size(); ++i)
        EXPECT_LT(norm(run.object().positions()[i] - run.object().mesh().positions[i] - Vec3d{4 * t, -fall, t}), 1e-7);
    }
}

// Forces within the cloth cancel; its energy never exceeds what it began with, damped or not.
TEST(Cloth, KeepsItsMomentumAndGainsNoEnergy) {
  for (const BendingModel model : models)
    for (const double relaxation : {0.0, 0.01}) {
      ElasticShellMaterial m = fabric_of(model, 2000, 1e-4);
      m.stretch_relaxation = m.bending_relaxation = relaxation;
      ClothRun run(sheet_mesh({0, 0, 0}, 0.4, 0.3, 0.05), m);
      run.start();
      Random random(3, 0);
      for (Vec3d& v : run.object().velocities())
        v = {random.uniform(-1, 2), random.uniform(-1, 1), random.uniform(-3, 2)};
      const auto kinetic = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < run.object().mass().size(); ++i)
          sum += 0.5 * run.object().mass()[i] * dot(run.object().velocities()[i], run.object().velocities()[i]);
        return sum;
      };
      const Vec3d before = run.momentum();
      const double begin = kinetic();
      for (int k = 0; k < 20; ++k) {
        run.step(1.0 / 96);
        EXPECT_LT(kinetic(), begin);
      }
      EXPECT_LT(norm(run.momentum() - before), 1e-5 * norm(before));
    }
}

// Held at a corner and released level: what it has of kinetic energy it has fallen for.
TEST(Cloth, SwingsNoHigherThanItFell) {
  ClothRun run(sheet_mesh({0.2, 0.15, 0}, 0.4, 0.3, 0.05), fabric(2000, 1e-4));
  run.gravity({0, 0, -9.81});
  run.hold([](Vec3d x) { return x.x < 1e-9 && x.y < 1e-9; });
  run.start();
  double least = 1e300;
  for (int k = 0; k < 192; ++k) {
    run.step(1.0 / 48);
    double energy = 0, all = 0;
    for (std::size_t i = 0; i < run.object().mass().size(); ++i) {
      const double m = run.object().mass()[i];
      const Vec3d v = run.object().velocities()[i];
      energy += m * (0.5 * dot(v, v) + 9.81 * run.object().positions()[i].z);
      all += m;
    }
    EXPECT_LT(energy, 1e-6 * all);
    if (k % 48 == 47) {
      EXPECT_LT(energy, least);
      least = energy;
    }
  }
}

// Damping of strains does not brake what turns as a whole.
TEST(Cloth, DampingLeavesSpinAlone) {
  std::array<double, 2> spin{};
  for (std::size_t r = 0; r < 2; ++r) {
    ElasticShellMaterial m = fabric(1e4, 1e-3);
    m.stretch_relaxation = m.bending_relaxation = r == 0 ? 0 : 0.1;
    ClothRun run(sheet_mesh({0, 0, 0}, 0.4, 0.4, 0.1), m, 0.2, 1e-10);
    run.start();
    for (std::size_t i = 0; i < run.object().velocities().size(); ++i)
      run.object().velocities()[i] = cross(Vec3d{0.3, 0.2, 2}, run.object().mesh().positions[i]);
    for (int k = 0; k < 100; ++k) run.step(1e-3);
    for (std::size_t i = 0; i < run.object().mass().size(); ++i)
      spin[r] += run.object().mass()[i] * cross(run.object().positions()[i], run.object().velocities()[i]).z;
  }
  EXPECT_NEAR(spin[1] / spin[0], 1, 1e-5);
}

TEST(Cloth, HasTheSameBitsOnEveryThreadCount) {
  const int before = threads();
  for (const BendingModel model : models) {
    std::vector<std::uint64_t> hashes;
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      ClothRun run(sheet_mesh({0.5, 0.5, 0}, 1, 1, 0.07), fabric_of(model, 2000, 1e-5));
      run.gravity({1, -9.81, 3});
      run.hold([](Vec3d x) { return x.x < 1e-9; });
      PrescribedField wind;
      VectorField uniform;
      uniform.uniform = {2, 0, 5};
      wind.add(uniform);
      add_panels(run.object(), "wind", "drag").add_force(plate_drag_force("wind", {}, wind));
      run.start();
      for (int k = 0; k < 4; ++k) run.step(1.0 / 48);
      hashes.push_back(run.object().hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  }
  set_threads(before);
}

TEST(Cloth, GoesOnFromACheckpointBitByBit) {
  const auto make = [] {
    ElasticShellMaterial m = fabric(2000, 1e-4);
    m.yield_curvature = 2;
    auto run = std::make_unique<ClothRun>(sheet_mesh({0.5, 0.5, 0}, 1, 1, 0.1), m);
    run->gravity({1, -9.81, 3});
    run->hold([](Vec3d x) { return x.x < 1e-9; });
    run->start();
    return run;
  };
  const auto whole = make(), begun = make(), resumed = make();
  for (int k = 0; k < 8; ++k) whole->step(1.0 / 48);
  for (int k = 0; k < 4; ++k) begun->step(1.0 / 48);
  const ObjectState state = begun->object().checkpoint();
  resumed->object().restore(&state);
  for (int k = 0; k < 4; ++k) resumed->step(1.0 / 48);
  EXPECT_EQ(whole->object().hash(), resumed->object().hash());
}

// Shrunk to a fifth, squeezed to a hundredth, or thrown about by two edges: it comes back, with substeps halved as a
// simulation does.
TEST(Cloth, ComesBackFromBeingCrumpled) {
  for (const BendingModel model : models)
    for (const int way : {0, 1, 2}) {
      const Surface sheet = sheet_mesh({0, 0, 0}, 0.4, 0.4, 0.05);
      ClothRun run(sheet, fabric_of(model, 1000, 1e-4));
      run.start();
      Random random(11, 0);
      std::vector<Vec3d> x = sheet.positions;
      for (Vec3d& p : x) {
        if (way == 0) p *= 0.2;
        if (way == 1) p.y *= 0.01;
        if (way == 2) p += Vec3d{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)} * 0.1;
      }
      run.place(x);
      int failures = 0;
      double dt = 1.0 / 48;
      for (int k = 0; k < 150; ++k) {
        run.object().save();
        if (run.try_step(dt).status != SolveReport::Status::converged) {
          ++failures;
          run.object().rollback();
          dt /= 2;
        }
        ASSERT_FALSE(run.object().non_finite());
      }
      double worst = 0;
      for (const auto& t : sheet.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
          const auto a = static_cast<std::size_t>(t[k]), b = static_cast<std::size_t>(t[(k + 1) % 3]);
          const double rest = norm(sheet.positions[a] - sheet.positions[b]);
          worst = std::max(worst, std::abs(norm(run.object().positions()[a] - run.object().positions()[b]) / rest - 1));
        }
      fmt::print("model {}, way {}: edges within {:.1e}, {} substeps halved\n", static_cast<int>(model), way, worst,
                 failures);
      EXPECT_LT(worst, 0.05);
      EXPECT_LT(failures, 8);
    }
}

// Laid on a floor it stays half its thickness above what is kept free, on either side of its triangles.
TEST(Cloth, LiesOnAFloor) {
  for (const bool turned : {false, true}) {
    Surface sheet = sheet_mesh({0, 0, 0}, 0.3, 0.3, 0.05);
    for (Vec3d& x : sheet.positions) x.z = 2e-3;
    if (turned)
      for (auto& t : sheet.triangles) std::swap(t[1], t[2]);
    ClothRun run(sheet, fabric(2000, 1e-4));
    run.gravity({0, 0, -9.81});
    Collider floor{[](Vec3d x) { return DistanceSample{x.z, {0, 0, 1}}; }};
    add_mesh_contact(run.object(), "floor", solid_during(floor), {200, 0.3, 5e-4});
    run.start();
    for (int k = 0; k < 48; ++k) run.step(1.0 / 48);
    for (const Vec3d& x : run.object().positions()) {
      EXPECT_LT(x.z, 5e-4 + ClothRun::thickness / 2);
      EXPECT_GT(x.z, ClothRun::thickness / 2 - 9.81 / (48 * 48 * 200));
    }
  }
}

// Two sheets become one: every pair keeps to its schedule, and is together at the end.
TEST(Cloth, SeamsCloseAsPlanned) {
  for (const bool exact : {true, false}) {
    Surface both = square_grid(4, 4, 0.4, 0.4);
    const auto first = static_cast<std::int32_t>(both.positions.size());
    Surface other = square_grid(4, 4, 0.4, 0.4);
    for (const Vec3d& x : other.positions) both.positions.push_back(x + Vec3d{0.45, 0, 0.02});
    for (const auto& t : other.triangles) both.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    ClothRun run(both, fabric(2000, 1e-4), 0.2, 1e-7);
    const std::vector<SewnPair> pairs = facing_vertices(run.object().mesh(), 0.06);
    ASSERT_EQ(pairs.size(), 5u);
    Seam seam{0.1, 0.5, {}};
    if (!exact) seam.stiffness = 500;
    add_sewing(run.object(), "seam", pairs, seam);
    run.start();
    const double gap = std::hypot(0.05, 0.02);
    double off = 0, apart = 0;
    for (int k = 0; k < 96; ++k) {
      run.step(1.0 / 96);
      const double planned = gap * (1 - std::clamp((run.time() - 0.1) / 0.5, 0.0, 1.0));
      for (const auto& [i, j] : pairs) {
        apart = norm(run.object().positions()[static_cast<std::size_t>(i)] -
                     run.object().positions()[static_cast<std::size_t>(j)]);
        off = std::max(off, std::abs(apart - planned));
      }
    }
    fmt::print("{} seams: off by at most {:.1e} m, {:.1e} m apart at the end\n", exact ? "exact" : "soft", off, apart);
    EXPECT_LT(off, exact ? 1e-5 : 2e-3);
    EXPECT_LT(apart, exact ? 1e-7 : 1e-4);
  }
}

// Cloth far stiffer than the inertia of its vertices in a long substep: two corners are drawn together all the same.
TEST(Cloth, SeamsCloseHoweverStiffTheCloth) {
  for (const double stiffness : {1e3, 1e5}) {
    ClothRun run(square_grid(4, 4, 0.4, 0.4), fabric(stiffness, 1e-4), 0.2, 1e-6);
    add_sewing(run.object(), "seam", {{0, 24}}, Seam{0, 0.5, {}});
    run.start();
    double apart = 0;
    for (int k = 0; k < 14; ++k) {
      run.step(1.0 / 24);
      apart = norm(run.object().positions()[0] - run.object().positions()[24]);
      if (k == 5) EXPECT_NEAR(apart, 0.2 * std::sqrt(2.0), 1e-3);  // half of the way
    }
    fmt::print("seam of cloth of {:g} N/m: {:.1e} m apart\n", stiffness, apart);
    EXPECT_LT(apart, 1e-6);
  }
}

TEST(Cloth, RefusesTrianglesWithoutShape) {
  Surface sheet = square_grid(1, 1, 1, 1);
  sheet.positions[1] = sheet.positions[0];
  EXPECT_THROW(cloth_of(sheet, 1e-3, "sheet"), Error);
  sheet = square_grid(1, 1, 1, 1);
  for (Vec3d& x : sheet.positions) x.y *= 1e-3;
  EXPECT_THROW(cloth_of(sheet, 1e-3, "sheet"), Error);
  sheet = square_grid(1, 1, 1, 1);
  sheet.positions.push_back({5, 5, 5});
  const SolidMesh cloth = cloth_of(sheet, 1e-3, "sheet");
  EXPECT_EQ(cloth.positions.size(), 4u);
  EXPECT_NE(cloth.warning, "");
}

}  // namespace
}  // namespace ymir::cloth_tests
