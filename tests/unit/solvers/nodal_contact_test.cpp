// The splitting against other ways to the same velocities: dense matrices, Gauss-Seidel, laws of mechanics.
#include "ymir/solvers/nodal_contact/nodal_contact.h"

#include <gtest/gtest.h>

#include "nodal_problems.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/nodal_contact/compliance_sweeps.h"
#include "ymir/solvers/nodal_contact/mesh_nodes_body.h"
#include "ymir/solvers/nodal_contact/particles_body.h"
#include "ymir/solvers/nodal_contact/rigid_copies_body.h"

namespace ymir {
namespace {

constexpr double g = 9.81;

// Bodies and contacts that belong together.
struct Scene {
  std::vector<std::unique_ptr<NodalBody>> bodies;
  ContactList list;
  NodalContact solver;

  template <class T>
  T& add(std::unique_ptr<T> body) {
    T& result = *body;
    bodies.push_back(std::move(body));
    return result;
  }
  NodalReport solve(const NodalOptions& options) {
    std::vector<NodalBody*> all;
    for (const auto& b : bodies) all.push_back(b.get());
    solver.begin(all, list);
    return solver.solve(list, options);
  }
  std::vector<Vec3d> velocities() const {
    std::vector<Vec3d> u;
    for (const NodeContact& c : list.contacts) u.push_back(velocity_of(solver, list, c));
    return u;
  }
};

double difference(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, norm(a[i] - b[i]));
  return largest;
}

// Random chains with random contacts between them and with colliders.
Scene random_scene(std::uint64_t seed, int contacts) {
  Random random(seed, 7);
  Scene scene;
  const int chains = 4, nodes = 5;
  for (int b = 0; b < chains; ++b) scene.add(dense_chain(random, nodes, 0.1 + random.uniform(), 200));
  for (int i = 0; i < contacts; ++i) {
    NodeContact& c = scene.list.add(normalized(random_vector(random)), random.uniform(0, 0.8));
    c.free = c.normal * random.uniform(-0.5, 0.2);
    const int a = i % chains, b = (a + 1 + i / chains % (chains - 1)) % chains;
    const auto edge = [&](int body, double sign) {
      const auto k = static_cast<int>(random.uniform(0, nodes - 1));
      const double s = random.uniform();
      scene.list.touch(body, k, sign * (1 - s));
      scene.list.touch(body, k + 1, sign * s);
    };
    edge(a, 1);
    if (i % 3 != 0) edge(b, -1);
  }
  return scene;
}

// Velocities of contacts by dense Delassus matrices and Gauss-Seidel; each contact is solved by many small steps
// r <- Coulomb(r - u/w), w above all eigenvalues of its block.
std::vector<Vec3d> reference(const Scene& scene) {
  const auto n = static_cast<Eigen::Index>(scene.list.contacts.size());
  Eigen::Index dofs = 0;
  std::vector<Eigen::Index> first;
  for (const auto& b : scene.bodies) first.push_back(dofs), dofs += 3 * b->nodes();
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(3 * n, dofs), c = Eigen::MatrixXd::Zero(dofs, dofs);
  Eigen::VectorXd v(dofs), free(3 * n);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& body = dynamic_cast<const DenseBody&>(*scene.bodies[b]);
    c.block(first[b], first[b], 3 * body.nodes(), 3 * body.nodes()) = body.compliance();
    v.segment(first[b], 3 * body.nodes()) = body.velocity();
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const NodeContact& contact = scene.list.contacts[static_cast<std::size_t>(i)];
    for (const ContactNode& node : scene.list.nodes_of(contact))
      for (int k = 0; k < 3; ++k)
        h(3 * i + k, first[static_cast<std::size_t>(node.body)] + 3 * node.node + k) += node.weight;
    for (int k = 0; k < 3; ++k) free[3 * i + k] = contact.free[k];
  }
  const Eigen::MatrixXd w = h * c * h.transpose();
  Eigen::VectorXd r = Eigen::VectorXd::Zero(3 * n), u = h * v + free;
  for (int sweep = 0; sweep < 3000; ++sweep)
    for (Eigen::Index i = 0; i < n; ++i) {
      const NodeContact& contact = scene.list.contacts[static_cast<std::size_t>(i)];
      const Eigen::Matrix3d block = w.block<3, 3>(3 * i, 3 * i);
      const double scale = block.trace();
      const Eigen::Vector3d normal(contact.normal.x, contact.normal.y, contact.normal.z);
      Eigen::Vector3d ri = r.segment<3>(3 * i), before = ri, ui = u.segment<3>(3 * i);
      for (int k = 0; k < 20; ++k) {
        const Eigen::Vector3d s = ri - (ui + block * (ri - before)) / scale;
        const double sn = s.dot(normal);
        const Eigen::Vector3d st = s - sn * normal;
        const double most = contact.friction * sn;
        if (sn <= 0)
          ri.setZero();
        else
          ri = sn * normal + (st.norm() > most ? (st * (most / st.norm())).eval() : st);
      }
      u += w.middleCols<3>(3 * i) * (ri - before);
      r.segment<3>(3 * i) = ri;
    }
  std::vector<Vec3d> result;
  for (Eigen::Index i = 0; i < n; ++i) result.push_back({u[3 * i], u[3 * i + 1], u[3 * i + 2]});
  return result;
}

