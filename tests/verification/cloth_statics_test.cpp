// Cloth at rest under loads against plates, the elastica and closed forms of stretching. [method notes: solids, 5 and
// 9]
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cloth_run.h"
#include "ymir/base/random.h"
#include "ymir/data/shell_topology.h"
#include "ymir/objects/mesh_block.h"
#include "ymir/objects/mesh_cells.h"

namespace ymir::cloth_tests {
namespace {

// A force on every node [N], growing from nothing at time 0 to its whole at 1 s.
PointForce load(std::vector<Vec3d> of_node) {
  PointForce force;
  force.owner = force.what = "load";
  force.accumulate = [of_node = std::move(of_node)](const PointBlock& block, Planes<const Vec3d>::Type,
                                                    const ForceBlock& out) {
    for (int i = 0; i < block.count; ++i) {
      const Vec3d f = of_node[static_cast<std::size_t>(i)] * std::min(1.0, block.time);
      out.force.x[i] += f.x, out.force.y[i] += f.y, out.force.z[i] += f.z;
    }
  };
  return force;
}

// Traction [N/m] on the edges of a grid of nx by ny squares at x = 0 and x = lx.
std::vector<Vec3d> pull_ends(int nx, int ny, double ly, Vec3d low, Vec3d high) {
  std::vector<Vec3d> f(static_cast<std::size_t>((nx + 1) * (ny + 1)), Vec3d{0, 0, 0});
  for (int j = 0; j <= ny; ++j) {
    const double length = ly / ny * (j == 0 || j == ny ? 0.5 : 1);
    f[static_cast<std::size_t>(j)] += low * length;
    f[static_cast<std::size_t>(nx * (ny + 1) + j)] += high * length;
  }
  return f;
}

// A square plate, simply supported, nu = 0.3: .00406235 q a^4/D at its centre. Table 5.4 of the notes, MID.
TEST(ClothStatics, PlateBendsAsNavierSays) {
  for (const bool alternating : {false, true}) {
    std::array<double, 2> error{};
    for (std::size_t r = 0; r < 2; ++r) {
      const int n = r == 0 ? 8 : 16;
      const double q = 0.1, density = 0.2;
      ClothRun run(square_grid(n, n, 1, 1, alternating), fabric(100, 1), density, 1e-12);
      run.gravity({0, 0, -q / density});
      run.hold([](Vec3d x) { return std::min({x.x, x.y, 1 - x.x, 1 - x.y}) < 1e-9; });
      run.start();
      run.settle(1e3);
      const auto centre = static_cast<std::size_t>(n / 2 * (n + 1) + n / 2);
      error[r] = -run.object().positions()[centre].z / (.00406235 * q) - 1;
    }
    fmt::print("{} diagonals: {:+.4f}, {:+.4f}, order {:.2f}\n", alternating ? "alternating" : "parallel", error[0],
               error[1], std::log2(error[0] / error[1]));
    EXPECT_NEAR(error[0], alternating ? .051 : .052, .001);
    EXPECT_NEAR(error[1], .013, .001);
    EXPECT_GT(std::log2(error[0] / error[1]), 1.9);
  }
}

// A strip from x = 0 to 1 of near equilateral triangles, and its mirror image.
Surface mirrored_strip(int n, double width) {
  Surface strip = sheet_mesh({0.5, width / 2, 0}, 1, width, 1.0 / n);
  const std::size_t half = strip.positions.size(), triangles = strip.triangles.size();
  std::vector<std::int32_t> image(half);
  for (std::size_t i = 0; i < half; ++i) {
    const Vec3d x = strip.positions[i];
    image[i] = static_cast<std::int32_t>(x.x < 1e-9 ? i : strip.positions.size());
    if (x.x >= 1e-9) strip.positions.push_back({-x.x, x.y, x.z});
  }
  for (std::size_t t = 0; t < triangles; ++t) {
    const auto [a, b, c] = strip.triangles[t];
    const auto of = [&](std::int32_t v) { return image[static_cast<std::size_t>(v)]; };
    strip.triangles.push_back({of(a), of(c), of(b)});
  }
  return strip;
}

// A cantilever with a load P at its tip, nu = 0, far beyond small slopes [Bisshopp1945]. Two of them back to back, held
// at the middle, are clamped there by symmetry. Section 5.6 of the notes: errors 3.6e-4 and 9.1e-5 of the length at
// PL^2/EI = 1 with 20 and 40 triangles along it, 8.3e-4 and 2.3e-4 at 5.
TEST(ClothStatics, StripBendsAsTheElasticaDoes) {
  struct Case {
    double load, down, along;  // PL^2/EI; of the tip, by the length
    std::array<double, 2> notes;
  };
  for (const Case& c :
       {Case{1, .30172077, .94356676, {3.6e-4, 9.1e-5}}, Case{5, .71379152, .61237164, {8.3e-4, 2.3e-4}}}) {
    std::array<double, 2> error{};
    for (std::size_t r = 0; r < 2; ++r) {
      const double width = 0.1, bending = 1, h = 0.01;
      const Surface strip = mirrored_strip(r == 0 ? 20 : 40, width);
      ClothRun run(strip, fabric(12 * bending / (h * h), bending, 0), 0.2, 1e-9);
      std::vector<double> share(strip.positions.size(), 0);  // of each end's load
      double all = 0;
      for (std::size_t i = 0; i < share.size(); ++i) {
        const Vec3d x = strip.positions[i];
        if (std::abs(x.x) > 1 - 1e-9) share[i] = x.y < 1e-9 || x.y > width - 1e-9 ? 0.5 : 1;
        all += share[i] / 2;
      }
      std::vector<Vec3d> forces;
      for (double& s : share) s /= all, forces.push_back(Vec3d{0, 0, -c.load * bending * width} * s);
      run.object().add_force(load(forces));
      run.hold([](Vec3d x) { return std::abs(x.x) < 1e-9; });
      run.start();
      for (int k = 0; k < 10; ++k) run.step(0.1);
      run.settle(100);
      double down = 0, along = 0;
      for (std::size_t i = 0; i < share.size(); ++i) {
        down -= share[i] / 2 * run.object().positions()[i].z;
        along += share[i] / 2 * std::abs(run.object().positions()[i].x);
      }
      error[r] = std::hypot(down - c.down, along - c.along);
      EXPECT_LT(error[r], 1.1 * c.notes[r]);
    }
    fmt::print("elastica {}: errors {:.1e}, {:.1e} of the length; notes {:.1e}, {:.1e}\n", c.load, error[0], error[1],
               c.notes[0], c.notes[1]);
    EXPECT_GT(std::log2(error[0] / error[1]), 1.7);
  }
}

// Pulled at both ends, free at its sides: Eh C s = f with C = (s^2 - 1)/2, and -nu C across. The same on every mesh.
TEST(ClothStatics, StretchesByTheClosedForm) {
  Surface mesh = square_grid(6, 4, 1, 0.5, true);
  Random random(5, 0);
  for (Vec3d& x : mesh.positions)
    if (x.x > 1e-9 && x.x < 1 - 1e-9 && x.y > 1e-9 && x.y < 0.5 - 1e-9)
      x += Vec3d{random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03), 0};
  const double stretch = 500, poisson = 0.3, f = 200;
  double s = 1;
  for (int k = 0; k < 50; ++k) s -= (stretch * s * (s * s - 1) / 2 - f) / (stretch * (3 * s * s - 1) / 2);
  const double across = std::sqrt(1 - poisson * (s * s - 1));
  ClothRun run(mesh, fabric(stretch, 1e-3, poisson), 0.2, 1e-9);
  run.object().add_force(load(pull_ends(6, 4, 0.5, {-f, 0, 0}, {f, 0, 0})));
  run.start();
  for (int k = 0; k < 10; ++k) run.step(0.1);
  run.settle(10);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3d expected{0.5 + s * (mesh.positions[i].x - 0.5), 0.25 + across * (mesh.positions[i].y - 0.25), 0};
    EXPECT_LT(norm(run.object().positions()[i] - expected), 1e-7);
  }
}

