// Several strands on one or more Curves Objects, with attachments, advanced as the program does it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "ymir/actions/attachment_set.h"
#include "ymir/actions/elastic_rod.h"
#include "ymir/physics/rods/cross_section.h"

namespace ymir::verification {

using Polyline = std::vector<Vec3d>;

inline Polyline line(Vec3d from, Vec3d to, int segments) {
  Polyline x;
  for (int i = 0; i <= segments; ++i) x.push_back(from + (to - from) * (static_cast<double>(i) / segments));
  return x;
}

struct StrandsCase {
  std::vector<Polyline> strands;
  double bend = 1, twist = 0.7, stretch = 1e7;  // EI, GJ [N m^2], EA [N]
  double mass = 1;                              // per length [kg/m]
  double radius = 1e-2;                         // [m]
  bool clamped = true, inextensible = false;
  std::vector<int> pinned;  // vertices of every strand that are held
  // A channel of the curves, by strand; none without a function.
  std::string channel;
  std::function<double(int strand)> painted;
  NewtonSettings newton{1e-12, 100};
};

// Vertex i of a strand's shape is vertex i + 1 of the solver: the ghost of the clamp comes first.
class StrandsRun {
 public:
  StrandsRun() = default;
  StrandsRun(const StrandsRun&) = delete;

  // Force on a vertex [N].
  struct Vertex {
    std::size_t object;
    std::int64_t strand;
    int vertex;
    double mass;
  };
  std::function<Vec3d(const Vertex&)> load = [](const Vertex&) { return Vec3d{0, 0, 0}; };

  CurvesObject& add(const StrandsCase& c) {
    const CrossSection section{c.radius, c.radius};
    CurvesObject::Description d;
    d.radius = c.radius;
    d.density = c.mass / section.area();
    d.clamped = c.clamped;
    d.newton = c.newton;
    const std::size_t index = objects_.size();
    CurvesObject& object =
        *objects_.emplace_back(std::make_unique<CurvesObject>("strands" + std::to_string(index), 0, domain_, d));
    Curves curves;
    for (const Polyline& strand : c.strands) {
      curves.positions.insert(curves.positions.end(), strand.begin(), strand.end());
      curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
    }
    curves.vertices.resize(curves.positions.size());
    curves.strands.resize(c.strands.size());
    if (!c.pinned.empty()) {
      const auto pinned = curves.vertices.add<double>("pinned");
      for (std::size_t s = 0; s < c.strands.size(); ++s)
        for (const int i : c.pinned) pinned[static_cast<std::size_t>(curves.first[s] + i)] = 1;
    }
    if (c.painted) {
      const auto values = curves.strands.add<double>(c.channel);
      for (std::size_t s = 0; s < c.strands.size(); ++s) values[s] = c.painted(static_cast<int>(s));
    }
    object.set_curves(std::move(curves));
    ElasticRodMaterial material;
    material.youngs_modulus = c.bend / section.bending1();
    material.shear_modulus = c.twist / section.torsion();
    material.stretch = c.stretch / (material.youngs_modulus * section.area());
    material.inextensible = c.inextensible;
    material.rest_bend_correction = false;
    add_elastic_rod(object, "rod", material, d);
    PointForce force;
    force.owner = force.what = "load";
    force.accumulate = [this, index](const PointBlock& b, Planes<const Vec3d>::Type, const ForceBlock& out) {
      const auto& ids = objects_[index]->strands().group(b.bucket).id;
      for (int i = 0; i < b.count; ++i) {
        const std::int64_t strand = ids[static_cast<std::size_t>(i % StrandSystem::lanes)];
        const int vertex = i / StrandSystem::lanes - 1;
        if (strand < 0 || vertex < 0 || b.mass[i] == 0) continue;
        const Vec3d f = load({index, strand, vertex, b.mass[i]});
        out.force.x[i] += f.x;
        out.force.y[i] += f.y;
        out.force.z[i] += f.z;
      }
    };
    object.add_force(force);
    return object;
  }
  // After everything has been added.
  void start() {
    for (const auto& object : objects_) object->ingest();
  }

