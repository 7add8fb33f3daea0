// One strand on a Super-Helix Object, loaded and advanced as the program does it, with readings of its shape.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "ymir/objects/super_helix_object.h"
#include "ymir/physics/rods/cross_section.h"

namespace ymir::verification {

struct HelixCase {
  std::vector<Vec3d> shape;  // from root to tip [m]
  int elements = 5, points = 0;
  double bend1 = 1, bend2 = 1, twist = 0.7;  // EI1, EI2, GJ [N m^2]
  double mass = 1;                           // per length [kg/m]
  double radius = 1e-3;                      // [m]
  double relaxation_time = 0;                // [s]
  bool clamped = true;
  NewtonSettings newton{1e-12, 200};
  Vec3d root_tangent{0, 0, 0}, root_normal{0, 0, 0};  // 0: from the shape
  RootMotion root;
};

class HelixRun {
 public:
  explicit HelixRun(const HelixCase& c) : mass_(c.mass), object_("helix", 0, domain_, description(c)) {
    Curves curves;
    curves.positions = c.shape;
    curves.first.push_back(static_cast<std::int64_t>(c.shape.size()));
    curves.vertices.resize(c.shape.size());
    curves.strands.resize(1);
    if (norm(c.root_tangent) > 0) curves.strands.add<Vec3d>("root_tangent")[0] = c.root_tangent;
    if (norm(c.root_normal) > 0) curves.strands.add<Vec3d>("root_normal")[0] = c.root_normal;
    object_.set_curves(curves);
    PointForce load;
    load.owner = load.what = "load";
    load.accumulate = [this](const PointBlock& b, Planes<const Vec3d>::Type, const ForceBlock& out) {
      for (int i = 0; i < b.count; ++i) {
        const Vec3d f = weight * (b.mass[i] / mass_) + (i + 1 == b.count ? last_point_force : Vec3d{0, 0, 0});
        out.force.x[i] += f.x;
        out.force.y[i] += f.y;
        out.force.z[i] += f.z;
      }
    };
    object_.add_force(load);
    if (c.root.pose) object_.set_root_motion(c.root);
    object_.ingest();
  }
  HelixRun(const HelixRun&) = delete;

  Vec3d weight{0, 0, 0};            // force per length [N/m]
  Vec3d last_point_force{0, 0, 0};  // on the last point of integration, which is before the tip [N]

  int step(double dt) {
    object_.save();
    const Step step{0, 0, 0, time_, dt};
    object_.prepare(step);
    const std::int64_t before = object_.newton_iterations();
    object_.advance(step);
    time_ += dt;
    EXPECT_EQ(object_.solve_report().status, SolveReport::Status::converged)
        << "residual " << object_.solve_report().residual << " at " << time_;
    return static_cast<int>(object_.newton_iterations() - before);
  }
  // Steps until the tip stays where it is to 1e-11 of the length; statics when dt is far above every period.
  void settle(double dt, int most = 60) {
    for (int k = 0; k < most; ++k) {
      const Vec3d before = tip();
      step(dt);
      if (testing::Test::HasFailure() || norm(tip() - before) < 1e-11) return;
    }
    ADD_FAILURE() << "does not come to rest";
  }

  double time() const { return time_; }
  SuperHelix helix() const { return object_.helix(0, 0); }
  // At a part of the length, 0 to 1.
  Vec3d at(double part) const {
    const SuperHelix h = helix();
    const int e = std::min(static_cast<int>(part * h.elements), h.elements - 1);
    return h.frame(e, (part * h.elements - e) * h.length).position;
  }
  Vec3d tip() const { return at(1); }
  Vec3d tangent(double part) const {
    const SuperHelix h = helix();
    const int e = std::min(static_cast<int>(part * h.elements), h.elements - 1);
    return h.frame(e, (part * h.elements - e) * h.length).axes.column[2];
  }
  SuperHelixObject& object() { return object_; }
  template <class F>  // f(mass, position, velocity) of points
  void each_point(F&& f) const {
    object_.visit_points([&](const PointBlock& b) {
      for (int i = 0; i < b.count; ++i) f(b.mass[i], Vec3d(b.position[i]), Vec3d(b.velocity[i]));
    });
  }
  void set_velocity(const std::function<Vec3d(Vec3d x)>& v) {
    const SuperHelix h = helix();
    const auto& gauss = object_.gauss();
    for (int e = 0; e < h.elements; ++e)
      for (int g = 0; g < gauss.count; ++g) {
        const Vec3d value = v(h.frame(e, gauss.at[g] * h.length).position);
        for (int k = 0; k < 3; ++k)
          object_.strands().at(0, object_.helix_channels().velocity + 3 * g + k, e, 0) = value[k];
      }
  }

 private:
  static SuperHelixObject::Description description(const HelixCase& c) {
    SuperHelixObject::Description d;
    d.elements = c.elements;
    d.points = c.points;
    d.radius = c.radius;
    d.flattening = std::sqrt(c.bend2 / c.bend1);
    const CrossSection section{d.radius, d.radius * d.flattening};
    d.density = c.mass / section.area();
    d.youngs_modulus = c.bend1 / section.bending1();
    d.shear_modulus = c.twist / section.torsion();
    d.relaxation_time = c.relaxation_time;
    d.clamped = c.clamped;
    d.newton = c.newton;
    return d;
  }

  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  double mass_;
  SuperHelixObject object_;
  double time_ = 0;
};

}  // namespace ymir::verification
