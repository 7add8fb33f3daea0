// One strand on a Curves Object, loaded and advanced as the program does it, with readings of its shape.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "ymir/actions/elastic_rod.h"
#include "ymir/physics/rods/cross_section.h"

namespace ymir::verification {

struct RodCase {
  std::vector<Vec3d> shape;                                 // from root to tip [m]
  double bend1 = 1, bend2 = 1, twist = 0.7, stretch = 1e7;  // EI1, EI2, GJ [N m^2], EA [N]
  double mass = 1;                                          // per length [kg/m]
  double radius = 1e-3;                                     // decides the inertia of twist alone [m]
  bool clamped = true, inextensible = false, correction = false;
  Damping damping;
  NewtonSettings newton{1e-12, 400};
  Vec3d root_tangent{0, 0, 0}, root_normal{0, 0, 0};  // 0: from the shape
  std::vector<int> pinned;                            // vertices of the shape that are held
  std::vector<Vec3d> normals;                         // m1 at the edges' middles, projected; empty: transported
  RootMotion root;
};

inline std::vector<Vec3d> straight(int segments, double length = 1) {
  std::vector<Vec3d> x;
  for (int i = 0; i <= segments; ++i) x.push_back({length * i / segments, 0, 0});
  return x;
}

// Vertex i of the shape is vertex i + 1 of the strand: the ghost of the clamp comes first.
class RodRun {
 public:
  explicit RodRun(const RodCase& rod)
      : vertices_(static_cast<int>(rod.shape.size())), mass_(rod.mass), object_("rod", 0, domain_, description(rod)) {
    Curves curves;
    curves.positions = rod.shape;
    curves.first.push_back(vertices_);
    curves.vertices.resize(rod.shape.size());
    curves.strands.resize(1);
    if (norm(rod.root_tangent) > 0) curves.strands.add<Vec3d>("root_tangent")[0] = rod.root_tangent;
    if (norm(rod.root_normal) > 0) curves.strands.add<Vec3d>("root_normal")[0] = rod.root_normal;
    if (!rod.pinned.empty()) {
      const auto pinned = curves.vertices.add<double>("pinned");
      for (const int i : rod.pinned) pinned[static_cast<std::size_t>(i)] = 1;
    }
    object_.set_curves(std::move(curves));
    if (!rod.normals.empty())
      object_.add_emission([this, normals = rod.normals](Strand& strand) { set_normals(strand, normals); });
    const auto d = description(rod);
    const CrossSection section{d.radius, d.radius * d.flattening};
    ElasticRodMaterial material;
    material.youngs_modulus = rod.bend1 / section.bending1();
    material.shear_modulus = rod.twist / section.torsion();
    material.stretch = rod.stretch / (material.youngs_modulus * section.area());
    material.inextensible = rod.inextensible;
    material.rest_bend_correction = rod.correction;
    material.damping = rod.damping;
    sets_ = add_elastic_rod(object_, "rod", material, d);
    PointForce load;
    load.owner = load.what = "load";
    load.accumulate = [this](const PointBlock& b, Planes<const Vec3d>::Type, const ForceBlock& out) {
      const int tip = vertices_ * StrandSystem::lanes;
      for (int i = 0; i < b.count; ++i) {
        const Vec3d f = weight * (b.mass[i] / mass_) + (i == tip ? tip_force : Vec3d{0, 0, 0});
        out.force.x[i] += f.x;
        out.force.y[i] += f.y;
        out.force.z[i] += f.z;
      }
    };
    object_.add_force(load);
    if (rod.root.pose) {
      object_.set_root_motion(rod.root);
      moving_ = true;
    }
    object_.ingest();
  }
  RodRun(const RodRun&) = delete;

  Vec3d tip_force{0, 0, 0};  // [N]
  Vec3d weight{0, 0, 0};     // force per length [N/m]

  // Newton iterations of one substep; one that does not converge fails the test.
  int step(double dt) {
    object_.save();
    const Step step{0, 0, 0, time_, dt};
    if (moving_) object_.place_roots(step);
    const std::int64_t before = object_.newton_iterations();
    object_.advance(step);
    time_ += dt;
    EXPECT_EQ(object_.solve_report().status, SolveReport::Status::converged)
        << "residual " << object_.solve_report().residual;
    EXPECT_EQ(object_.local_halvings(), 0);
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

  int vertices() const { return vertices_; }
  double time() const { return time_; }
  Vec3d position(int i) { return vector(object_.rod_channels().position, i + 1); }
  Vec3d velocity(int i) { return vector(object_.rod_channels().velocity, i + 1); }
  Vec3d m1(int edge) { return vector(object_.rod_channels().m1, edge + 1); }
  Vec3d tip() { return position(vertices_ - 1); }
  // Channel of the strand system at vertex i of the shape; -1 is the ghost.
  double& at(int channel, int i) { return object_.strands().at(0, channel, i + 1, 0); }
  double tension(int edge) { return at(sets_.stretch.force, edge); }
  CurvesObject& object() { return object_; }
  const ElasticRodChannels& sets() const { return sets_; }

 private:
  static CurvesObject::Description description(const RodCase& rod) {
    CurvesObject::Description d;
    d.radius = rod.radius;
    d.flattening = std::sqrt(rod.bend2 / rod.bend1);
    d.density = rod.mass / CrossSection{d.radius, d.radius * d.flattening}.area();
    d.clamped = rod.clamped;
    d.newton = rod.newton;
    return d;
  }
  Vec3d vector(int channel, int i) {
    auto& s = object_.strands();
    return {s.at(0, channel, i, 0), s.at(0, channel + 1, i, 0), s.at(0, channel + 2, i, 0)};
  }
  // Frames of the groom: before the rest shape is taken from them.
  void set_normals(Strand& strand, const std::vector<Vec3d>& normals) {
    const RodChannels& c = object_.rod_channels();
    const auto read = [&](int channel, std::size_t i) {
      return Vec3d{strand.channel(channel)[i], strand.channel(channel + 1)[i], strand.channel(channel + 2)[i]};
    };
    RodEdge<double> before{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(vertices_); ++i) {
      const Vec3d e = read(c.position, i + 1) - read(c.position, i), t = normalized(e);
      RodEdge<double> edge{t, 1 / norm(e), i == 0 ? read(c.m1, 0) : orthonormalized(normals[i - 1], t)};
      for (int k = 0; k < 3; ++k) strand.channel(c.m1 + k)[i] = edge.m1[k];
      if (i > 0) strand.channel(c.twist)[i] = twist_between(before, edge, 0.0);
      before = edge;
    }
  }

  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  int vertices_;
  double mass_;
  bool moving_ = false;
  CurvesObject object_;
  ElasticRodChannels sets_;
  double time_ = 0;
};

}  // namespace ymir::verification
