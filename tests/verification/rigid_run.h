// Rigid bodies in the solid system, advanced step by step.
#pragma once

#include <gtest/gtest.h>

#include "ymir/actions/gravity_force.h"
#include "ymir/actions/joints.h"
#include "ymir/actions/rigid_contact.h"
#include "ymir/data/shape_meshes.h"

namespace ymir {

// A box about `centre`, as vertices and outward triangles.
inline Surface box_surface(Vec3d centre, Vec3d size) {
  Surface s;
  for (int k = 0; k < 8; ++k)
    s.positions.push_back(centre + Vec3d{size.x * (k % 2 - 0.5), size.y * (k / 2 % 2 - 0.5), size.z * (k / 4 - 0.5)});
  s.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return s;
}

inline Surface joined(Surface a, const Surface& b) {
  const auto first = static_cast<std::int32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const auto& t : b.triangles) a.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  return a;
}

class RigidRun {
 public:
  explicit RigidRun(Surface surface, const RigidObject::Description& d = {})
      : object_("bodies", 0, domain_, d, std::move(surface)) {
    solids_.add(object_);
  }
  RigidObject& object() { return object_; }
  SolidSystem& solids() { return solids_; }
  void gravity(Vec3d g) { object_.add_force(gravity_force("gravity", g, {})); }
  void join(JointKind kind, std::vector<JointPlace> places, const JointDrive& drive = {}) {
    add_joints(solids_, "joint" + std::to_string(solids_.couplings().size()), kind, drive, std::move(places));
  }
  // At x, of two bodies; b < 0: of one and the world.
  JointPlace place(std::size_t a, int b, Vec3d x, Vec3d axis = {0, 1, 0}) {
    return {joint_end(object_, a, x), b < 0 ? world_end(x) : joint_end(object_, static_cast<std::size_t>(b), x), axis};
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
  const RigidPose& pose(std::size_t b = 0) const { return object_.poses()[b]; }
  // Where the point that began at x is now.
  Vec3d at(std::size_t b, Vec3d x) {
    return pose(b).position + rotate(pose(b).rotation, object_.point_at(b, x).weights);
  }
  double energy() const {
    double sum = 0;
    for (std::size_t b = 0; b < object_.bodies().size(); ++b)
      sum += 0.5 * object_.bodies()[b].mass * dot(pose(b).velocity, pose(b).velocity) +
             0.5 * dot(pose(b).momentum, object_.angular_velocity(b));
    return sum;
  }
  Vec3d momentum() const {
    Vec3d sum{0, 0, 0};
    for (std::size_t b = 0; b < object_.bodies().size(); ++b) sum += pose(b).velocity * object_.bodies()[b].mass;
    return sum;
  }
  Vec3d angular_momentum() const {
    Vec3d sum{0, 0, 0};
    for (std::size_t b = 0; b < object_.bodies().size(); ++b)
      sum += pose(b).momentum + cross(pose(b).position, pose(b).velocity) * object_.bodies()[b].mass;
    return sum;
  }
  double time() const { return time_; }

 private:
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  RigidObject object_;
  SolidSystem solids_;
  double time_ = 0;
};

}  // namespace ymir
