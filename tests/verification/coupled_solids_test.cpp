// Solids of different kinds in one system: what attachments between them hold, and what they keep. [method notes:
// solids, section 7.7]
#include <fmt/format.h>

#include "company.h"
#include "ymir/actions/elastic_shell.h"
#include "ymir/data/cloth_mesh.h"
#include "ymir/data/lattice.h"
#include "ymir/data/mesh_skin.h"
#include "ymir/data/quadratic_mesh.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// A beam along x of `across` x `across` squares, five tetrahedra to a cube, then with nodes in the middle of edges.
SolidMesh quadratic_beam(double length, double side, int across) {
  SolidMesh mesh;
  const int along = static_cast<int>(length / side) * across;
  const auto node = [&](int i, int j, int k) { return (i * (across + 1) + j) * (across + 1) + k; };
  for (int i = 0; i <= along; ++i)
    for (int j = 0; j <= across; ++j)
      for (int k = 0; k <= across; ++k)
        mesh.positions.push_back(
            {length * i / along, side * (j * 1.0 / across - 0.5), side * (k * 1.0 / across - 0.5)});
  constexpr int split[5][4] = {{0, 4, 2, 1}, {6, 2, 4, 7}, {5, 4, 1, 7}, {3, 1, 2, 7}, {1, 2, 4, 7}};
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < across; ++j)
      for (int k = 0; k < across; ++k)
        for (const auto& t : split) {
          std::array<std::int32_t, 4> n;
          for (std::size_t a = 0; a < 4; ++a) {
            const int corner = (i + j + k) % 2 == 0 ? t[a] : t[a] ^ 1;  // mirrored from cube to cube
            n[a] = node(i + corner / 4, j + corner / 2 % 2, k + corner % 2);
          }
          const auto x = [&](std::size_t a) { return mesh.positions[static_cast<std::size_t>(n[a])]; };
          if (dot(cross(x(1) - x(0), x(2) - x(0)), x(3) - x(0)) < 0) std::swap(n[2], n[3]);
          mesh.cells.insert(mesh.cells.end(), n.begin(), n.end());
        }
  mesh.fill.assign(mesh.cell_count(), 1);
  fill_skin(mesh, "beam");
  return quadratic_mesh(mesh, "beam");
}

// S12: a rigid cube on the end face of a clamped beam, its weight the load. Beam theory: w = P L^3/3EI + P c L^2/2EI +
// P L/(5/6 G A), turn = P L^2/2EI + P c L/EI, c from the face to the centre of the cube.
TEST(CoupledSolids, ACubeBendsItsBeam) {
  const double length = 0.8, side = 0.1, young = 1e7, load_density = 1000, c = side / 2;
  for (const int across : {1, 2}) {
    Company company;
    MeshObject& beam = company.mesh("beam", quadratic_beam(length, side, across), 1e-3);
    add_elastic_solid(beam, "material", {young, 0});
    RigidObject& cube = company.rigid("cube", box_surface({length + c, 0, 0}, {side, side, side}), load_density);
    cube.add_force(gravity_force("gravity", {0, -0.01, 0}, {}));  // small: beam theory is linear
    MeshObject::NodeMotion clamp;
    for (std::size_t i = 0; i < beam.mesh().positions.size(); ++i)
      if (beam.mesh().positions[i].x < 1e-9) clamp.nodes.push_back(static_cast<std::int32_t>(i));
    beam.hold(std::move(clamp));
    add_attachments(company.solids(), "glue", {&beam}, {&cube}, exact(), within(1e-6));
    company.start();
    for (int k = 0; k < 12; ++k) company.step(1);
    const double force = 0.01 * load_density * side * side * side, bending = young * std::pow(side, 4) / 12;
    const double turn = force * length * length / (2 * bending) + force * c * length / bending;
    const double down = force * std::pow(length, 3) / (3 * bending) + force * c * length * length / (2 * bending) +
                        force * length / (5.0 / 6 * young / 2 * side * side);
    const RigidPose& pose = cube.poses()[0];
    const double turned = -quaternion_log(pose.rotation * conjugate(cube.rest_poses()[0].rotation)).z;
    const Vec3d face = pose.position + rotate(pose.rotation, cube.point_at(0, {length, 0, 0}).weights);
    fmt::print("cube on a beam, {} across: deflection {:.4f}, rotation {:.5f} of beam theory\n", across, -face.y / down,
               turned / turn);
    EXPECT_NEAR(-face.y / down, across == 1 ? 0.9976 : 0.9998, 0.001);
    EXPECT_NEAR(turned / turn, 1, 1e-3);
  }
}

