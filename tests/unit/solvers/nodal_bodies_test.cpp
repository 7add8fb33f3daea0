// Bodies of the contact solver against dense matrices; contacts in lanes and colours.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "nodal_problems.h"
#include "ymir/solvers/band_ldl.h"
#include "ymir/solvers/band_solve.h"
#include "ymir/solvers/nodal_contact/compliance_sweeps.h"
#include "ymir/solvers/nodal_contact/contact_blocks.h"
#include "ymir/solvers/nodal_contact/mesh_nodes_body.h"
#include "ymir/solvers/nodal_contact/rigid_copies_body.h"

namespace ymir {
namespace {

// N M^-1 N' and N M^-1 f, by unit impulses; or with M + N'DN.
struct Response {
  Eigen::MatrixXd c;
  Eigen::VectorXd v;
};
Response response(NodalBody& body, bool metric) {
  const int n = 3 * body.nodes();
  std::vector<NodeVector> x(static_cast<std::size_t>(body.nodes()), NodeVector::all(0));
  const auto solve = [&](int unit) {
    std::fill(x.begin(), x.end(), NodeVector::all(0));
    if (unit >= 0) x[static_cast<std::size_t>(unit / 3)].set(unit % 3, 1);
    metric ? body.solve_metric(x.data()) : body.solve(x.data());
    Eigen::VectorXd v(n);
    for (int i = 0; i < n; ++i) v[i] = x[static_cast<std::size_t>(i / 3)][i % 3];
    return v;
  };
  Response r{Eigen::MatrixXd(n, n), solve(-1)};
  for (int i = 0; i < n; ++i) r.c.col(i) = solve(i) - r.v;
  return r;
}

// What D does to the response of any body: (M + N'DN)^-1 seen from the nodes is (I + C D)^-1 C.
void expect_metric(NodalBody& body, std::vector<double> d, double tolerance) {
  const Response plain = response(body, false);
  ASSERT_TRUE(body.factor(d));
  const Response with = response(body, true);
  Eigen::VectorXd diagonal(plain.v.size());
  for (Eigen::Index i = 0; i < diagonal.size(); ++i) diagonal[i] = d[static_cast<std::size_t>(i / 3)];
  const Eigen::MatrixXd a =
      Eigen::MatrixXd::Identity(diagonal.size(), diagonal.size()) + plain.c * diagonal.asDiagonal();
  EXPECT_LT((with.c - a.partialPivLu().solve(plain.c)).norm(), tolerance * plain.c.norm());
  EXPECT_LT((with.v - a.partialPivLu().solve(plain.v)).norm(), tolerance * plain.v.norm());
  EXPECT_LT((plain.c - plain.c.transpose()).norm(), tolerance * plain.c.norm());
}

std::vector<double> random_masses(Random& random, const NodalBody& body, double size) {
  std::vector<NodeMetric> nodes(static_cast<std::size_t>(body.nodes()));
  body.describe(nodes);
  std::vector<double> d;
  for (const NodeMetric& n : nodes) d.push_back(n.mass > 0 ? random.uniform(0.5, 2) * size : 0);
  return d;
}

TEST(NodalBodies, BandAddsMassesToVertices) {
  Random random(5, 0);
  const auto body = band_chains(random, 9, 0.1, 300, {1, 0, 0});
  for (int round = 0; round < 3; ++round) expect_metric(*body, random_masses(random, *body, 1.5), 1e-11);
  // Strands side by side do not feel each other, and held vertices feel nothing.
  const Response r = response(*body, false);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) EXPECT_EQ(r.c.block(27 * a + 6, 27 * b + 6, 21, 21).norm() > 0, a == b);
}

// The mean over directions of what a unit impulse does, of each vertex, without an impulse.
TEST(NodalBodies, BandTellsTheComplianceOfItsVertices) {
  Random random(7, 0);
  for (const double stiffness : {0.0, 1.0, 3000.0}) {
    const auto body = band_chains(random, 12, 0.1, stiffness, {1, 0, 0});
    const auto count = static_cast<std::size_t>(body->nodes());
    const Response r = response(*body, false);
    std::vector<NodeMetric> described(count);
    body->describe(described);
    std::vector<NodeMetric> measured = described;
    ASSERT_TRUE(body->measure(measured));
    for (std::size_t i = 0; i < count; ++i) {
      if (described[i].mass == 0) {
        EXPECT_EQ(measured[i].mass, 0);  // held
        continue;
      }
      const double compliance =
          r.c.block<3, 3>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(i)).trace() / 3;
      EXPECT_NEAR(measured[i].compliance, compliance, 1e-11 * compliance) << i;
      EXPECT_NEAR(measured[i].mass * compliance, 2, 1e-10) << i;
    }
  }
}

