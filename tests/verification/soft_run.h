// A box of cells and a soft body made of it, advanced through the solid system.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "ymir/actions/elastic_solid.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/data/quadratic_mesh.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

// A box of cells, low corner at the origin; its skin are the nodes themselves. parity: which of two mirrored cuts of a
// cube into tetrahedra comes first.
inline SolidMesh block(CellShape shape, Vec3i cells, Vec3d size, int parity = 0) {
  if (shape == CellShape::quadratic_tetrahedron)
    return quadratic_mesh(block(CellShape::tetrahedron, cells, size, parity), "block");
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
        const bool odd = (i + j + k + parity) % 2 != 0;
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
      : SoftRun(std::move(mesh), material, description(tolerance, density)) {}
  SoftRun(SolidMesh mesh, const ElasticSolidMaterial& material, const MeshObject::Description& description)
      : object_("body", 0, domain_, description, std::move(mesh)) {
    solids_.add(object_);
    add_elastic_solid(object_, "material", material);
  }
  MeshObject& object() { return object_; }
  SolidSystem& solids() { return solids_; }
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
    for (const MeshObject::NodeMotion& motion : object_.motions())
      if (motion.prepare) motion.prepare(time_, time_ + dt);
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
  static MeshObject::Description description(double tolerance, double density) {
    MeshObject::Description d;
    d.density = density;
    d.newton = {tolerance, 100};
    return d;
  }

 private:
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  MeshObject object_;
  SolidSystem solids_;
  double time_ = 0;
};

}  // namespace ymir
