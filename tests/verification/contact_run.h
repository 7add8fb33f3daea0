// Cloth, rigid bodies, soft bodies and colliders that touch each other, advanced through one solid system.
#pragma once

#include <memory>

#include "cloth_run.h"
#include "rigid_run.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir::cloth_tests {

// A square in the plane y = height, of nearly equilateral triangles, about (x, z); turned about y.
inline Surface lying_sheet(double size_x, double size_z, double edge, double height, double x = 0, double z = 0,
                           double turn = 0) {
  Surface s = sheet_mesh({0, 0, 0}, size_x, size_z, edge);
  for (Vec3d& p : s.positions)
    p = {x + std::cos(turn) * p.x - std::sin(turn) * p.y, height, z - std::sin(turn) * p.x - std::cos(turn) * p.y};
  return s;
}

// Where edges of some mesh go through triangles of another, or of the same with no corner in common.
struct Skin {
  const std::vector<Vec3d>* x;
  const std::vector<std::array<std::int32_t, 3>>* triangles;
};
inline int crossings(const std::vector<Skin>& skins) {
  const auto at = [](const Skin& s, std::int32_t i) { return (*s.x)[static_cast<std::size_t>(i)]; };
  const auto pierces = [](Vec3d p, Vec3d q, Vec3d a, Vec3d b, Vec3d c) {
    const Vec3d n = cross(b - a, c - a);
    const double from = dot(p - a, n), to = dot(q - a, n);
    if (from * to >= 0) return false;
    const Vec3d x = p + (q - p) * (from / (from - to));
    return dot(cross(b - a, x - a), n) > 0 && dot(cross(c - b, x - b), n) > 0 && dot(cross(a - c, x - c), n) > 0;
  };
  int count = 0;
  for (const Skin& edges : skins)
    for (const auto& t : *edges.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t i = t[k], j = t[(k + 1) % 3];
        const Vec3d p = at(edges, i), q = at(edges, j);
        for (const Skin& faces : skins)
          for (const auto& f : *faces.triangles) {
            if (edges.x == faces.x &&
                (std::find(f.begin(), f.end(), i) != f.end() || std::find(f.begin(), f.end(), j) != f.end()))
              continue;
            const Vec3d a = at(faces, f[0]);
            if (norm(a - p) > 3 * (norm(at(faces, f[1]) - a) + norm(q - p))) continue;
            count += pierces(p, q, a, at(faces, f[1]), at(faces, f[2])) ? 1 : 0;
          }
      }
  return count;
}

class ContactRun {
 public:
  static constexpr double thickness = 1e-3;  // of cloth [m]