// Cloth, a soft body, a rigid body and strands hang together and fly apart: momentum stays.
TEST(CoupledSolids, KeepMomentumWhateverTheyAre) {
  std::uint64_t hash[2];
  const int before = threads();
  for (const int count : {1, 2}) {
    set_threads(count);
    Company company;
    MeshObject& jelly = company.mesh(
        "jelly", lattice_of(box_surface({0, 0.05, 0}, {0.2, 0.1, 0.2}), 0.05, "jelly", 10000), 1000, {0, 1, 0});
    add_elastic_solid(jelly, "material", {2e4, 0.45});
    MeshObject& cloth =
        company.mesh("cloth", cloth_of(sheet_mesh({0.3, 0.1, 0}, 0.4, 0.3, 0.05), 1e-3, "cloth"), 300, {0.5, 0, 2});
    ElasticShellMaterial fabric;
    fabric.model = BendingModel::mid;
    add_elastic_shell(cloth, "fabric", fabric, warp_along(cloth.mesh(), {1, 0, 0}));
    RigidObject& box = company.rigid("box", box_surface({0, 0.15, 0}, {0.1, 0.1, 0.1}), 500, {-1, 0, 0.3});
    std::vector<std::vector<Vec3d>> lines;
    for (int k = 0; k < 5; ++k) {
      auto& line = lines.emplace_back();
      for (int i = 0; i <= 6; ++i) line.push_back({-0.1 - 0.03 * i, 0.05, -0.08 + 0.04 * k});
    }
    CurvesObject& hair = company.strands("hair", lines);
    add_attachments(company.solids(), "a", {&box}, {&jelly}, exact(), within(1e-3));
    add_attachments(company.solids(), "b", {&cloth}, {&jelly}, exact(), within(1e-3));
    EXPECT_EQ(attach_roots(company.solids(), "c", hair, {&jelly}, 1e-3), lines.size());
    company.start();
    Vec3d begin{0, 0, 0};
    double off = 0;
    for (int k = 0; k < 20; ++k) {
      company.step(1.0 / 200);
      if (k == 0) begin = company.momentum();
      off = std::max(off, norm(company.momentum() - begin) / norm(begin));
    }
    fmt::print("mixed company, {} threads: momentum off by {:.1e}\n", count, off);
    EXPECT_LE(off, 1e-10);
    hash[count - 1] = company.hash();
  }
  set_threads(before);
  EXPECT_EQ(hash[0], hash[1]);
}

