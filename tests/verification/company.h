// Solid objects of all kinds in one system, advanced step by step.
#pragma once

#include "rigid_run.h"
#include "ymir/actions/attachment_set.h"
#include "ymir/actions/elastic_rod.h"
#include "ymir/actions/elastic_solid.h"

namespace ymir {

class Company {
 public:
  MeshObject& mesh(const std::string& name, SolidMesh mesh, double density, Vec3d velocity = {0, 0, 0},
                   LinearSolver solver = LinearSolver::automatic) {
    MeshObject::Description d;
    d.solver = solver;
    d.density = density;
    d.velocity = velocity;
    d.newton = {1e-11, 100};
    meshes_.push_back(std::make_unique<MeshObject>(name, 0, domain_, d, std::move(mesh)));
    solids_.add(*meshes_.back());
    return *meshes_.back();
  }
  RigidObject& rigid(const std::string& name, Surface surface, double density, Vec3d velocity = {0, 0, 0}) {
    RigidObject::Description d;
    d.density = density;
    d.velocity = velocity;
    d.newton = {1e-11, 100};
    rigid_.push_back(std::make_unique<RigidObject>(name, 0, domain_, d, std::move(surface)));
    solids_.add(*rigid_.back());
    return *rigid_.back();
  }
  CurvesObject& strands(const std::string& name, const std::vector<std::vector<Vec3d>>& lines,
                        bool inextensible = false) {
    CurvesObject::Description d;
    d.radius = 1e-3;
    d.density = 1000;
    d.newton = {1e-11, 100};
    curves_.push_back(std::make_unique<CurvesObject>(name, 0, domain_, d));
    Curves curves;
    for (const auto& x : lines) {
      curves.positions.insert(curves.positions.end(), x.begin(), x.end());
      curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
    }
    curves.vertices.resize(curves.positions.size());
    curves.strands.resize(lines.size());
    curves_.back()->set_curves(std::move(curves));
    ElasticRodMaterial material;
    material.youngs_modulus = 1e8;
    material.shear_modulus = 4e7;
    material.inextensible = inextensible;
    add_elastic_rod(*curves_.back(), "rod", material, d);
    return *curves_.back();
  }
  SolidSystem& solids() { return solids_; }
  void start() {
    for (const auto& m : meshes_) m->ingest();
    for (const auto& r : rigid_) r->ingest();
    for (const auto& c : curves_) c->ingest();
  }
  void gravity(Vec3d g) {
    for (const auto& m : meshes_) m->add_force(gravity_force("gravity", g, {}));
    for (const auto& r : rigid_) r->add_force(gravity_force("gravity", g, {}));
    for (const auto& c : curves_) c->add_force(gravity_force("gravity", g, {}));
  }
  void step(double dt) {
    const Step step{0, 0, 0, time_, dt};
    for (const auto& m : meshes_) m->begin_substep();
    for (const auto& r : rigid_) r->begin_substep(step);
    for (const auto& c : curves_) {
      c->save();
      c->prepare(step);
    }
    solids_.detect(step);
    solids_.advance(step);
    EXPECT_EQ(solids_.solve_report().status, SolveReport::Status::converged) << solids_.solve_report().residual;
    for (const auto& c : curves_) c->advance(step);
    solids_.accept();
    time_ += dt;
  }
  double mass() const {
    double sum = 0;
    for (const auto& m : meshes_)
      for (const double own : m->mass()) sum += own;
    for (const auto& r : rigid_)
      for (const RigidBody& own : r->bodies()) sum += own.mass;
    for (const auto& c : curves_)
      c->visit_points([&](const PointBlock& p) {
        for (int i = 0; i < p.count; ++i) sum += p.mass[i];
      });
    return sum;
  }
  Vec3d momentum() const {
    Vec3d sum{0, 0, 0};
    for (const auto& m : meshes_)
      for (std::size_t i = 0; i < m->mass().size(); ++i) sum += m->velocities()[i] * m->mass()[i];
    for (const auto& r : rigid_)
      for (std::size_t b = 0; b < r->bodies().size(); ++b) sum += r->poses()[b].velocity * r->bodies()[b].mass;
    for (const auto& c : curves_)
      c->visit_points([&](const PointBlock& p) {
        for (int i = 0; i < p.count; ++i) sum += p.velocity[i] * p.mass[i];
      });
    return sum;
  }
  std::uint64_t hash() const {
    std::uint64_t h = 0;
    for (const auto& m : meshes_) h ^= m->hash();
    for (const auto& r : rigid_) h ^= 3 * r->hash();
    for (const auto& c : curves_) h ^= 5 * c->hash();
    return h;
  }

 private:
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  SolidSystem solids_;
  std::vector<std::unique_ptr<MeshObject>> meshes_;
  std::vector<std::unique_ptr<RigidObject>> rigid_;
  std::vector<std::unique_ptr<CurvesObject>> curves_;
  double time_ = 0;
};

inline EmissionRule within(double range) {
  EmissionRule rule;
  rule.range = range;
  return rule;
}
inline AttachmentResponse exact() {
  AttachmentResponse response;
  response.hard = true;
  return response;
}

}  // namespace ymir