double stretched(const ElasticShellMaterial& material, double f, Vec3d warp) {
  ClothRun run(square_grid(4, 2, 1, 0.5), material, 0.2, 1e-9, warp);
  run.object().add_force(load(pull_ends(4, 2, 0.5, {-f, 0, 0}, {f, 0, 0})));
  run.start();
  for (int k = 0; k < 10; ++k) run.step(0.1);
  run.settle(10);
  return run.object().positions().back().x - run.object().positions().front().x;
}

TEST(ClothStatics, WarpAndWeftHaveTheirOwnStiffness) {
  ElasticShellMaterial m;
  m.stretch = orthotropic_moduli(2000.0, 500.0, 0.0, 100.0);
  m.bending = {1e-3, 0, 1e-3, 0, 0, 5e-4};
  const auto force = [](double stiffness, double s) { return stiffness * s * (s * s - 1) / 2; };
  EXPECT_NEAR(stretched(m, force(2000, 1.2), {1, 0, 0}), 1.2, 1e-7);
  EXPECT_NEAR(stretched(m, force(500, 1.2), {0, 1, 0}), 1.2, 1e-7);
}

// Soft until its threads are straight, then stiff.
TEST(ClothStatics, FollowsAMeasuredCurve) {
  constexpr std::array strain{0.0, 0.05, 0.1, 0.2}, tension{0.0, 5.0, 50.0, 350.0};
  ElasticShellMaterial m = fabric(1000, 1e-3, 0);
  m.warp_curve = tensile_curve(strain.data(), tension.data(), 4);
  for (std::size_t k = 1; k < 4; ++k) {
    const double s = std::sqrt(1 + 2 * strain[k]);
    EXPECT_NEAR(stretched(m, tension[k] * s, {1, 0, 0}), s, 1e-7);
  }
}