TEST(NodalContact, FindsTheVelocitiesOfADenseReference) {
  NodalOptions options;
  options.tolerance = 1e-9, options.max_iterations = 5000, options.compliances = false;
  for (const int contacts : {1, 2, 5, 9, 14})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Scene scene = random_scene(seed, contacts);
      const NodalReport report = scene.solve(options);
      ASSERT_EQ(report.status, ContactStatus::solved) << contacts << " " << seed << " " << report.error;
      const std::vector<Vec3d> u = scene.velocities();
      EXPECT_LT(difference(u, reference(scene)), 1e-6) << contacts << " " << seed;
      for (std::size_t i = 0; i < u.size(); ++i) EXPECT_LT(law_violation(scene.list.contacts[i], u[i], 1), 1e-6);
    }
}

TEST(NodalContact, AgreesWithGaussSeidelOnCompliances) {
  NodalOptions splitting, compliances;
  splitting.tolerance = compliances.tolerance = 1e-9;
  splitting.max_iterations = 5000, splitting.compliances = false;
  compliances.max_iterations = 0, compliances.max_sweeps = 20000;
  for (std::uint64_t seed = 10; seed < 14; ++seed) {
    Scene a = random_scene(seed, 12), b = random_scene(seed, 12);
    const NodalReport one = a.solve(splitting), other = b.solve(compliances);
    ASSERT_EQ(one.status, ContactStatus::solved);
    ASSERT_EQ(other.status, ContactStatus::solved) << other.error;
    EXPECT_EQ(other.iterations, 0);
    EXPECT_GT(other.compliance_sweeps, 0);
    EXPECT_LT(difference(a.velocities(), b.velocities()), 1e-7) << seed;
  }
}

TEST(NodalContact, DoesNotRaiseTheEnergyOfBodies) {
  NodalOptions options;
  options.tolerance = 1e-8, options.max_iterations = 5000;
  for (std::uint64_t seed = 20; seed < 28; ++seed) {
    Scene scene = random_scene(seed, 10);
    for (NodeContact& c : scene.list.contacts) c.free = {0, 0, 0};
    ASSERT_EQ(scene.solve(options).status, ContactStatus::solved);
    double before = 0, after = 0;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const auto& body = dynamic_cast<const DenseBody&>(*scene.bodies[b]);
      const Eigen::MatrixXd m = body.compliance().inverse();
      Eigen::VectorXd v(body.velocity().size());
      for (Eigen::Index i = 0; i < v.size(); ++i)
        v[i] = scene.solver.velocities(static_cast<int>(b))[static_cast<std::size_t>(i / 3)][static_cast<int>(i % 3)];
      before += 0.5 * body.velocity().dot(m * body.velocity());
      after += 0.5 * v.dot(m * v);
    }
    double exchanged = 0;
    for (const NodeContact& c : scene.list.contacts) exchanged += norm(c.impulse);
    EXPECT_GT(exchanged, 0.05);
    EXPECT_LT(after, before) << seed;
  }
}

