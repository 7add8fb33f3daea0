// Plants advanced through the solid system.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/actions/gravity_force.h"
#include "ymir/grooms/plant.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

inline Curves strand(Vec3d from, Vec3d to) {
  Curves curves;
  curves.positions = {from, to};
  curves.first = {0, 2};
  curves.vertices.resize(2);
  curves.strands.resize(1);
  return curves;
}

class ElastonRun {
 public:
  ElastonRun(ElastonCloud cloud, const ElastonMaterial& material, double tolerance = 1e-10)
      : object_("plant", 0, domain_, {material, {tolerance, 100}, {0, 0, 0}}, std::move(cloud)) {
    solids_.add(object_);
  }
  ElastonObject& object() { return object_; }
  SolidSystem& solids() { return solids_; }
  void gravity(Vec3d g) { object_.add_force(gravity_force("gravity", g, {})); }
  // A force on the elaston of this number.
  void pull(std::size_t elaston, Vec3d force) {
    PointForce f;
    f.owner = f.what = "pull";
    f.accumulate = [elaston, force](const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
      const auto i = static_cast<int>(elaston);
      if (i >= block.count) return;
      out.force.x[i] += force.x, out.force.y[i] += force.y, out.force.z[i] += force.z;
    };
    object_.add_force(f);
  }
  void start() { object_.ingest(); }
  int step(double dt) {
    const Step step{0, 0, 0, time_, dt};
    object_.begin_substep(step);
    solids_.detect(step);
    solids_.advance(step);
    time_ += dt;
    EXPECT_EQ(solids_.solve_report().status, SolveReport::Status::converged) << solids_.solve_report().residual;
    return solids_.solve_report().iterations;
  }
  // Steps until nothing moves; statics when dt is far above every period.
  void settle(double dt, int most = 100) {
    for (int k = 0; k < most; ++k) {
      const std::vector<Vec3d> before = object_.slots();
      step(dt);
      double moved = 0;
      for (std::size_t i = 0; i < before.size(); ++i) moved = std::max(moved, norm(object_.slots()[i] - before[i]));
      if (testing::Test::HasFailure() || moved < 1e-9) return;
    }
    ADD_FAILURE() << "does not come to rest";
  }
  Vec3d centre(std::size_t elaston) const { return object_.centres(object_.slots())[elaston]; }
  Vec3d momentum() const {
    const std::vector<Vec3d> v = object_.centres(object_.slot_velocities());
    Vec3d sum{0, 0, 0};
    for (std::size_t e = 0; e < v.size(); ++e) sum += v[e] * object_.mass()[e];
    return sum;
  }
  double time() const { return time_; }

 private:
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  ElastonObject object_;
  SolidSystem solids_;
  double time_ = 0;
};

}  // namespace ymir
