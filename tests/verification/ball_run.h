// Balls, and what they lie on, in one simulation whose frames are steps of dt.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "ymir/actions/collider_contact.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/objects/particle_object.h"
#include "ymir/pipeline/simulation.h"
#include "ymir/solids/detection/distance_contacts.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

struct Ball {
  Vec3d position{0, 0, 0}, velocity{0, 0, 0};
  double radius = 0.05, density = 1000;  // [m], [kg/m^3]
  double friction = -1;                  // of its own; below 0: that of its object

  double mass() const { return density * 4.0 / 3 * M_PI * radius * radius * radius; }
};

class BallRun {
 public:
  explicit BallRun(double dt, double bucket = 100)
      : dt_(dt), simulation_(time_of(dt), bucket, alone_), solids_(&add(std::make_unique<SolidSystem>())) {}

  template <class T>
  T& add(std::unique_ptr<T> object) {
    return simulation_.add(std::move(object));
  }
  GridDomain& domain() { return simulation_.domain(); }
  SolidSystem& solids() { return *solids_; }
  ParticleObject& object() { return *balls_; }
  Simulation& simulation() { return simulation_; }
  double dt() const { return dt_; }

  // born: how those of sources are.
  ParticleObject& balls(const std::vector<Ball>& all, Vec3d gravity, const ParticleObject::Description& born = {}) {
    Points points;
    for (const Ball& b : all) points.positions.push_back(b.position);
    points.vertices.resize(all.size());
    const auto velocity = points.vertices.add<Vec3d>("velocity");
    const auto radius = points.vertices.add<double>("radius"), density = points.vertices.add<double>("density");
    for (std::size_t i = 0; i < all.size(); ++i)
      velocity[i] = all[i].velocity, radius[i] = all[i].radius, density[i] = all[i].density;
    if (!all.empty() && all[0].friction >= 0) {
      const auto friction = points.vertices.add<double>("friction");
      for (std::size_t i = 0; i < all.size(); ++i) friction[i] = all[i].friction;
    }
    balls_ = &add(std::make_unique<ParticleObject>("balls", 0, domain(), born));
    if (!all.empty()) balls_->add_points(points);
    balls_->add_force(gravity_force("gravity", gravity, {}));
    return *balls_;
  }
  // The half space below y = 0, or below another plane.
  void floor(std::vector<SolidObject*> others, double friction, double restitution = 0,
             const PlaneShape& shape = {{0, 0, 0}, {0, 1, 0}}) {
    const auto distance = [shape](Vec3d x) { return signed_distance(shape, x); };
    balls_->add_contact(collider_contact("floor", {distance},
                                         {restitution, friction, balls_->override_channel<double>("restitution"),
                                          balls_->override_channel<double>("friction")}));
    TouchedCollider collider;
    collider.friction = friction;
    collider.objects = std::move(others);
    collider.objects.push_back(balls_);
    collider.during = [distance](double, double) { return rigid_collider(distance, {}, {}, 0, 0); };
    solids().contacts().add_collider(std::move(collider));
  }
  void touch(std::vector<SolidObject*> others, TouchParams params) {
    others.push_back(balls_);
    for (SolidObject* object : others) solids().add(*object);
    solids().contacts().add_family(others, params, 0);
  }

  void start() { simulation_.ingest(); }
  void step() {
    simulation_.advance_frame(++frame_);
    EXPECT_EQ(solids().report().unconverged, 0) << solids().report().worst;
  }
  void steps(int count) {
    for (int k = 0; k < count && !testing::Test::HasFailure(); ++k) step();
  }
  std::int64_t frame() const { return frame_; }
  void go_on_from(std::int64_t frame) { frame_ = frame; }

  // By id.
  Ball ball(std::uint64_t id) const {
    const ParticleSystem& p = balls_->particles();
    for (int b = 0; b < p.buckets().local_count(); ++b)
      for (int i = 0; i < p.count(b); ++i)
        if (p.read(balls_->id(), b)[i] == id)
          return {p.read(ParticleSystem::position, b)[i], p.read(balls_->velocity(), b)[i]};
    ADD_FAILURE() << "no ball " << id;
    return {};
  }
  template <class F>  // f(position, velocity, mass, radius) of all balls
  void visit(F&& f) const {
    balls_->visit_points([&](const PointBlock& p) {
      for (int i = 0; i < p.count; ++i) f(p.position[i], p.velocity[i], p.mass[i], p.radius[i]);
    });
  }
  Vec3d momentum() const {
    Vec3d sum{0, 0, 0};
    visit([&](Vec3d, Vec3d v, double m, double) { sum += v * m; });
    return sum;
  }
  // Impulses of the last step: of colliders, all of them; on a ball by other things than colliders.
  Vec3d carried() const {
    Vec3d sum{0, 0, 0};
    for (const Contact& c : solids_->contacts().contacts())
      if (c.b.kind == SideKind::collider) sum += c.impulse;
    return sum;
  }

 private:
  static TimeParams time_of(double dt) {
    TimeParams time;
    time.fps = 1 / dt;
    return time;
  }

  double dt_;
  Communicator alone_;
  Simulation simulation_;
  SolidSystem* solids_;
  ParticleObject* balls_ = nullptr;
  std::int64_t frame_ = 0;
};

}  // namespace ymir