TEST(NodalContact, KeepsTheMomentumOfPairs) {
  Random random(3, 0);
  Scene scene;
  const double mass[2] = {0.3, 0.7};
  for (int b = 0; b < 2; ++b) scene.add(dense_chain(random, 6, mass[b], 1000));
  for (int i = 0; i < 5; ++i) {
    scene.list.add(normalized(Vec3d{0.1 * i, 0.2, 1}), 0.5).free = {0, 0, -2};
    scene.list.touch(0, i, 0.25), scene.list.touch(0, i + 1, 0.75);
    scene.list.touch(1, i, -1);
  }
  Vec3d before{0, 0, 0}, after{0, 0, 0};
  ASSERT_EQ(scene.solve({}).status, ContactStatus::solved);
  double exchanged = 0;
  for (const NodeContact& c : scene.list.contacts) exchanged += norm(c.impulse);
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 3; ++k) {
        const auto& body = dynamic_cast<const DenseBody&>(*scene.bodies[static_cast<std::size_t>(b)]);
        before[k] += mass[b] * body.velocity()[3 * i + k];
        after[k] += mass[b] * scene.solver.velocities(b)[static_cast<std::size_t>(i)][k];
      }
  EXPECT_GT(exchanged, 0.1);
  EXPECT_LT(norm(after - before), 1e-12);
}

// A box of 8 corners under gravity on an incline that is the plane z = 0; its four lower corners touch.
struct Box {
  double mass = 2;
  Vec3d half{0.05, 0.05, 0.025};
  Vec3d inertia() const {
    const Vec3d q{half.x * half.x, half.y * half.y, half.z * half.z};
    return Vec3d{q.y + q.z, q.x + q.z, q.x + q.y} * (mass / 3);
  }
  std::unique_ptr<RigidCopiesBody> body(Vec3d velocity) const {
    auto b = std::make_unique<RigidCopiesBody>(mass, Vec3d{0, 0, 0}, identity3(), half);
    b->set_free(mass, inertia(), velocity, {0, 0, 0});
    return b;
  }
  // Corners of this side: the lower ones (-1) or the upper ones.
  Vec3d corner(int q, double side) const { return {q & 1 ? half.x : -half.x, q & 2 ? half.y : -half.y, side * half.z}; }
};

void touch(ContactList& list, int number, const RigidCopiesBody& body, Vec3d arm, double sign) {
  double weight[RigidCopiesBody::copies];
  body.weights(arm, weight);
  for (int c = 0; c < RigidCopiesBody::copies; ++c) list.touch(number, c, sign * weight[c]);
}

TEST(NodalContact, BoxOnAnInclineSticksAndSlides) {
  const double dt = 0.01;
  const double angle[] = {20, 26, 27, 40}, expected[] = {0, 0, 0.083259801, 2.548298458};  // [m/s^2], mu = 0.5
  for (int i = 0; i < 4; ++i) {
    Scene scene;
    const Box box;
    const double a = angle[i] * M_PI / 180;
    const RigidCopiesBody& body = scene.add(box.body(Vec3d{std::sin(a), 0, -std::cos(a)} * (g * dt)));
    for (int q = 0; q < 4; ++q) {
      scene.list.add({0, 0, 1}, 0.5);
      touch(scene.list, 0, body, box.corner(q, -1), 1);
    }
    NodalOptions options;
    options.tolerance = 1e-10, options.max_iterations = 5000;
    const NodalReport report = scene.solve(options);
    ASSERT_EQ(report.status, ContactStatus::solved) << angle[i] << " " << report.error;
    for (const NodeVector& v : scene.solver.velocities(0)) {
      EXPECT_NEAR(v[0] / dt, expected[i], 1e-7) << angle[i];
      EXPECT_NEAR(v[1], 0, 1e-9);
      EXPECT_NEAR(v[2], 0, 1e-9);
    }
  }
}

// Also under a top that is 1,000 times as heavy as the others.
class Stacks : public testing::TestWithParam<double> {};