TEST(NodalBodies, RigidCopiesMoveAsOne) {
  Random random(6, 0);
  const double c = std::cos(0.3), s = std::sin(0.3);
  RigidCopiesBody body(2, {0.01, 0, 0.02}, {{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {0.1, 0.2, 0.05});
  ASSERT_TRUE(body.set_free(2, {0.02, 0.01, 0.03}, {1, 2, 3}, {0.5, -1, 2}));
  expect_metric(body, random_masses(random, body, 1), 1e-11);
  // Weights reproduce the velocity of any point of the body, also outside the box.
  std::vector<NodeVector> x(8, NodeVector::all(0));
  body.solve(x.data());
  for (int k = 0; k < 20; ++k) {
    const Vec3d arm = random_vector(random, 0.3), expected = Vec3d{1, 2, 3} + cross(Vec3d{0.5, -1, 2}, arm);
    double weight[8];
    body.weights(arm, weight);
    for (int axis = 0; axis < 3; ++axis) {
      double v = 0;
      for (std::size_t i = 0; i < 8; ++i) v += weight[i] * x[i][axis];
      EXPECT_NEAR(v, expected[axis], 1e-12);
    }
  }
  // A plate without thickness is no obstacle.
  RigidCopiesBody plate(1, {0, 0, 0}, identity3(), {0.1, 0.1, 0});
  EXPECT_TRUE(plate.set_free(1, {0.003, 0.003, 0.006}, {0, 0, 0}, {0, 0, 0}));
  EXPECT_TRUE(plate.factor(std::vector<double>(8, 1)));
}

TEST(NodalBodies, MeshAddsMassesToNodes) {
  Random random(7, 0);
  const std::int32_t cells[] = {0, 1, 2, 3, 2, 3, 4, 5};
  const BlockMatrix::Elements elements[] = {{cells, 4}};
  BlockMatrix m(6, elements);
  m.clear();
  for (std::int32_t i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k) m.diagonal(i)[4 * k] = 3;
  m.block(m.slot(2, 0))[1] = 0.7, m.block(m.slot(4, 3))[5] = -0.4;
  std::vector<double> f(18), mass(6, 0.2);
  for (double& x : f) x = random.uniform(-1, 1);
  MeshNodesBody body(mass);
  ASSERT_TRUE(body.set(m, f));
  expect_metric(body, random_masses(random, body, 3), 1e-11);
}

TEST(BandSolve, GivesTheSolutionOfBandLdl) {
  using Real = Lanes<double, 4>;
  constexpr int block = 4, half = 10, blocks = 12, rows = block * blocks;
  using Ldl = BandLdl<Real, block, half>;
  using Solve = BandSolve<Real, block, half>;
  Random random(8, 0);
  std::vector<Real> a((rows + half) * (half + 1), Real::all(0)), b(rows + Solve::spare, Real::all(0));
  for (int j = 0; j < rows; ++j)
    for (int lane = 0; lane < 4; ++lane) {
      b[static_cast<std::size_t>(j)].set(lane, random.uniform(-1, 1));
      for (int k = 0; k <= half - j % block && j + k < rows; ++k)
        a[static_cast<std::size_t>(j * (half + 1) + k)].set(lane, k == 0 ? 25 : random.uniform(-1, 1));
    }
  Ldl::factor(a.data(), blocks, [](int, const Real& d) { return d; });
  std::vector<Real> c = b;
  Ldl::solve(a.data(), b.data(), blocks);
  Solve::solve(a.data(), c.data(), blocks);
  for (int j = 0; j < rows; ++j)
    for (int lane = 0; lane < 4; ++lane)
      EXPECT_NEAR(b[static_cast<std::size_t>(j)][lane], c[static_cast<std::size_t>(j)][lane], 1e-15);
}

TEST(ContactLanes, TasksOfAPhaseShareNoNodesAndHoldEveryContactOnce) {
  Random random(9, 0);
  ContactList list;
  const std::vector<std::int32_t> first{0, 40, 100};
  std::vector<std::uint8_t> moves(100, 1);
  moves[7] = moves[50] = 0;
  std::vector<std::int32_t> block_of(100);
  for (std::size_t i = 0; i < 100; ++i) block_of[i] = static_cast<std::int32_t>(i / 20);
  for (int i = 0; i < 700; ++i) {  // more colours than a word has bits
    list.add({0, 0, 1}, 0.5);
    list.touch(0, static_cast<int>(random.uniform(0, 20)), 0.5);
    list.touch(0, static_cast<int>(random.uniform(0, i % 5 == 0 ? 40 : 8)), 0.5);
    const int other = static_cast<int>(random.uniform(0, 3)) * 20;
    for (int k = 0; k < i % 3; ++k) list.touch(1, other + static_cast<int>(random.uniform(0, 20)), -1.0 / (1 + k));
  }
  ContactLanes lanes;
  lanes.build(list, first, moves, block_of);
  EXPECT_GT(lanes.phases(), 3);
  std::set<std::int32_t> seen, spare;
  for (int phase = 0; phase < lanes.phases(); ++phase) {
    std::set<std::int32_t> of_phase;
    for (std::int32_t task = lanes.first_task(phase); task < lanes.first_task(phase + 1); ++task) {
      std::set<std::int32_t> of_task;
      for (std::int32_t g = lanes.first_group(task); g < lanes.first_group(task + 1); ++g) {
        std::set<std::int32_t> of_group;
        for (int lane = 0; lane < ContactLanes::lanes; ++lane) {
          const std::int32_t contact = lanes.contact_at(ContactLanes::lanes * g + lane);
          std::vector<double> weight(100, 0), expected(100, 0);
          for (std::int32_t s = lanes.first_slot(g); s < lanes.first_slot(g + 1); ++s) {
            const std::int32_t node = lanes.node[static_cast<std::size_t>(s)].at[lane] / 4;
            EXPECT_TRUE((node < 100 ? of_group : spare).insert(node).second) << "a node twice in a group";
            if (node < 100) weight[static_cast<std::size_t>(node)] = lanes.weight[static_cast<std::size_t>(s)][lane];
          }
          if (contact < 0) continue;
          EXPECT_TRUE(seen.insert(contact).second);
          EXPECT_EQ(lanes.place_of(static_cast<std::size_t>(contact)), ContactLanes::lanes * g + lane);
          for (const ContactNode& n : list.nodes_of(list.contacts[static_cast<std::size_t>(contact)]))
            expected[static_cast<std::size_t>(first[static_cast<std::size_t>(n.body)] + n.node)] += n.weight;
          expected[7] = expected[50] = 0;
          EXPECT_EQ(weight, expected);
        }
        of_task.insert(of_group.begin(), of_group.end());
      }
      for (const std::int32_t node : of_task) EXPECT_TRUE(of_phase.insert(node).second) << "two tasks at one node";
    }
  }
  EXPECT_EQ(seen.size(), 700u);
  EXPECT_EQ(static_cast<std::int32_t>(spare.size()), lanes.spare_nodes());
}

TEST(ContactBlocks, GatherPiecesThatTouchEachOther) {
  // A row of 1,000 pieces of 27 nodes, each in contact with the next, numbered to and fro; and a large piece.
  const int pieces = 1000, nodes = 27, large = 10000;
  std::vector<std::int32_t> starts, first{0, pieces * nodes, pieces * nodes + large};
  for (int p = 0; p <= pieces; ++p) starts.push_back(p * nodes);
  starts.push_back(starts.back() + large);
  const auto piece = [](int k) { return k % 2 == 0 ? k / 2 : 999 - k / 2; };
  ContactList list;
  for (int k = 0; k + 1 < pieces; ++k) {
    list.add({0, 0, 1}, 0.5);
    list.touch(0, nodes * piece(k), 1), list.touch(0, nodes * piece(k + 1), -1);
  }
  const std::vector<std::int32_t> block = contact_blocks(list, first, starts);
  std::map<std::int32_t, int> size;
  for (const std::int32_t b : block) ++size[b];
  for (const auto& [b, count] : size) EXPECT_LE(count, 2048) << b;
  EXPECT_LT(size.size(), 24u);
  int within = 0;
  for (int k = 0; k + 1 < pieces; ++k)
    within +=
        block[static_cast<std::size_t>(nodes * piece(k))] == block[static_cast<std::size_t>(nodes * piece(k + 1))];
  EXPECT_GT(within, 970);
  for (int p = 0; p < pieces; ++p)
    for (int i = 0; i < nodes; ++i)
      EXPECT_EQ(block[static_cast<std::size_t>(p * nodes + i)], block[static_cast<std::size_t>(p * nodes)]);
}

TEST(LocalCoulomb, SolvesAnisotropicContacts) {
  Random random(10, 0);
  int slides = 0;
  for (int k = 0; k < 500; ++k) {
    Eigen::Matrix3d root;
    for (int i = 0; i < 9; ++i) root(i / 3, i % 3) = random.uniform(-1, 1);
    Eigen::Matrix3d w = root * root.transpose() + 0.01 * Eigen::Matrix3d::Identity();
    Mat3d m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = w(i / 3, i % 3);
    NodeContact c;
    c.normal = {1, 0, 0}, c.friction = random.uniform(0, 1.5);
    const Vec3d b = random_vector(random);
    c.impulse = local_coulomb(m, b, c.friction);
    const Vec3d u = m * c.impulse + b;
    EXPECT_LT(law_violation(c, u, 1), 1e-9) << k;
    slides += c.impulse.x > 0 && std::hypot(u.y, u.z) > 1e-9;
  }
  EXPECT_GT(slides, 100);
}

}  // namespace
}  // namespace ymir
