// Nodes beside the axis of strands: what they move, and what pulls at them, is that of edges that turn.
#include "ymir/solvers/nodal_contact/edge_arms.h"

#include <gtest/gtest.h>

#include "ymir/base/random.h"

namespace ymir {
namespace {

using Real = EdgeArms::Real;
constexpr int lanes = EdgeArms::lanes, vertices = 5, block = 4, column = 11;

Vec3d random_vector(Random& random) { return {random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5}; }

// Four crooked strands, with an arm of another length at every edge.
struct Strands {
  Random random{7, 0};
  Vec3d x[lanes][vertices];
  EdgeArms arms;

  Strands() {
    std::vector<EdgeArms::Edge> edges(vertices);
    const auto put = [](Vec3<Real>& to, int lane, Vec3d v) {
      for (int k = 0; k < 3; ++k) to[k].set(lane, v[k]);
    };
    for (int lane = 0; lane < lanes; ++lane) {
      for (int i = 0; i < vertices; ++i) x[lane][i] = Vec3d{0.1 * i, 0, 0} + random_vector(random) * 0.05;
      for (int j = 0; j + 1 < vertices; ++j) {
        const Vec3d along = x[lane][j + 1] - x[lane][j], t = normalized(along);
        const Vec3d a = normalized(cross(t, random_vector(random))) * (0.01 + 0.01 * random.uniform());
        EdgeArms::Edge& e = edges[static_cast<std::size_t>(j)];
        put(e.along, lane, t / norm(along));
        put(e.arm[0], lane, a), put(e.arm[1], lane, cross(t, a));
        put(e.way[0], lane, cross(t, a)), put(e.way[1], lane, cross(t, cross(t, a)));
        e.turns = e.moves[0] = e.moves[1] = Real::all(1);
      }
    }
    arms.set(block, std::move(edges));
  }
  std::size_t nodes() const { return static_cast<std::size_t>(lanes * EdgeArms::per_lane(vertices)); }
  Vec3d arm(int lane, int j, int which) const {
    const Vec3<Real>& a = arms.edge(j).arm[which];
    return {a.x[lane], a.y[lane], a.z[lane]};
  }
  std::vector<NodeVector> random_nodes() {
    std::vector<NodeVector> g(nodes(), NodeVector::all(0));
    for (NodeVector& v : g)
      for (int k = 0; k < 3; ++k) v.set(k, random.uniform() - 0.5);
    return g;
  }
};

TEST(EdgeArms, TurnWithARigidMotion) {
  Strands s;
  const Vec3d velocity{0.3, -0.2, 0.5}, spin{1, 2, -3};
  std::vector<Real> rows(block * vertices, Real::all(0));
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < vertices; ++i) {
      const Vec3d v = velocity + cross(spin, s.x[lane][i]);
      for (int k = 0; k < 3; ++k) rows[static_cast<std::size_t>(block * i + k)].set(lane, v[k]);
      if (i + 1 < vertices)
        rows[static_cast<std::size_t>(block * i + 3)].set(lane, dot(spin, normalized(s.x[lane][i + 1] - s.x[lane][i])));
    }
  std::vector<NodeVector> v(s.nodes());
  s.arms.collect(rows.data(), 2, v.data());
  for (int lane = 0; lane < lanes; ++lane)
    for (int j = 0; j + 1 < vertices; ++j)
      for (int which = 0; which < 2; ++which) {
        const Vec3d expected = cross(spin, s.arm(lane, j, which)) * 2;
        for (int k = 0; k < 3; ++k)
          EXPECT_NEAR(v[static_cast<std::size_t>(s.arms.node(lane, j, which))][k], expected[k], 1e-15);
      }
}

// No force, and the torque arm x pull, to rounding: that of the vertices and that on the frame together.
TEST(EdgeArms, WhatPullsAtThemIsATorqueAndNoForce) {
  Strands s;
  const std::vector<NodeVector> g = s.random_nodes();
  std::vector<Real> rows(block * vertices, Real::all(0));
  s.arms.spread(g.data(), 3, rows.data());
  for (int lane = 0; lane < lanes; ++lane) {
    Vec3d force{0, 0, 0}, torque{0, 0, 0}, expected{0, 0, 0};
    for (int i = 0; i < vertices; ++i) {
      const Real* row = rows.data() + block * i;
      const Vec3d f{row[0][lane], row[1][lane], row[2][lane]};
      force += f;
      torque += cross(s.x[lane][i], f);
      if (i + 1 == vertices) continue;
      torque += normalized(s.x[lane][i + 1] - s.x[lane][i]) * row[3][lane];
      for (int which = 0; which < 2; ++which) {
        const NodeVector& p = g[static_cast<std::size_t>(s.arms.node(lane, i, which))];
        expected += cross(s.arm(lane, i, which), Vec3d{p[0], p[1], p[2]}) * 3;
      }
    }
    EXPECT_LT(norm(force), 1e-15);
    EXPECT_LT(norm(torque - expected), 1e-15);
  }
}

// x'(N'DN)x = sum of D |N x|^2
TEST(EdgeArms, MassesAtThemAreThoseOfTheirWays) {
  Strands s;
  std::vector<double> d(s.nodes());
  for (double& mass : d) mass = s.random.uniform();
  std::vector<Real> matrix(static_cast<std::size_t>((block * vertices + column) * column), Real::all(0));
  s.arms.add_masses(d, 0.5, matrix.data(), column);
  for (int trial = 0; trial < 4; ++trial) {
    std::vector<Real> x(block * vertices);
    for (Real& value : x)
      for (int lane = 0; lane < lanes; ++lane) value.set(lane, s.random.uniform() - 0.5);
    std::vector<NodeVector> v(s.nodes(), NodeVector::all(0));
    s.arms.collect(x.data(), 1, v.data());
    for (int lane = 0; lane < lanes; ++lane) {
      double energy = 0, expected = 0;
      for (std::size_t col = 0; col < x.size(); ++col)
        for (std::size_t k = 0; k < column && col + k < x.size(); ++k)
          energy += (k == 0 ? 1 : 2) * matrix[col * column + k][lane] * x[col][lane] * x[col + k][lane];
      for (int j = 0; j + 1 < vertices; ++j)
        for (int which = 0; which < 2; ++which) {
          const auto node = static_cast<std::size_t>(s.arms.node(lane, j, which));
          for (int k = 0; k < 3; ++k) expected += 0.5 * d[node] * v[node][k] * v[node][k];
        }
      EXPECT_NEAR(energy, expected, 1e-15 + 1e-13 * expected);
    }
  }
}

}  // namespace
}  // namespace ymir
