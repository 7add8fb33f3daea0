// Points without bonds: M is their mass, and contacts act on their velocities themselves.
#pragma once

#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {

class ParticlesBody final : public NodalBody {
 public:
  // velocity: of the step without contact.
  ParticlesBody(std::span<const double> mass, std::span<const Vec3d> velocity)
      : mass_(mass.begin(), mass.end()), velocity_(velocity.begin(), velocity.end()) {}

  int nodes() const override { return static_cast<int>(mass_.size()); }
  int pieces() const override { return nodes(); }
  int first_node(int piece) const override { return piece; }
  void describe(std::span<NodeMetric> nodes) const override {
    for (std::size_t i = 0; i < mass_.size(); ++i) nodes[i] = metric_of_particle(mass_[i]);
  }
  Adapt adapt() const override { return Adapt::never; }
  bool exact() const override { return true; }
  bool factor(std::span<const double>) override { return true; }
  void solve(NodeVector* x) override {
    for (std::size_t i = 0; i < mass_.size(); ++i)
      for (int k = 0; k < 3; ++k) x[i].set(k, velocity_[i][k] + (mass_[i] > 0 ? x[i][k] / mass_[i] : 0));
  }
  void solve_metric(NodeVector*) override {}

 private:
  std::vector<double> mass_;
  std::vector<Vec3d> velocity_;
};

}  // namespace ymir
