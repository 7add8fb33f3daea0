// Soft bodies through the solid system: free flight, stiffness, Newton's method near incompressibility, contact.
// [method notes: solids, sections 3, 4 and 9]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ymir/actions/elastic_solid.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/actions/mesh_contact.h"
#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/solid_system.h"

namespace ymir {
namespace {

// A box of cells, low corner at the origin; its skin are the nodes themselves.
SolidMesh block(CellShape shape, Vec3i cells, Vec3d size) {
  SolidMesh mesh;
  mesh.shape = shape;
  const auto node = [&](int i, int j, int k) { return (k * (cells.y + 1) + j) * (cells.x + 1) + i; };
  for (int k = 0; k <= cells.z; ++k)
    for (int j = 0; j <= cells.y; ++j)
      for (int i = 0; i <= cells.x; ++i)
        mesh.positions.push_back({size.x * i / cells.x, size.y * j / cells.y, size.z * k / cells.z});
  // Five tetrahedra per cube, mirrored from cube to cube so that faces agree.
  constexpr std::array<std::array<int, 4>, 5> even{
      {{0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}, {1, 3, 4, 6}}};
  constexpr std::array<int, 8> mirrored{1, 0, 3, 2, 5, 4, 7, 6};
  for (int k = 0; k < cells.z; ++k)
    for (int j = 0; j < cells.y; ++j)
      for (int i = 0; i < cells.x; ++i) {
        const std::array<int, 8> corner{
            node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
            node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        if (shape == CellShape::hexahedron) {
          mesh.cells.insert(mesh.cells.end(), corner.begin(), corner.end());
          continue;
        }
        const bool odd = (i + j + k) % 2 != 0;
        for (const auto& t : even) {
          std::array<int, 4> n;
          for (std::size_t a = 0; a < 4; ++a) {
            const auto at = static_cast<std::size_t>(t[a]);
            n[a] = corner[odd ? static_cast<std::size_t>(mirrored[at]) : at];
          }
          const auto x = [&](std::size_t a) { return mesh.positions[static_cast<std::size_t>(n[a])]; };
          if (dot(cross(x(1) - x(0), x(2) - x(0)), x(3) - x(0)) < 0) std::swap(n[2], n[3]);
          mesh.cells.insert(mesh.cells.end(), n.begin(), n.end());
        }
      }
  mesh.fill.assign(mesh.cell_count(), 1);
  // Every node, at its corner of the first cell that has it; a triangle each gives it an area.
  const auto each = static_cast<std::size_t>(nodes_of(shape));
  constexpr std::array<Vec3d, 4> in_tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  constexpr std::array<Vec3d, 8> in_hexahedron{
      {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}};
  mesh.skin.positions = mesh.positions;
  mesh.embedded.assign(mesh.positions.size(), {-1, {}});
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    for (std::size_t a = 0; a < each; ++a)
      mesh.embedded[static_cast<std::size_t>(mesh.cells[each * c + a])] = {
          static_cast<std::int32_t>(c), shape == CellShape::tetrahedron ? in_tetrahedron[a] : in_hexahedron[a]};
  // The lower face, for contact.
  for (int k = 0; k < cells.z; ++k)
    for (int i = 0; i < cells.x; ++i) {
      mesh.skin.triangles.push_back({node(i, 0, k), node(i + 1, 0, k), node(i + 1, 0, k + 1)});
      mesh.skin.triangles.push_back({node(i, 0, k), node(i + 1, 0, k + 1), node(i, 0, k + 1)});
    }
  return mesh;
}

class SoftRun {
 public:
  SoftRun(SolidMesh mesh, const ElasticSolidMaterial& material, double tolerance = 1e-7, double density = 1000)
      : object_("body", 0, domain_, description(tolerance, density), std::move(mesh)) {
    solids_.add(object_);
    add_elastic_solid(object_, "material", material);
  }
  MeshObject& object() { return object_; }
  void gravity(Vec3d g) { object_.add_force(gravity_force("gravity", g, {})); }
  void hold(const std::function<bool(Vec3d)>& where) {
    MeshObject::NodeMotion motion;
    for (std::size_t i = 0; i < object_.mesh().positions.size(); ++i)
      if (where(object_.mesh().positions[i])) motion.nodes.push_back(static_cast<std::int32_t>(i));
    object_.hold(std::move(motion));
  }
  void start() { object_.ingest(); }
  int step(double dt) {
    const Step step{0, 0, 0, time_, dt};
    object_.begin_substep();
    solids_.detect(step);
    solids_.advance(step);
    time_ += dt;
    EXPECT_EQ(solids_.solve_report().status, SolveReport::Status::converged) << solids_.solve_report().residual;
    return solids_.solve_report().iterations;
  }
  // Steps until nothing moves; statics when dt is far above every period.
  void settle(double dt, int most = 200) {
    for (int k = 0; k < most; ++k) {
      const std::vector<Vec3d> before = object_.positions();
      step(dt);
      double moved = 0;
      for (std::size_t i = 0; i < before.size(); ++i) moved = std::max(moved, norm(object_.positions()[i] - before[i]));
      if (testing::Test::HasFailure() || moved < 1e-10) return;
    }
    ADD_FAILURE() << "does not come to rest";
  }
  Vec3d momentum() const {
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < object_.mass().size(); ++i) sum += object_.velocities()[i] * object_.mass()[i];
    return sum;
  }
  Vec3d mean_velocity() const {
    double mass = 0;
    for (const double m : object_.mass()) mass += m;
    return momentum() / mass;
  }
  double time() const { return time_; }

 private:
  static MeshObject::Description description(double tolerance, double density) {
    MeshObject::Description d;
    d.density = density;
    d.newton = {tolerance, 100};
    return d;
  }
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  MeshObject object_;
  SolidSystem solids_;
  double time_ = 0;
};

const char* name_of(CellShape shape) { return shape == CellShape::tetrahedron ? "tetrahedra" : "hexahedra"; }
constexpr std::array both{CellShape::tetrahedron, CellShape::hexahedron};

TEST(SoftBody, FallsAsAPointDoes) {
  for (const CellShape shape : both)
    for (const double dt : {1.0 / 24, 1e-4}) {
      SoftRun run(block(shape, {3, 3, 3}, {0.1, 0.1, 0.1}), {1e4, 0.45});
      run.gravity({0, -9.81, 0});
      run.start();
      for (std::size_t i = 0; i < run.object().velocities().size(); ++i) run.object().velocities()[i] = {40, 0, 0};
      for (int k = 0; k < 10; ++k) run.step(dt);
      const double t = run.time(), fall = 0.5 * 9.81 * t * (t + dt);  // of backward Euler
      for (std::size_t i = 0; i < run.object().positions().size(); ++i) {
        const Vec3d moved = run.object().positions()[i] - run.object().mesh().positions[i];
        EXPECT_LT(norm(moved - Vec3d{40 * t, -fall, 0}), 1e-9 * (1 + 40 * t));
      }
    }
}

TEST(SoftBody, KeepsItsMomentumWhateverItDoesInside) {
  for (const CellShape shape : both)
    for (const double nu : {0.0, 0.3, 0.499}) {
      SoftRun run(block(shape, {3, 4, 2}, {0.1, 0.12, 0.08}), {5e4, nu});
      run.start();
      Random random(3, 0);
      for (Vec3d& v : run.object().velocities())
        v = {random.uniform(-2, 3), random.uniform(-1, 2), random.uniform(-3, 2)};
      const Vec3d before = run.momentum();
      for (int k = 0; k < 20; ++k) run.step(1.0 / 96);
      EXPECT_LT(norm(run.momentum() - before), 1e-6 * norm(before)) << name_of(shape) << nu;
    }
}

// Tip of a cantilever under its weight against Timoshenko's beam: w L^4/8EI + w L^2/2 (5/6) GA. Its clamped face cannot
// contract and cells are a little too stiff: table 3.3 of the notes has 0.863, 0.934, 0.974 at nu = 0.3 for hexahedra
// with a tip force, and 0.987, 0.915, 0.954 at 0.49.
TEST(SoftBody, BendsAsABeamDoes) {
  struct Case {
    double nu;
    std::array<double, 3> ratios;  // of 1, 2, 4 cells across
  };
  for (const auto& [nu, expected] : {Case{0.3, {0.863, 0.934, 0.974}}, Case{0.49, {0.987, 0.915, 0.954}}}) {
    const double length = 0.8, side = 0.1, young = 1e7, density = 1000, g = 1e-2;
    const double weight = density * g * side * side, inertia = std::pow(side, 4) / 12;
    const double shear = young / (2 * (1 + nu)) * side * side * 5 / 6;
    const double exact = weight * std::pow(length, 4) / (8 * young * inertia) + weight * length * length / (2 * shear);
    std::array<double, 3> ratio{};
    for (int r = 0; r < 3; ++r) {
      const int n = 1 << r;
      SoftRun run(block(CellShape::hexahedron, {8 * n, n, n}, {length, side, side}), {young, nu}, 1e-11, density);
      run.gravity({0, -g, 0});
      run.hold([](Vec3d x) { return x.x == 0; });
      run.start();
      run.settle(10);
      double tip = 0;
      int nodes = 0;
      for (std::size_t i = 0; i < run.object().positions().size(); ++i)
        if (run.object().mesh().positions[i].x == length)
          tip += run.object().mesh().positions[i].y - run.object().positions()[i].y, ++nodes;
      ratio[static_cast<std::size_t>(r)] = tip / nodes / exact;
      EXPECT_NEAR(ratio[static_cast<std::size_t>(r)], expected[static_cast<std::size_t>(r)], 0.012);
    }
    fmt::print("cantilever nu {}: {:.4f}, {:.4f}, {:.4f} of Timoshenko's\n", nu, ratio[0], ratio[1], ratio[2]);
  }
}

// Section 4 of the notes: a beam of 50 kPa, clamped, released under gravity; six steps of 1/24 s. At most 6 iterations
// on average up to nu = 0.4999, where a method without multipliers takes 20.
TEST(SoftBody, NeedsNoMoreIterationsNearIncompressibility) {
  for (const CellShape shape : both)
    for (const double nu : {0.3, 0.45, 0.49, 0.499, 0.4999}) {
      SoftRun run(block(shape, {12, 3, 3}, {0.4, 0.1, 0.1}), {5e4, nu});
      run.gravity({0, -9.81, 0});
      run.hold([](Vec3d x) { return x.x == 0; });
      run.start();
      int iterations = 0, most = 0;
      for (int k = 0; k < 6; ++k) {
        const int taken = run.step(1.0 / 24);
        iterations += taken;
        most = std::max(most, taken);
      }
      fmt::print("{}, nu {}: {:.1f} iterations, at most {}\n", name_of(shape), nu, iterations / 6.0, most);
      EXPECT_LE(iterations, 36);
      EXPECT_LE(most, 8);
    }
}

// A column without lateral strain of its own (nu = 0) stands on a smooth floor: every height carries what is above it.
// Half as thick it would buckle.
TEST(SoftBody, StandsAsHighAsItsWeightLets) {
  const double height = 0.2, young = 5e4, mu = young / 2, g = 9.81, density = 1000;
  const auto stress = [&](double s) { return mu * (s - (2 - 1 / s) / s / s); };  // plain neo-Hookean, uniaxial
  double exact = 0;
  const int parts = 400;
  for (int i = 0; i < parts; ++i) {
    const double wanted = -density * g * height * (i + 0.5) / parts;
    double low = 0.5, high = 1;
    for (int k = 0; k < 60; ++k) (stress(0.5 * (low + high)) > wanted ? high : low) = 0.5 * (low + high);
    exact += low * height / parts;
  }
  SoftRun run(block(CellShape::hexahedron, {4, 16, 4}, {0.1, height, 0.1}), {young, 0}, 1e-9);
  run.gravity({0, -g, 0});
  Collider floor{[](Vec3d x) { return DistanceSample{x.y + 5e-4, {0, 1, 0}}; }};
  add_mesh_contact(run.object(), "floor", solid_during(floor), {200, 0, 5e-4});
  run.start();
  run.settle(0.05, 400);
  double top = 0, bottom = 0;  // on its axis: corners of the face have more or less than their share of the contact
  for (std::size_t i = 0; i < run.object().positions().size(); ++i) {
    const Vec3d rest = run.object().mesh().positions[i];
    if (rest.x != 0.05 || rest.z != 0.05) continue;
    if (rest.y == height) top = run.object().positions()[i].y;
    if (rest.y == 0) bottom = run.object().positions()[i].y;
  }
  fmt::print("column of {} m: {:.6f} m high, {:.6f} by integration\n", height, top - bottom, exact);
  EXPECT_NEAR((height - (top - bottom)) / (height - exact), 1, 3e-3);
}

// On a slope with mu = 0.3: at 10 degrees it stays (tan = 0.18), at 30 it slides with g (sin - mu cos).
TEST(SoftBody, SticksAndSlidesAsCoulombSays) {
  const double mu = 0.3, g = 9.81;
  for (const double degrees : {10.0, 30.0})
    for (const int fps : {24, 96}) {
      const double angle = degrees * M_PI / 180, dt = 1.0 / fps;
      SoftRun run(block(CellShape::hexahedron, {4, 2, 4}, {0.2, 0.1, 0.2}), {1e6, 0.3}, 1e-8);
      run.gravity({g * std::sin(angle), -g * std::cos(angle), 0});
      Collider floor{[](Vec3d x) { return DistanceSample{x.y + 5e-4, {0, 1, 0}}; }};
      add_mesh_contact(run.object(), "floor", solid_during(floor), {200, mu, 5e-4});
      run.start();
      for (int k = 0; k < fps; ++k) run.step(dt);  // what began is over
      const double begin = run.mean_velocity().x;
      for (int k = 0; k < fps; ++k) run.step(dt);
      const double rate = run.mean_velocity().x - begin;
      fmt::print("{} degrees, {} steps a second: {:.5f} m/s, {:+.5f} m/s^2\n", degrees, fps, run.mean_velocity().x,
                 rate);
      if (degrees < 15)
        EXPECT_LT(std::abs(run.mean_velocity().x), 1e-4);
      else
        EXPECT_NEAR(rate, g * (std::sin(angle) - mu * std::cos(angle)), 0.01 * g);
    }
}

TEST(SoftBody, HasTheSameBitsOnEveryThreadCount) {
  const int before = threads();
  std::vector<std::uint64_t> hashes;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    SoftRun run(block(CellShape::tetrahedron, {8, 6, 6}, {0.2, 0.15, 0.15}), {2e4, 0.45});
    run.gravity({1, -9.81, 0.5});
    run.hold([](Vec3d x) { return x.x == 0; });
    run.start();
    for (int k = 0; k < 3; ++k) run.step(1.0 / 48);
    hashes.push_back(run.object().hash());
  }
  set_threads(before);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

// Turned inside out, flattened to a plane, squeezed to a tenth: it comes back or says that it does not.
TEST(SoftBody, ComesBackFromBeingCrushed) {
  for (const CellShape shape : both)
    for (const Vec3d squeeze : {Vec3d{1, 0.1, 1}, Vec3d{1, 0, 1}, Vec3d{0.3, 0.3, 0.3}}) {
      SolidMesh mesh = block(shape, {4, 4, 4}, {0.1, 0.1, 0.1});
      SoftRun run(mesh, {5e4, 0.45}, 1e-6);
      run.start();
      for (std::size_t i = 0; i < mesh.positions.size(); ++i) run.object().velocities()[i] = {0, 0, 0};
      ObjectState state = run.object().checkpoint();
      std::vector<Vec3d> x = mesh.positions;
      for (Vec3d& p : x) p = {p.x * squeeze.x, p.y * squeeze.y, p.z * squeeze.z};
      state.channels["position"] = Array::of(x);
      run.object().restore(&state);
      for (int k = 0; k < 60 && !testing::Test::HasFailure(); ++k) run.step(1.0 / 48);
      double worst = 0;  // edges of the box, of their rest length
      const auto& now = run.object().positions();
      const auto end = [&](int i, int j, int k) { return now[static_cast<std::size_t>((k * 5 + j) * 5 + i)]; };
      for (const auto& [a, b] : {std::pair{end(0, 0, 0), end(4, 0, 0)}, std::pair{end(0, 0, 0), end(0, 4, 0)},
                                 std::pair{end(0, 0, 0), end(0, 0, 4)}})
        worst = std::max(worst, std::abs(norm(a - b) / 0.1 - 1));
      fmt::print("{} squeezed to {} {} {}: edges within {:.1e}\n", name_of(shape), squeeze.x, squeeze.y, squeeze.z,
                 worst);
      EXPECT_LT(worst, 0.05);
    }
}

}  // namespace
}  // namespace ymir