TEST_P(Stacks, CarryTheirWeight) {
  const double dt = 1.0 / 96;
  for (const int boxes : {1, 5, 10}) {
    Scene scene;
    const Box box;
    for (int b = 0; b < boxes; ++b) {
      Box one = box;
      one.mass *= b + 1 == boxes ? GetParam() : 1;
      scene.add(one.body({0, 0, -g * dt}));
    }
    for (int b = 0; b < boxes; ++b)
      for (int q = 0; q < 4; ++q) {
        scene.list.add({0, 0, 1}, 0.4);
        touch(scene.list, b, dynamic_cast<RigidCopiesBody&>(*scene.bodies[static_cast<std::size_t>(b)]),
              box.corner(q, -1), 1);
        if (b > 0)
          touch(scene.list, b - 1, dynamic_cast<RigidCopiesBody&>(*scene.bodies[static_cast<std::size_t>(b) - 1]),
                box.corner(q, 1), -1);
      }
    NodalOptions options;
    options.tolerance = 1e-6, options.max_iterations = 4000;
    const NodalReport report = scene.solve(options);
    ASSERT_EQ(report.status, ContactStatus::solved) << boxes << " " << report.error;
    double bottom = 0;
    for (std::size_t i = 0; i < 4; ++i) bottom += scene.list.contacts[i].impulse.z;
    EXPECT_NEAR(bottom / ((boxes - 1 + GetParam()) * box.mass * g * dt), 1, 1e-4) << boxes;
    for (int b = 0; b < boxes; ++b)
      for (const NodeVector& v : scene.solver.velocities(b))
        EXPECT_LT(std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]), 1e-3 * g * dt);
  }
}

INSTANTIATE_TEST_SUITE_P(NodalContact, Stacks, testing::Values(1.0, 1000.0));

TEST(NodalContact, ParticlesAreSolvedExactly) {
  // On a plane that carries them along x, thrown at it: one sticks, one slides, one leaves.
  const std::vector<double> mass{0.2, 0.5, 1};
  const std::vector<Vec3d> velocity{{0.9, 0, -1}, {3, 1, -1}, {0, 0, 0.5}};
  Scene scene;
  scene.add(std::make_unique<ParticlesBody>(mass, velocity));
  for (int i = 0; i < 3; ++i) {
    scene.list.add({0, 0, 1}, 0.3).free = {-1, 0, 0};  // against the velocity of the plane
    scene.list.touch(0, i, 1);
  }
  ASSERT_EQ(scene.solve({}).status, ContactStatus::solved);
  const auto v = scene.solver.velocities(0);
  EXPECT_NEAR(v[0][0], 1, 1e-12);
  EXPECT_NEAR(v[0][2], 0, 1e-12);
  const double slip = std::hypot(2, 1), less = 0.3 / slip;
  EXPECT_NEAR(v[1][0], 1 + 2 * (1 - less), 1e-12);
  EXPECT_NEAR(v[1][1], 1 - less, 1e-12);
  EXPECT_NEAR(v[2][2], 0.5, 1e-12);
  EXPECT_EQ(scene.list.contacts[2].impulse, (Vec3d{0, 0, 0}));
}

TEST(NodalContact, CohesionHoldsUpToItsStrength) {
  const std::vector<double> mass{1, 1, 1, 1};
  // Pulled off below and above 0.5 N s; dragged along with and without cohesion.
  const std::vector<Vec3d> velocity{{0, 0, 0.4}, {0, 0, 0.6}, {0.2, 0, 0}, {0.3, 0, 0}};
  Scene scene;
  scene.add(std::make_unique<ParticlesBody>(mass, velocity));
  for (int i = 0; i < 4; ++i) {
    scene.list.add({0, 0, 1}, 0.5).cohesion = 0.5;
    scene.list.touch(0, i, 1);
  }
  NodalOptions options;
  options.tolerance = 1e-12;
  ASSERT_EQ(scene.solve(options).status, ContactStatus::solved);
  const auto v = scene.solver.velocities(0);
  EXPECT_NEAR(v[0][2], 0, 1e-12);
  EXPECT_NEAR(scene.list.contacts[0].impulse.z, -0.4, 1e-12);
  EXPECT_NEAR(v[1][2], 0.1, 1e-12);
  EXPECT_NEAR(scene.list.contacts[1].impulse.z, -0.5, 1e-12);
  EXPECT_NEAR(v[2][0], 0, 1e-12);     // mu c = 0.25 holds 0.2
  EXPECT_NEAR(v[3][0], 0.05, 1e-12);  // but not 0.3
}

