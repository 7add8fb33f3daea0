// Small contact problems with what solves them otherwise: dense matrices, and Gauss-Seidel in local frames.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/solvers/nodal_contact/band_body.h"
#include "ymir/solvers/nodal_contact/nodal_contact.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {

// A body given by C = M^-1 of its nodes, which may be singular, and its velocity without contact.
class DenseBody final : public NodalBody {
 public:
  DenseBody(Eigen::MatrixXd c, Eigen::VectorXd velocity, std::vector<double> mass)
      : c_(std::move(c)), velocity_(std::move(velocity)), mass_(std::move(mass)) {}

  int nodes() const override { return static_cast<int>(mass_.size()); }
  void describe(std::span<NodeMetric> nodes) const override {
    for (std::size_t i = 0; i < mass_.size(); ++i) nodes[i] = metric_of_vertex(mass_[i]);
  }
  bool factor(std::span<const double> d) override {
    // (M + D)^-1 = (I + C D)^-1 C
    Eigen::VectorXd diagonal(c_.rows());
    for (Eigen::Index i = 0; i < c_.rows(); ++i) diagonal[i] = d[static_cast<std::size_t>(i / 3)];
    const Eigen::MatrixXd id = Eigen::MatrixXd::Identity(c_.rows(), c_.rows());
    const auto lu = (id + c_ * diagonal.asDiagonal()).eval().partialPivLu();
    metric_ = lu.solve(c_);
    metric_velocity_ = lu.solve(velocity_);  // (M + D)^-1 M v
    return true;
  }
  void solve(NodeVector* x) override { apply(c_, velocity_, x); }
  void solve_metric(NodeVector* x) override { apply(metric_, metric_velocity_, x); }

  const Eigen::MatrixXd& compliance() const { return c_; }
  const Eigen::VectorXd& velocity() const { return velocity_; }

 private:
  static void apply(const Eigen::MatrixXd& c, const Eigen::VectorXd& v, NodeVector* x) {
    Eigen::VectorXd g(c.rows());
    for (Eigen::Index i = 0; i < c.rows(); ++i) g[i] = x[i / 3][static_cast<int>(i % 3)];
    const Eigen::VectorXd result = v + c * g;
    for (Eigen::Index i = 0; i < c.rows(); ++i) x[i / 3].set(static_cast<int>(i % 3), result[i]);
  }

  Eigen::MatrixXd c_, metric_;
  Eigen::VectorXd velocity_, metric_velocity_;
  std::vector<double> mass_;
};

inline Vec3d random_vector(Random& random, double size = 1) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Chains of nodes with stretch and bending, `dt^2 k/m` = stiffness; random velocities.
inline std::unique_ptr<DenseBody> dense_chain(Random& random, int nodes, double mass, double stiffness) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Identity(3 * nodes, 3 * nodes) * mass;
  const auto add = [&](std::vector<std::pair<int, double>> row, const Eigen::Matrix3d& k) {
    for (const auto& [i, a] : row)
      for (const auto& [j, b] : row) m.block<3, 3>(3 * i, 3 * j) += a * b * k;
  };
  for (int i = 0; i + 1 < nodes; ++i) {
    const Eigen::Vector3d t = Eigen::Vector3d(1, random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)).normalized();
    add({{i, -1}, {i + 1, 1}}, mass * stiffness * t * t.transpose());
  }
  for (int i = 0; i + 2 < nodes; ++i) add({{i, 1}, {i + 1, -2}, {i + 2, 1}}, mass * 0.3 * Eigen::Matrix3d::Identity());
  Eigen::VectorXd v(3 * nodes);
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = random.uniform(-1, 1);
  return std::make_unique<DenseBody>(m.inverse(), v, std::vector<double>(static_cast<std::size_t>(nodes), mass));
}

// The same with a band for four strands side by side; the first two nodes of each are held.
inline std::unique_ptr<BandBody<4, 10>> band_chains(Random& random, int nodes, double mass, double stiffness,
                                                    Vec3d velocity, double bending = 3) {
  using Real = BandBody<4, 10>::Real;
  constexpr int column = 11;
  const Real zero = Real::all(0);
  std::vector<Real> matrix(static_cast<std::size_t>((4 * nodes + 10) * column), zero);
  std::vector<Real> side(static_cast<std::size_t>(4 * nodes), zero), masses(static_cast<std::size_t>(nodes), zero);
  for (int lane = 0; lane < 4; ++lane) {
    const auto at = [&](int r, int c) -> double& {
      return reinterpret_cast<double*>(&matrix[static_cast<std::size_t>(c * column + r - c)])[lane];
    };
    const auto add = [&](const std::vector<std::pair<int, double>>& row, double k, Vec3d t, bool isotropic) {
      for (const auto& [i, a] : row)
        for (const auto& [j, b] : row)
          for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q)
              if (4 * i + p >= 4 * j + q && i >= 2 && j >= 2)
                at(4 * i + p, 4 * j + q) += a * b * k * (isotropic ? double(p == q) : t[p] * t[q]);
    };
    for (int i = 0; i < nodes; ++i) {
      for (int k = 0; k < 4; ++k) at(4 * i + k, 4 * i + k) += i < 2 ? 1 : mass;
      const Vec3d v = velocity + random_vector(random, 0.05);
      for (int k = 0; k < 3; ++k) side[static_cast<std::size_t>(4 * i + k)].set(lane, i < 2 ? 0 : mass * v[k]);
      masses[static_cast<std::size_t>(i)].set(lane, i < 2 ? 0 : mass);
    }
    for (int i = 0; i + 1 < nodes; ++i)
      add({{i, -1}, {i + 1, 1}}, mass * stiffness,
          normalized(Vec3d{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), -1}), false);
    for (int i = 0; i + 2 < nodes; ++i) add({{i, 1}, {i + 1, -2}, {i + 2, 1}}, mass * bending, {}, true);
  }
  auto body = std::make_unique<BandBody<4, 10>>();
  body->set_masses(nodes, masses);
  body->set(matrix.data(), 1, side.data(), 1);
  return body;
}

// Relative velocity of a contact.
inline Vec3d velocity_of(const NodalContact& solver, const ContactList& list, const NodeContact& c) {
  Vec3d u = c.free;
  for (const ContactNode& n : list.nodes_of(c)) {
    const NodeVector v = solver.velocities(n.body)[static_cast<std::size_t>(n.node)];
    u += Vec3d{v[0], v[1], v[2]} * n.weight;
  }
  return u;
}

// What is left of Coulomb's law in (u, r): the three cases written out, in velocities by the scale w.
inline double law_violation(const NodeContact& c, Vec3d u, double w) {
  const Vec3d r = (c.impulse + c.normal * c.cohesion) * w;
  const double un = dot(c.normal, u), rn = dot(c.normal, r);
  const Vec3d ut = u - c.normal * un, rt = r - c.normal * rn;
  double wrong = std::max({0.0, -un, -rn, std::min(rn, un), norm(rt) - c.friction * rn});
  // Where it slides, friction is at its limit and against it.
  const double speed = norm(ut);
  if (speed > 0) wrong = std::max(wrong, std::min(speed, norm(rt + ut * (c.friction * rn / speed))));
  return wrong;
}

}  // namespace ymir