// Folds stay beyond the yield: f = |c - rest| - yield - H a, d rest = f/(1 + H). Two triangles about an edge.
TEST(ClothStatics, FoldsStayBeyondTheirYield) {
  Surface pair;
  pair.positions = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.8, 0}, {0.5, -0.8, 0}};
  pair.triangles = {{0, 1, 2}, {1, 0, 3}};
  ElasticShellMaterial m = fabric(1e3, 1e-2, 0);
  m.model = BendingModel::hinge;
  m.yield_curvature = 0.5;
  m.hardening = 0.25;
  const double yield = 0.5 * 0.8;  // curvature times (A1 + A2)/l
  ClothRun run(pair, m);
  run.hold([](Vec3d) { return true; });
  run.start();
  double rest = 0, hardened = 0;
  for (const double fold : {0.3, 0.9, 1.5, -1.0, -1.0}) {
    std::vector<Vec3d> x = pair.positions;
    x[3] = {0.5, -0.8 * std::cos(fold), 0.8 * std::sin(fold)};
    run.place(x);
    run.step(0.01);
    const ObjectState state = run.object().checkpoint();
    const auto values = state.channels.find("constraints")->second.as<double>();
    const double angle = values[6], off = angle - rest, over = std::abs(off) - yield - 0.25 * hardened;
    EXPECT_NEAR(std::abs(angle), std::abs(fold), 1e-12);
    if (over > 0) rest += std::copysign(over / 1.25, off), hardened += over / 1.25;
    EXPECT_NEAR(values[7], rest, 1e-12);
    EXPECT_NEAR(values[8], hardened, 1e-12);
  }
  EXPECT_GT(hardened, 0.5);
}