// Cloth of springs, a sparse matrix.
std::unique_ptr<MeshNodesBody> cloth(Random& random, int n, double mass, double stiffness, Vec3d velocity) {
  std::vector<std::int32_t> cells;
  const auto id = [n](int i, int j) { return j * n + i; };
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i + 1 < n; ++i)
      for (const int node : {id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1)}) cells.push_back(node);
  const BlockMatrix::Elements elements[] = {{cells, 4}};
  BlockMatrix m(n * n, elements);
  m.clear();
  std::vector<double> f;
  for (int i = 0; i < n * n; ++i) {
    const Vec3d v = velocity + random_vector(random, 0.1);
    for (int k = 0; k < 3; ++k) m.diagonal(i)[4 * k] += mass, f.push_back(mass * v[k]);
  }
  const auto spring = [&](int a, int b, Vec3d d) {
    for (int p = 0; p < 3; ++p)
      for (int q = 0; q < 3; ++q) {
        const double k = mass * stiffness * (d[p] * d[q] + (p == q ? 0.01 : 0));
        m.diagonal(a)[3 * p + q] += k, m.diagonal(b)[3 * p + q] += k;
        m.block(m.slot(std::max(a, b), std::min(a, b)))[3 * p + q] -= k;
      }
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      if (i + 1 < n) spring(id(i, j), id(i + 1, j), {1, 0, 0});
      if (j + 1 < n) spring(id(i, j), id(i, j + 1), {0, 1, 0});
    }
  auto body = std::make_unique<MeshNodesBody>(std::vector<double>(static_cast<std::size_t>(n * n), mass));
  EXPECT_TRUE(body->set(m, f));
  return body;
}

// Strands on cloth under a box, and sand on the box.
Scene mixed_scene() {
  Random random(11, 0);
  Scene scene;
  const int n = 8, vertices = 9;
  scene.add(cloth(random, n, 0.01, 500, {0, 0, 0}));
  const auto& strands = scene.add(band_chains(random, vertices, 0.002, 5000, {0.2, 0, -0.3}));
  const Box box{0.5, {0.1, 0.1, 0.05}};
  const RigidCopiesBody& lid = scene.add(box.body({0.3, 0.1, -1}));
  const std::vector<double> mass(4, 0.02);
  const std::vector<Vec3d> falling(4, {0.5, 0, -2});
  scene.add(std::make_unique<ParticlesBody>(mass, falling));
  for (int lane = 0; lane < 4; ++lane)
    for (int i = 2; i + 1 < vertices; ++i) {
      const double s = random.uniform();
      scene.list.add(normalized(Vec3d{0.1, -0.1, 1} + random_vector(random, 0.1)), 0.4);
      scene.list.touch(1, strands.node(lane, i), 1 - s), scene.list.touch(1, strands.node(lane, i + 1), s);
      const int cell = 2 * lane + n * (i - 2);
      scene.list.touch(0, cell, -0.3), scene.list.touch(0, cell + 1, -0.3), scene.list.touch(0, cell + n, -0.4);
      scene.list.add({0, 0, 1}, 0.4);
      touch(scene.list, 2, lid, {0.02 * lane - 0.03, 0.02 * i - 0.1, -box.half.z}, 1);
      scene.list.touch(1, strands.node(lane, i), s - 1), scene.list.touch(1, strands.node(lane, i + 1), -s);
    }
  for (int i = 0; i < 4; ++i) {
    scene.list.add({0, 0, 1}, 0.6);
    scene.list.touch(3, i, 1);
    touch(scene.list, 2, lid, {0.03 * i - 0.05, 0.01, box.half.z}, -1);
  }
  return scene;
}