  MeshObject& cloth(const Surface& surface, const ElasticShellMaterial& material, double area_density = 0.2,
                    Vec3d velocity = {0, 0, 0}, double tolerance = 1e-6) {
    MeshObject::Description d;
    d.density = area_density / thickness;
    d.newton = {tolerance, 120};
    d.velocity = velocity;
    MeshObject& object = *cloths_.emplace_back(std::make_unique<MeshObject>(
        "cloth" + std::to_string(cloths_.size()), 0, domain_, d, cloth_of(surface, thickness, "sheet")));
    solids_.add(object);
    add_elastic_shell(object, "material", material, warp_along(object.mesh(), {1, 0, 0}));
    touching_.push_back(&object);
    return object;
  }
  RigidObject& bodies(const Surface& surface, double density = 1000, Vec3d velocity = {0, 0, 0}) {
    RigidObject::Description d;
    d.density = density;
    d.velocity = velocity;
    RigidObject& object = *bodies_.emplace_back(
        std::make_unique<RigidObject>("bodies" + std::to_string(bodies_.size()), 0, domain_, d, surface));
    solids_.add(object);
    touching_.push_back(&object);
    return object;
  }
  void collider(std::function<DistanceSample(Vec3d)> distance, double friction, const TouchResponse& response = {},
                double adhesion = 0) {
    TouchedCollider collider;
    collider.friction = friction;
    collider.adhesion = adhesion;
    collider.response = response;
    collider.objects = touching_;
    collider.during = [distance = std::move(distance)](double, double) {
      return rigid_collider(distance, {}, {}, 0, 0);
    };
    solids_.contacts().add_collider(std::move(collider));
  }
  template <class Shape>
  requires requires(Shape s) { signed_distance(s, Vec3d{}); }
  void collider(const Shape& shape, double friction, const TouchResponse& response = {}, double adhesion = 0) {
    collider([shape](Vec3d x) { return signed_distance(shape, x); }, friction, response, adhesion);
  }
  void gravity(Vec3d g) {
    for (auto& c : cloths_) c->add_force(gravity_force("gravity", g, {}));
    for (auto& b : bodies_) b->add_force(gravity_force("gravity", g, {}));
  }
  static void hold(MeshObject& object, const std::function<bool(Vec3d)>& where) {
    MeshObject::NodeMotion motion;
    for (std::size_t i = 0; i < object.mesh().positions.size(); ++i)
      if (where(object.mesh().positions[i])) motion.nodes.push_back(static_cast<std::int32_t>(i));
    object.hold(std::move(motion));
  }
  void touch(const TouchParams& params = {}) { solids_.contacts().add_family(touching_, params, 0); }
  void start() {
    for (auto& c : cloths_) c->ingest();
    for (auto& b : bodies_) b->ingest();
  }
  SolveReport step(double dt) {
    const Step step{0, 0, 0, time_, dt};
    for (auto& c : cloths_) c->begin_substep();
    for (auto& b : bodies_) b->begin_substep(step);
    solids_.detect(step);
    solids_.advance(step);
    solids_.accept();
    time_ += dt;
    EXPECT_EQ(solids_.solve_report().status, SolveReport::Status::converged)
        << "at " << time_ << " s: " << solids_.solve_report().residual << ", " << solids_.solve_report().worst_object;
    return solids_.solve_report();
  }
  SolidSystem& solids() { return solids_; }
  MeshObject& cloth(std::size_t k) { return *cloths_[k]; }
  RigidObject& bodies(std::size_t k) { return *bodies_[k]; }
  double time() const { return time_; }
  double fastest() const {
    double most = 0;
    for (const auto& c : cloths_)
      for (const Vec3d& v : c->velocities()) most = std::max(most, norm(v));
    for (const auto& b : bodies_)
      for (const RigidPose& p : b->poses()) most = std::max(most, norm(p.velocity));
    return most;
  }
  Vec3d momentum() const {
    Vec3d sum{0, 0, 0};
    for (const auto& c : cloths_)
      for (std::size_t i = 0; i < c->mass().size(); ++i) sum += c->velocities()[i] * c->mass()[i];
    for (const auto& b : bodies_)
      for (std::size_t i = 0; i < b->bodies().size(); ++i) sum += b->poses()[i].velocity * b->bodies()[i].mass;
    return sum;
  }
  double mass() const {
    double sum = 0;
    for (const auto& c : cloths_)
      for (const double m : c->mass()) sum += m;
    for (const auto& b : bodies_)
      for (const RigidBody& body : b->bodies()) sum += body.mass;
    return sum;
  }
  int crossings() const {
    std::vector<Skin> skins;
    for (const auto& c : cloths_) skins.push_back({&c->positions(), &c->mesh().skin.triangles});
    return cloth_tests::crossings(skins);
  }
  // Of colliders, in the last step [N].
  Vec3d carried(double dt) {
    Vec3d sum{0, 0, 0};
    for (const Contact& c : solids_.contacts().contacts())
      if (c.b.kind == SideKind::collider) sum += c.impulse;
    return sum / dt;
  }

 private:
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  std::vector<std::unique_ptr<MeshObject>> cloths_;
  std::vector<std::unique_ptr<RigidObject>> bodies_;
  std::vector<SolidObject*> touching_;
  SolidSystem solids_;
  double time_ = 0;
};

}  // namespace ymir::cloth_tests