// The matrix is the derivative of the right side, for every bending model, with damping, a junction of three triangles
// and a vertex of three neighbours.
TEST(ClothStatics, MatrixIsTheDerivativeOfTheForces) {
  Surface mesh = square_grid(3, 3, 0.3, 0.3, true);
  mesh.positions.push_back({0.15, 0.05, 0.08});
  const auto top = static_cast<std::int32_t>(mesh.positions.size() - 1);
  mesh.triangles.push_back({5, 9, top});  // a third triangle at an inner edge
  const auto apex = static_cast<std::int32_t>(mesh.positions.size());
  mesh.positions.push_back({0.23, 0.27, 0.02});
  // The last square's triangle becomes three about a vertex within it.
  const auto split = mesh.triangles[17];
  mesh.triangles[17] = {split[0], split[1], apex};
  mesh.triangles.push_back({split[1], split[2], apex});
  mesh.triangles.push_back({split[2], split[0], apex});
  const SolidMesh cloth = cloth_of(mesh, 1e-3, "sheet");
  const std::size_t edges = shell_topology(cloth.cells, cloth.positions.size()).hinges.size();
  Random random(9, 0);
  for (const BendingModel model : {BendingModel::mid, BendingModel::tri, BendingModel::hinge}) {
    ElasticShellMaterial m = fabric(50, 0.02);
    m.model = model;
    m.flat = true;
    m.stretch_relaxation = 0.02;
    m.bending_relaxation = 0.03;
    ClothRun run(mesh, m, 0.2, 1e-12);
    run.start();
    std::vector<Vec3d> x = mesh.positions;
    for (Vec3d& p : x) p += Vec3d{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)} * 0.01;
    run.place(x);
    run.step(0.05);
    run.object().begin_substep();
    MeshBlock block(run.object());
    block.begin({0, 0, 0, 0.05, 0.05});
    const std::size_t n = block.size();
    std::vector<double> step(n, 0), plus(n), minus(n), by(n);
    const auto moved = [&](std::size_t k, double shift) {
      std::fill(step.begin(), step.end(), 0.0);
      step[k] = shift;
      block.set_step(step.data());
      block.move(1);
      block.assemble();
    };
    double worst = 0, largest = 0;
    const std::size_t turns = run.object().inner().empty() ? 0 : edges;
    for (std::size_t k = 0; k < 3 * mesh.positions.size() + turns; ++k) {
      const double d = 1e-6;
      moved(k, 0);  // stress follows the strain exactly after a step of nothing
      std::vector<double> unit(n, 0);
      unit[k] = 1;
      block.product(unit.data(), by.data());
      moved(k, d);
      block.right_side(plus.data());
      moved(k, -2 * d);
      block.right_side(minus.data());
      moved(k, d);
      for (std::size_t i = 0; i < n; ++i) {
        worst = std::max(worst, std::abs((minus[i] - plus[i]) / (2 * d) - by[i]));
        largest = std::max(largest, std::abs(by[i]));
      }
    }
    fmt::print("derivatives of model {}: {:.1e} of the largest\n", static_cast<int>(model), worst / largest);
    EXPECT_LT(worst, 1e-7 * largest);
  }
}

// d frame = turn x frame, d position = shift.
TEST(ClothStatics, FrameOfATriangleTurnsAsItSays) {
  const SolidMesh mesh = cloth_of(square_grid(1, 1, 1, 0.7), 1e-3, "sheet");
  std::vector<Vec3d> x = mesh.positions;
  Random random(2, 0);
  for (Vec3d& p : x) p += Vec3d{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)} * 0.3;
  const CellPoint at{1, {0.2, 0.5, 0}};
  const Embedding base = embedding_in(mesh, at, x);
  EXPECT_LT(norm(base.position - point_in(mesh, at, x)), 1e-15);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) EXPECT_NEAR(dot(base.frame[a], base.frame[b]), a == b ? 1 : 0, 1e-14);
  ASSERT_EQ(base.dofs, 9);
  for (std::size_t k = 0; k < 9; ++k) {
    const double d = 1e-6;
    const auto node = static_cast<std::size_t>(mesh.cells[3 + k / 3]);
    std::vector<Vec3d> up = x, down = x;
    up[node][static_cast<int>(k % 3)] += d;
    down[node][static_cast<int>(k % 3)] -= d;
    const Embedding high = embedding_in(mesh, at, up), low = embedding_in(mesh, at, down);
    EXPECT_LT(norm((high.position - low.position) / (2 * d) - base.shift[k]), 1e-9);
    for (int c = 0; c < 3; ++c)
      EXPECT_LT(norm((high.frame[c] - low.frame[c]) / (2 * d) - cross(base.turn[k], base.frame[c])), 1e-8);
  }
}

}  // namespace
}  // namespace ymir::cloth_tests