TEST(NodalContact, SolvesMixedBodiesAsGaussSeidelDoes) {
  Scene a = mixed_scene(), b = mixed_scene();
  NodalOptions splitting, compliances;
  splitting.tolerance = compliances.tolerance = 1e-8;
  splitting.max_iterations = 5000, splitting.compliances = false;
  compliances.max_iterations = 0, compliances.max_sweeps = 50000;
  const NodalReport one = a.solve(splitting), other = b.solve(compliances);
  ASSERT_EQ(one.status, ContactStatus::solved) << one.error << " after " << one.iterations;
  ASSERT_EQ(other.status, ContactStatus::solved) << other.error << " after " << other.compliance_sweeps;
  const std::vector<Vec3d> u = a.velocities();
  EXPECT_LT(difference(u, b.velocities()), 1e-6);
  int closed = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    EXPECT_LT(law_violation(a.list.contacts[i], u[i], 1), 1e-6);
    closed += dot(a.list.contacts[i].normal, a.list.contacts[i].impulse) > 0;
  }
  EXPECT_GT(closed, 10);
}

// Strands in rows and columns, pressed towards the middle, each in contact with its neighbours.
Scene jam(int side, int contacts, std::uint64_t seed, double bending = 3) {
  Random random(seed, 1);
  Scene scene;
  const int strands = side * side, vertices = 27;
  const auto place = [side](int s) { return Vec3d{double(s % side), double(s / side), 0}; };
  const Vec3d middle = Vec3d{1, 1, 0} * (0.5 * (side - 1));
  for (int s = 0; s < strands; s += 4)
    scene.add(band_chains(random, vertices, 5e-8, 1e5, (middle - place(s)) * (1.0 / side), bending));
  const auto& first = dynamic_cast<BandBody<4, 10>&>(*scene.bodies[0]);
  while (static_cast<int>(scene.list.contacts.size()) < contacts) {
    const auto a = static_cast<int>(random.uniform(0, strands)), way = static_cast<int>(random.uniform(0, 3));
    const int step[] = {1, side, side + 1}, b = a + step[way];
    if (b >= strands || (way != 1 && a % side + 1 == side)) continue;
    const int ia = 2 + static_cast<int>(random.uniform(0, vertices - 3));
    const int ib = std::clamp(ia + static_cast<int>(random.uniform(-1, 2)), 2, vertices - 2);
    const double s = random.uniform(), t = random.uniform();
    scene.list.add(normalized(normalized(place(a) - place(b)) + random_vector(random, 0.3)), 0.3);
    scene.list.touch(a / 4, first.node(a % 4, ia), 1 - s), scene.list.touch(a / 4, first.node(a % 4, ia + 1), s);
    scene.list.touch(b / 4, first.node(b % 4, ib), t - 1), scene.list.touch(b / 4, first.node(b % 4, ib + 1), -t);
  }
  return scene;
}

TEST(NodalContact, SolvesADenseJamOf64Rods) {
  Scene scene = jam(8, 6400, 5);
  NodalOptions options;
  options.compliances = false;
  const NodalReport report = scene.solve(options);
  EXPECT_EQ(report.status, ContactStatus::solved) << report.error << " after " << report.iterations;
  EXPECT_LT(report.error, 1e-4);
  EXPECT_LT(report.iterations, 400);
  // Solved: a second call finds nothing to do.
  EXPECT_EQ(scene.solver.solve(scene.list, options).iterations, 0);
}

// D follows how strands answer, not their masses alone; dt^2 B/(m l^3), of bending: for fewest iterations a mass would
// have to be another multiple of m in each of these.
TEST(NodalContact, SlackAndStiffStrandsAreSolvedWithoutAdaptation) {
  NodalOptions options;
  options.compliances = options.adapt = false;
  struct Case {
    double bending;
    int iterations;
  };
  for (const Case c : {Case{3e-3, 50}, Case{3e-2, 50}, Case{3, 60}, Case{300, 150}}) {
    Scene scene = jam(8, 1600, 5, c.bending);
    const NodalReport report = scene.solve(options);
    EXPECT_EQ(report.status, ContactStatus::solved) << report.error;
    EXPECT_LE(report.iterations, c.iterations) << c.bending;
  }
}

