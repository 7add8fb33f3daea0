// A cloth alone in a solid system, and sheets to make it of.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "ymir/actions/elastic_shell.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/data/cloth_mesh.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/solids/solid_system.h"

namespace ymir::cloth_tests {

inline ElasticShellMaterial fabric(double stretch, double bending, double poisson = 0.3) {
  ElasticShellMaterial m;
  m.stretch = isotropic_moduli(stretch, poisson);
  m.bending = isotropic_moduli(bending * (1 - poisson * poisson), poisson);
  return m;
}

// One diagonal in every square, or alternating ones; in the plane z = 0, low corner at the origin.
inline Surface square_grid(int nx, int ny, double lx, double ly, bool alternating = false) {
  Surface mesh;
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j) mesh.positions.push_back({lx * i / nx, ly * j / ny, 0});
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      const int a = i * (ny + 1) + j, b = a + ny + 1, c = b + 1, d = a + 1;
      if (alternating && (i + j) % 2 == 1) {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      } else {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      }
    }
  return mesh;
}

class ClothRun {
 public:
  // area_density [kg/m^2]
  ClothRun(const Surface& surface, const ElasticShellMaterial& material, double area_density = 0.2,
           double tolerance = 1e-6, Vec3d warp = {1, 0, 0})
      : object_("cloth", 0, domain_, description(area_density, tolerance), cloth_of(surface, thickness, "sheet")) {
    solids_.add(object_);
    add_elastic_shell(object_, "material", material, warp_along(object_.mesh(), warp));
  }
  static constexpr double thickness = 1e-3;  // [m]

  MeshObject& object() { return object_; }
  void gravity(Vec3d g) { object_.add_force(gravity_force("gravity", g, {})); }
  void hold(const std::function<bool(Vec3d)>& where) {
    MeshObject::NodeMotion motion;
    for (std::size_t i = 0; i < object_.mesh().positions.size(); ++i)
      if (where(object_.mesh().positions[i])) motion.nodes.push_back(static_cast<std::int32_t>(i));
    object_.hold(std::move(motion));
  }
  void start() { object_.ingest(); }
  // Positions anew, at rest.
  void place(const std::vector<Vec3d>& x) {
    ObjectState state = object_.checkpoint();
    state.channels["position"] = {Place::vertex, Array::of(x), "m"};
    object_.restore(&state);
  }
  int step(double dt) {
    const SolveReport report = try_step(dt);
    EXPECT_EQ(report.status, SolveReport::Status::converged) << report.residual;
    return report.iterations;
  }
  SolveReport try_step(double dt) {
    const Step step{0, 0, 0, time_, dt};
    object_.begin_substep();
    solids_.detect(step);
    solids_.advance(step);
    time_ += dt;
    return solids_.solve_report();
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
  double time() const { return time_; }
  Vec3d momentum() const {
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < object_.mass().size(); ++i) sum += object_.velocities()[i] * object_.mass()[i];
    return sum;
  }

 private:
  static MeshObject::Description description(double area_density, double tolerance) {
    MeshObject::Description d;
    d.density = area_density / thickness;
    d.newton = {tolerance, 120};
    return d;
  }
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  MeshObject object_;
  SolidSystem solids_;
  double time_ = 0;
};

}  // namespace ymir::cloth_tests