// A soft body that is iterated, with a heavy box, cloth and strands on it, of which some are inextensible, moves as
// where everything is factored.
TEST(CoupledSolids, ALargeBodyIsIteratedWithAllThatHangsOnIt) {
  for (const bool inextensible : {false, true}) {
    std::vector<std::vector<Vec3d>> ends;
    for (const LinearSolver solver : {LinearSolver::direct, LinearSolver::cg}) {
      Company company;
      MeshObject& jelly =
          company.mesh("jelly", lattice_of(box_surface({0, 0.05, 0}, {0.2, 0.1, 0.2}), 0.025, "jelly", 10000), 1000,
                       {0, 1, 0}, solver);
      add_elastic_solid(jelly, "material", {2e4, 0.45});
      RigidObject& box = company.rigid("box", box_surface({0, 0.15, 0}, {0.1, 0.1, 0.1}), 5000, {-1, 0, 0.3});
      std::vector<std::vector<Vec3d>> lines;
      for (int k = 0; k < 5; ++k) {
        auto& line = lines.emplace_back();
        for (int i = 0; i <= 12; ++i) line.push_back({-0.1 - 0.015 * i, 0.05, -0.08 + 0.04 * k});
      }
      CurvesObject& hair = company.strands("hair", lines, inextensible);
      add_attachments(company.solids(), "a", {&box}, {&jelly}, exact(), within(1e-3));
      EXPECT_EQ(attach_roots(company.solids(), "c", hair, {&jelly}, 1e-3), lines.size());
      company.start();
      for (int k = 0; k < 10; ++k) {
        company.step(1.0 / 100);
        EXPECT_EQ(company.solids().cg_iterations() > 0, solver == LinearSolver::cg);
        EXPECT_EQ(company.solids().direct_solves() > 0, solver == LinearSolver::direct);
      }
      ends.push_back(jelly.positions());
      for (const PieceShape& strand : hair.present_shapes())
        ends.back().insert(ends.back().end(), strand.positions.begin(), strand.positions.end());
      ends.back().push_back(box.poses()[0].position);
    }
    double apart = 0;
    for (std::size_t i = 0; i < ends[0].size(); ++i) apart = std::max(apart, norm(ends[1][i] - ends[0][i]));
    fmt::print("iterated and factored, {} strands: apart by {:.1e} m\n", inextensible ? "inextensible" : "elastic",
               apart);
    EXPECT_LT(apart, 1e-8);
  }
}

// Roots stay where they are in the skin, and turn with it.
TEST(CoupledSolids, HairIsRootedInTheSkin) {
  Company company;
  MeshObject& jelly =
      company.mesh("jelly", lattice_of(box_surface({0, 0.05, 0}, {0.2, 0.1, 0.2}), 0.05, "jelly", 10000), 1000);
  add_elastic_solid(jelly, "material", {1e4, 0.4});
  MeshObject::NodeMotion held;
  for (std::size_t i = 0; i < jelly.mesh().positions.size(); ++i)
    if (jelly.mesh().positions[i].y < 1e-9) held.nodes.push_back(static_cast<std::int32_t>(i));
  held.place = [nodes = held.nodes, &jelly](std::size_t k, double t) {
    return jelly.mesh().positions[static_cast<std::size_t>(nodes[k])] + Vec3d{0.03 * std::sin(20 * t), 0, 0};
  };
  jelly.hold(std::move(held));
  CurvesObject& hair =
      company.strands("hair", {{{0.02, 0.1, 0.03}, {0.02, 0.13, 0.03}, {0.03, 0.16, 0.03}, {0.05, 0.18, 0.03}}});
  ASSERT_EQ(attach_roots(company.solids(), "roots", hair, {&jelly}, 1e-3), 1U);
  company.start();
  const PieceShape rest = jelly.input_shapes()[0];
  const MaterialPoint at = company.solids().couplings()[0]->point(0, 1);
  const Embedding skin0 = jelly.point_of(rest, at);
  const auto in_frame = [](const Embedding& e, Vec3d v) {
    return Vec3d{dot(e.frame[0], v), dot(e.frame[1], v), dot(e.frame[2], v)};
  };
  const Vec3d direction = in_frame(skin0, {0, 1, 0});
  double apart = 0, turned = 0, swing = 0;
  for (int k = 0; k < 60; ++k) {
    company.step(1.0 / 100);
    const Embedding skin = jelly.point_of(jelly.present_shapes()[0], at);
    const PieceShape strand = hair.present_shapes()[0];
    apart = std::max(apart, norm(strand.positions[0] - skin.position));
    turned = std::max(turned, norm(in_frame(skin, normalized(strand.positions[1] - strand.positions[0])) - direction));
    swing = std::max(swing, norm(skin.frame[1] - skin0.frame[1]));
  }
  fmt::print("root off its place by {:.1e} m, off its direction by {:.1e}; the skin turned by {:.2f}\n", apart, turned,
             swing);
  EXPECT_LE(apart, 1e-9);
  EXPECT_LE(turned, 1e-8);
  EXPECT_GT(swing, 0.05);
}

}  // namespace
}  // namespace ymir