TEST(NodalContact, GivesTheSameBitsOnAnyNumberOfThreads) {
  const int before = threads();
  std::vector<NodeContact> results[3];
  for (int t = 1; t <= 3; ++t) {
    set_threads(t);
    Scene scene = jam(16, 12000, 9);
    const std::vector<double> mass(2000, 1);
    const std::vector<Vec3d> velocity(mass.size(), {1, 0, -2});
    const auto sand = static_cast<int>(scene.bodies.size());
    scene.add(std::make_unique<ParticlesBody>(mass, velocity));
    for (int i = 0; i < 2000; ++i) {
      scene.list.add(normalized(Vec3d{0.001 * i, 0, 1}), 0.2);
      scene.list.touch(sand, i, 1);
    }
    NodalOptions options;
    options.max_iterations = 10, options.compliances = false;
    scene.solve(options);
    const ContactLanes& lanes = scene.solver.contacts();
    ASSERT_GT(lanes.first_task(1), 2) << "nothing for threads to share";
    ASSERT_GT(lanes.first_group(lanes.first_task(1)), 512) << "too little for threads to be woken";
    results[t - 1] = scene.list.contacts;
  }
  set_threads(before);
  for (int t = 1; t < 3; ++t)
    for (std::size_t i = 0; i < results[0].size(); ++i) ASSERT_EQ(results[t][i].impulse, results[0][i].impulse) << i;
}

// W = dd', d = (0.1, 1, 0): what friction does pulls the contact in, and no impulse holds it.
Scene wedge(double mu) {
  Scene scene;
  const Eigen::VectorXd d = (Eigen::VectorXd(3) << 1, 0, 0.1).finished();  // x, y along, z across the contact
  scene.add(std::make_unique<DenseBody>(d * d.transpose(), Eigen::VectorXd::Zero(3), std::vector<double>{0.6}));
  scene.list.add({0, 0, 1}, mu).free = {0, 0, -1};
  scene.list.touch(0, 0, 1);
  return scene;
}

TEST(NodalContact, ReportsThatThereIsNoSolution) {
  Scene scene = wedge(0.5);
  const NodalReport report = scene.solve({});
  EXPECT_EQ(report.status, ContactStatus::diverging);
  EXPECT_GT(report.error, 0.1);
  ASSERT_EQ(report.worst, std::vector<std::int32_t>{0});
  // Not handed on.
  EXPECT_TRUE(is_finite(scene.list.contacts[0].impulse));
  EXPECT_LT(norm(scene.list.contacts[0].impulse), 100);

  Scene mild = wedge(0.05);
  NodalOptions options;
  options.tolerance = 1e-10, options.max_iterations = 20000;
  EXPECT_EQ(mild.solve(options).status, ContactStatus::solved);
  EXPECT_NEAR(mild.list.contacts[0].impulse.z, 200, 1e-3);
}

TEST(NodalContact, IsNotUpsetByWhatIsNotANumber) {
  Random random(1, 2);
  Scene scene;
  scene.add(std::make_unique<DenseBody>(Eigen::MatrixXd::Identity(3, 3), Eigen::VectorXd::Constant(3, std::nan("")),
                                        std::vector<double>{1}));
  scene.list.add({0, 0, 1}, 0.5).impulse = {0, 0, 3};
  scene.list.touch(0, 0, 1);
  EXPECT_EQ(scene.solve({}).status, ContactStatus::failed);
  EXPECT_EQ(scene.list.contacts[0].impulse, (Vec3d{0, 0, 0}));
  // A guess that is none.
  Scene guess = random_scene(2, 5);
  for (NodeContact& c : guess.list.contacts) c.impulse = {std::nan(""), 1, 1};
  EXPECT_EQ(guess.solve({}).status, ContactStatus::solved);
  for (const NodeContact& c : guess.list.contacts) EXPECT_TRUE(is_finite(c.impulse));
}

TEST(NodalContact, ColliderAgainstGivenNodesIsLeftAlone) {
  Random random(4, 4);
  Scene scene;
  const auto& strands = scene.add(band_chains(random, 6, 1e-3, 100, {0, 0, -1}));
  scene.list.add({0, 0, 1}, 0.5).free = {0, 0, -1};
  scene.list.touch(0, strands.node(0, 0), 1);  // held
  scene.list.add({0, 0, 1}, 0.5);
  scene.list.touch(0, strands.node(0, 4), 1);
  ASSERT_EQ(scene.solve({}).status, ContactStatus::solved);
  EXPECT_EQ(scene.list.contacts[0].impulse, (Vec3d{0, 0, 0}));
  EXPECT_GT(scene.list.contacts[1].impulse.z, 0);
}

}  // namespace
}  // namespace ymir