  void step(double dt) {
    const Step step{0, 0, 0, time_, dt};
    for (const auto& object : objects_) object->save();
    for (const auto& object : objects_)
      if (object->moving_roots()) object->place_roots(step);
    for (const auto& object : objects_) object->prepare(step);
    solids_.detect(step);
    solids_.advance(step);
    EXPECT_EQ(solids_.solve_report().status, SolveReport::Status::converged)
        << "at " << time_ << " s, residual " << solids_.solve_report().residual;
    for (const auto& object : objects_) {
      object->advance(step);
      EXPECT_EQ(object->solve_report().status, SolveReport::Status::converged)
          << "at " << time_ << " s, residual " << object->solve_report().residual;
      EXPECT_EQ(object->local_halvings(), 0);
    }
    time_ += dt;
  }
  // Steps until no vertex moves by more than 1e-11; statics when dt is far above every period.
  void settle(double dt, int most = 200) {
    for (int k = 0; k < most; ++k) {
      const std::vector<Vec3d> before = all_positions();
      step(dt);
      const std::vector<Vec3d> after = all_positions();
      double moved = 0;
      for (std::size_t i = 0; i < after.size(); ++i) moved = std::max(moved, norm(after[i] - before[i]));
      if (testing::Test::HasFailure() || moved < 1e-11) return;
    }
    ADD_FAILURE() << "does not come to rest";
  }

  double time() const { return time_; }
  CurvesObject& object(std::size_t o) { return *objects_[o]; }
  SolidSystem& solids() { return solids_; }
  Vec3d position(std::size_t o, std::int64_t strand, int vertex) {
    return vector(o, objects_[o]->rod_channels().position, strand, vertex);
  }
  Vec3d m1(std::size_t o, std::int64_t strand, int edge) {
    return vector(o, objects_[o]->rod_channels().m1, strand, edge);
  }
  void set_velocity(std::size_t o, std::int64_t strand, int vertex, Vec3d v) {
    const auto [group, lane] = place(o, strand);
    for (int k = 0; k < 3; ++k)
      objects_[o]->strands().at(group, objects_[o]->rod_channels().velocity + k, vertex + 1, lane) = v[k];
  }
  std::vector<Vec3d> all_positions() { return all(&RodChannels::position); }
  Vec3d momentum() {
    Vec3d sum{0, 0, 0};
    for (const auto& object : objects_)
      for (const Strand& s : object->strands().copy_all())
        for (std::size_t i = 1; i < static_cast<std::size_t>(s.vertices); ++i) {
          const RodChannels& c = object->rod_channels();
          for (int k = 0; k < 3; ++k) sum[k] += s.channel(c.mass)[i] * s.channel(c.velocity + k)[i];
        }
    return sum;
  }

 private:
  std::pair<int, int> place(std::size_t o, std::int64_t strand) {
    const StrandSystem& s = objects_[o]->strands();
    for (int g = 0; g < s.group_count(); ++g)
      for (int lane = 0; lane < StrandSystem::lanes; ++lane)
        if (s.group(g).id[static_cast<std::size_t>(lane)] == strand) return {g, lane};
    ADD_FAILURE() << "no strand " << strand;
    return {0, 0};
  }
  Vec3d vector(std::size_t o, int channel, std::int64_t strand, int vertex) {
    const auto [group, lane] = place(o, strand);
    auto& s = objects_[o]->strands();
    return {s.at(group, channel, vertex + 1, lane), s.at(group, channel + 1, vertex + 1, lane),
            s.at(group, channel + 2, vertex + 1, lane)};
  }
  std::vector<Vec3d> all(int RodChannels::*channel) {
    std::vector<Vec3d> values;
    for (const auto& object : objects_)
      for (const Strand& s : object->strands().copy_all())
        for (std::size_t i = 1; i < static_cast<std::size_t>(s.vertices); ++i) {
          const int c = object->rod_channels().*channel;
          values.emplace_back(s.channel(c)[i], s.channel(c + 1)[i], s.channel(c + 2)[i]);
        }
    return values;
  }

  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  std::vector<std::unique_ptr<CurvesObject>> objects_;
  SolidSystem solids_;
  double time_ = 0;
};

}  // namespace ymir::verification
