#include "ymir/solvers/block_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "linear_problems.h"
#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/minimum_separator.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

struct Mesh {
  std::string name;
  std::int32_t nodes;
  std::vector<std::int32_t> elements;
  int nodes_each;
};

Mesh lattice(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  Mesh mesh{"lattice " + std::to_string(nx) + "x" + std::to_string(ny) + "x" + std::to_string(nz), nx * ny * nz, {}, 8};
  for (std::int32_t z = 0; z + 1 < nz; ++z)
    for (std::int32_t y = 0; y + 1 < ny; ++y)
      for (std::int32_t x = 0; x + 1 < nx; ++x)
        for (std::int32_t k = 0; k < 8; ++k)
          mesh.elements.push_back(x + (k & 1) + nx * (y + (k >> 1 & 1) + ny * (z + (k >> 2))));
  return mesh;
}

Mesh chain(std::int32_t nodes) {
  Mesh mesh{"chain", nodes, {}, 2};
  for (std::int32_t i = 0; i + 1 < nodes; ++i) mesh.elements.insert(mesh.elements.end(), {i, i + 1});
  return mesh;
}

Mesh star(std::int32_t nodes) {
  Mesh mesh{"star", nodes, {}, 2};
  for (std::int32_t i = 1; i < nodes; ++i) mesh.elements.insert(mesh.elements.end(), {0, i});
  return mesh;
}

Mesh random_graph(std::int32_t nodes, std::int32_t edges, std::uint64_t seed) {
  Mesh mesh{"random graph", nodes, {}, 2};
  Random random(seed, 2);
  for (std::int32_t k = 0; k < 2 * edges; ++k)
    mesh.elements.push_back(static_cast<std::int32_t>(random.uniform() * nodes));
  return mesh;
}

// Two lattices, a chain and nodes that nothing holds.
Mesh islands() {
  Mesh mesh = lattice(7, 7, 7);
  mesh.name = "islands";
  const std::size_t cells = mesh.elements.size();
  for (std::size_t k = 0; k < cells; ++k) mesh.elements.push_back(mesh.elements[k] + 400);
  mesh.nodes = 800;
  return mesh;
}

std::vector<Mesh> meshes() {
  return {lattice(6, 6, 6),
          lattice(13, 11, 9),
          lattice(40, 40, 1),
          lattice(5, 4, 60),
          chain(700),
          chain(2),
          star(500),
          random_graph(400, 900, 3),
          random_graph(60, 900, 4),
          islands(),
          {"one node", 1, {}, 2}};
}

// Random couplings, definite: each block C of a pair adds sqrt(C C') and sqrt(C' C) at most to the diagonals.
BlockMatrix definite_matrix(const Mesh& mesh, std::uint64_t seed) {
  const BlockMatrix::Elements list[] = {{mesh.elements, mesh.nodes_each}};
  BlockMatrix a(mesh.nodes, list);
  Random random(seed, 7);
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (std::int32_t s = a.starts()[at(j)]; s < a.starts()[at(j) + 1]; ++s) {
      const std::int32_t i = a.rows()[at(s)];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const double value = random.uniform(-1, 1);
          if (i == j) {
            if (r <= c) {
              a.block(s)[3 * r + c] += value;
              if (r < c) a.block(s)[3 * c + r] += value;
            }
            continue;
          }
          a.block(s)[3 * r + c] = value;
          a.diagonal(i)[4 * r] += std::abs(value);
          a.diagonal(j)[4 * c] += std::abs(value);
        }
      if (i == j)
        for (int r = 0; r < 3; ++r) a.block(s)[4 * r] += 3.1;
    }
  return a;
}

Eigen::MatrixXd dense(const BlockMatrix& a) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3 * a.nodes(), 3 * a.nodes());
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (std::int32_t s = a.starts()[at(j)]; s < a.starts()[at(j) + 1]; ++s)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const std::int32_t i = a.rows()[at(s)];
          m(3 * i + r, 3 * j + c) = m(3 * j + c, 3 * i + r) = a.block(s)[3 * r + c];
        }
  return m;
}

// |A x - b| / (|A| |x|), of largest entries; |A| by the largest diagonal, which it exceeds.
double backward_error(const BlockMatrix& a, const double* x, const double* b) {
  std::vector<double> y(3 * at(a.nodes()));
  a.multiply(x, y.data());
  double residual = 0, size = 0, norm = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    residual = std::max(residual, std::abs(y[i] - b[i]));
    size = std::max(size, std::abs(x[i]));
    norm = std::max(norm, a.diagonal(static_cast<std::int32_t>(i / 3))[4 * (i % 3)]);
  }
  return residual / (norm * size);
}

Graph grid_graph(std::int32_t side) {
  const Mesh mesh = lattice(side, side, side);
  const BlockMatrix::Elements list[] = {{mesh.elements, 8}};
  const BlockMatrix a(mesh.nodes, list);
  std::vector<std::vector<std::int32_t>> of(at(mesh.nodes));
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (std::int32_t s = a.starts()[at(j)] + 1; s < a.starts()[at(j) + 1]; ++s) {
      of[at(j)].push_back(a.rows()[at(s)]);
      of[at(a.rows()[at(s)])].push_back(j);
    }
  Graph graph;
  for (const auto& list_of : of) {
    graph.neighbours.insert(graph.neighbours.end(), list_of.begin(), list_of.end());
    graph.starts.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
  }
  return graph;
}

class BlockCholeskyTest : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(0); }
};

TEST_F(BlockCholeskyTest, SolvesEveryMesh) {
  for (const Mesh& mesh : meshes()) {
    const BlockMatrix a = definite_matrix(mesh, 11);
    BlockCholesky cholesky;
    cholesky.analyze(a);
    ASSERT_TRUE(cholesky.factor(a)) << mesh.name;
    EXPECT_EQ(cholesky.bad_node(), -1);
    const std::vector<double> b = random_values(3 * at(mesh.nodes), 12);
    std::vector<double> x(b.size());
    cholesky.solve(b.data(), x.data());
    EXPECT_LT(backward_error(a, x.data(), b.data()), 2e-15) << mesh.name;
    std::vector<double> in_place = b;
    cholesky.solve(in_place.data(), in_place.data());
    EXPECT_EQ(in_place, x) << mesh.name;
  }
}

TEST_F(BlockCholeskyTest, EqualsTheDenseSolution) {
  const BlockMatrix a = definite_matrix(lattice(5, 6, 7), 31);
  const Eigen::MatrixXd m = dense(a);
  BlockCholesky cholesky;
  cholesky.analyze(a);
  ASSERT_TRUE(cholesky.factor(a));
  const std::vector<double> b = random_values(3 * at(a.nodes()), 32);
  std::vector<double> x(b.size());
  cholesky.solve(b.data(), x.data());
  const Eigen::VectorXd exact = m.llt().solve(Eigen::Map<const Eigen::VectorXd>(b.data(), m.rows()));
  EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x.data(), m.rows()) - exact).norm(), 1e-13 * exact.norm());
}

TEST_F(BlockCholeskyTest, SolvesSeveralRightSides) {
  const BlockMatrix a = definite_matrix(lattice(9, 8, 7), 13);
  const std::size_t n = 3 * at(a.nodes());
  BlockCholesky cholesky;
  cholesky.analyze(a);
  ASSERT_TRUE(cholesky.factor(a));
  for (const int count : {1, 2, 3, 4, 5, 11}) {
    const std::vector<double> b = random_values(n * at(count), 14);
    std::vector<double> x(b.size());
    cholesky.solve(b.data(), x.data(), count);
    for (int k = 0; k < count; ++k)
      EXPECT_LT(backward_error(a, x.data() + n * at(k), b.data() + n * at(k)), 2e-15) << k << " of " << count;
  }
}

TEST_F(BlockCholeskyTest, FactorsNewValuesWithTheOldAnalysis) {
  const Mesh mesh = lattice(10, 10, 6);
  BlockMatrix a = definite_matrix(mesh, 15);
  const std::vector<double> b = random_values(3 * at(mesh.nodes), 16);
  BlockCholesky cholesky;
  cholesky.analyze(a);
  std::vector<double> x(b.size()), fresh(b.size());
  for (const std::uint64_t seed : {21, 22, 23}) {
    BlockMatrix broken = definite_matrix(mesh, seed);
    broken.diagonal(77)[4] = -1;
    EXPECT_FALSE(cholesky.factor(broken));
    EXPECT_THROW(cholesky.solve(b.data(), x.data()), CheckFailed);
    a = definite_matrix(mesh, seed);
    ASSERT_TRUE(cholesky.factor(a));
    cholesky.solve(b.data(), x.data());
    BlockCholesky another;
    another.analyze(a);
    ASSERT_TRUE(another.factor(a));
    another.solve(b.data(), fresh.data());
    EXPECT_EQ(x, fresh);
  }
}

TEST_F(BlockCholeskyTest, RefusesExactlyTheMatricesWithANegativeEigenvalue) {
  int refused = 0;
  for (const Mesh& mesh : {lattice(4, 4, 4), random_graph(40, 80, 5), chain(30), star(30)}) {
    BlockMatrix a = definite_matrix(mesh, 17);
    BlockCholesky cholesky;
    cholesky.analyze(a);
    const double smallest = dense(a).selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
    ASSERT_GT(smallest, 0);
    // Shifts to either side of the smallest eigenvalue.
    for (const double shift : {0.0, 0.5, 1 - 1e-10, 1 + 1e-10, 1.5, 3.0}) {
      BlockMatrix shifted = a;
      for (std::int32_t j = 0; j < a.nodes(); ++j)
        for (int r = 0; r < 3; ++r) shifted.diagonal(j)[4 * r] -= shift * smallest;
      const Eigen::LDLT<Eigen::MatrixXd> ldlt(dense(shifted));
      EXPECT_EQ(cholesky.factor(shifted), shift < 1) << mesh.name << ", shift " << shift;
      EXPECT_EQ(ldlt.isPositive(), shift < 1);
      EXPECT_EQ(cholesky.bad_node() >= 0, shift > 1);
      refused += shift > 1;
    }
  }
  EXPECT_EQ(refused, 12);
}

TEST_F(BlockCholeskyTest, NamesTheNodeOfTheBadPivot) {
  // One row that is decoupled from all others is the bad pivot whatever the order.
  for (const Mesh& mesh : {lattice(12, 12, 12), star(40), chain(100)}) {
    const BlockMatrix definite = definite_matrix(mesh, 18);
    BlockCholesky cholesky;
    cholesky.analyze(definite);
    for (const std::int32_t node : {0, 17, 39})
      for (const double bad :
           {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (int row = 0; row < 3; ++row) {
          BlockMatrix a = definite;
          std::vector<std::uint8_t> held(at(mesh.nodes), 0);
          held[at(node)] = 1;
          a.hold(held);
          a.diagonal(node)[4 * row] = bad;
          EXPECT_FALSE(cholesky.factor(a));
          EXPECT_EQ(cholesky.bad_node(), node) << mesh.name << ", row " << row << ", " << bad;
        }
  }
}

TEST_F(BlockCholeskyTest, RefusesWhatIsNotFinite) {
  const Mesh mesh = lattice(7, 7, 7);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    BlockMatrix a = definite_matrix(mesh, 19);
    BlockCholesky cholesky;
    cholesky.analyze(a);
    a.block(a.slot(100, 51))[5] = bad;
    EXPECT_FALSE(cholesky.factor(a));
  }
}

TEST_F(BlockCholeskyTest, GivesTheSameBitsForAnyNumberOfThreads) {
  // Large enough for subtrees of their own, and for fronts that all threads share.
  for (const Mesh& mesh : {lattice(15, 15, 15), lattice(60, 60, 2), islands()}) {
    const BlockMatrix a = definite_matrix(mesh, 24);
    const std::vector<double> b = random_values(2 * 3 * at(mesh.nodes), 25);
    std::vector<double> first;
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      BlockCholesky cholesky;
      cholesky.analyze(a);
      ASSERT_TRUE(cholesky.factor(a));
      std::vector<double> x(b.size());
      cholesky.solve(b.data(), x.data(), 2);
      if (first.empty()) first = x;
      EXPECT_EQ(x, first) << mesh.name << ", " << count << " threads";
    }
  }
}

TEST_F(BlockCholeskyTest, CountsEntriesAndOperations) {
  // A chain of nodes eliminated from its ends has no fill: 6 + 9 entries a node, and none below the last.
  const BlockMatrix a = definite_matrix(chain(50), 26);
  BlockCholesky cholesky;
  cholesky.analyze(a);
  EXPECT_GE(cholesky.factor_entries(), 49 * 15 + 6);
  EXPECT_LT(cholesky.factor_entries(), 2 * (49 * 15 + 6));  // columns are joined
  const BlockMatrix one = definite_matrix({"one node", 1, {}, 2}, 27);
  cholesky.analyze(one);
  EXPECT_EQ(cholesky.factor_entries(), 6);
  EXPECT_EQ(cholesky.flops(), 9 + 4 + 1);
}

TEST_F(BlockCholeskyTest, HandlesAnEmptyMatrix) {
  const BlockMatrix a;
  BlockCholesky cholesky;
  cholesky.analyze(a);
  EXPECT_TRUE(cholesky.factor(a));
  cholesky.solve(nullptr, nullptr);
  EXPECT_EQ(cholesky.factor_entries(), 0);
}

TEST(Supernodes, CountTheColumnsOfTheFactor) {
  const Graph graph = grid_graph(6);
  for (const std::vector<std::int32_t>& order : {nested_dissection(graph), minimum_degree(graph)}) {
    // Elimination by hand gives the entries of the factor.
    const auto n = at(graph.nodes());
    std::vector<std::vector<char>> coupled(n, std::vector<char>(n, 0));
    for (std::int32_t i = 0; i < graph.nodes(); ++i)
      for (const std::int32_t j : graph.of(i)) coupled[at(i)][at(j)] = 1;
    std::vector<char> gone(n, 0);
    std::int64_t entries = 0;
    for (const std::int32_t k : order) {
      gone[at(k)] = 1;
      std::vector<std::size_t> left;
      for (std::size_t i = 0; i < n; ++i)
        if (coupled[at(k)][i] && !gone[i]) left.push_back(i);
      entries += static_cast<std::int64_t>(left.size()) + 1;
      for (const std::size_t i : left)
        for (const std::size_t j : left)
          if (i != j) coupled[i][j] = 1;
    }
    const std::vector<std::int32_t> counts = column_counts(graph, order);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), entries);
  }
}

TEST(MinimumSeparator, FindsTheNarrowestPlace) {
  // Two cubes joined by a neck of 4 x 4 nodes, three layers of which may separate them or any of the layers around.
  const std::int32_t side = 8, length = 24;
  Graph graph;
  std::vector<std::int32_t> name(at(side * side * length), -1), x_of;
  const auto inside = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
    if (x < 0 || y < 0 || z < 0 || x >= length || y >= side || z >= side) return false;
    return x < 10 || x >= 13 || (y >= 2 && y < 6 && z >= 2 && z < 6);
  };
  const auto place = [&](std::int32_t x, std::int32_t y, std::int32_t z) { return at(x + length * (y + side * z)); };
  for (std::int32_t z = 0; z < side; ++z)
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t x = 0; x < length; ++x)
        if (inside(x, y, z)) {
          name[place(x, y, z)] = static_cast<std::int32_t>(x_of.size());
          x_of.push_back(x);
        }
  for (std::int32_t z = 0; z < side; ++z)
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t x = 0; x < length; ++x) {
        if (!inside(x, y, z)) continue;
        for (std::int32_t k = 0; k < 27; ++k) {
          const std::int32_t i = x + k % 3 - 1, j = y + k / 3 % 3 - 1, l = z + k / 9 - 1;
          if (k != 13 && inside(i, j, l)) graph.neighbours.push_back(name[place(i, j, l)]);
        }
        graph.starts.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
      }
  std::vector<std::int8_t> sides(x_of.size());
  for (std::size_t i = 0; i < sides.size(); ++i)
    sides[i] = x_of[i] < 4 ? std::int8_t{0} : x_of[i] < 20 ? std::int8_t{2} : std::int8_t{1};
  const MinimumSeparators found = minimum_separators(graph, sides);
  for (int k = 0; k < 2; ++k) {
    const std::vector<std::int8_t>& of = found.near[k];
    EXPECT_EQ(std::count(of.begin(), of.end(), 2), 16);
    for (std::int32_t i = 0; i < graph.nodes(); ++i) {
      if (of[at(i)] == 2) {
        EXPECT_EQ(x_of[at(i)], k == 0 ? 10 : 12);
      }
      for (const std::int32_t j : graph.of(i)) EXPECT_NE(of[at(i)] + 3 * of[at(j)], 1) << i << ", " << j;
    }
  }
}

TEST(NestedDissection, IsAPermutation) {
  for (const std::int32_t side : {1, 2, 5, 9, 17}) {
    const Graph graph = grid_graph(side);
    std::vector<std::int32_t> order = nested_dissection(graph);
    std::sort(order.begin(), order.end());
    std::vector<std::int32_t> all(at(graph.nodes()));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all) << side;
  }
}

TEST(NestedDissection, FillsLessThanMinimumDegree) {
  const Graph graph = grid_graph(20);
  const auto measure = [&](const std::vector<std::int32_t>& order, double& entries, double& flops) {
    entries = flops = 0;
    for (const std::int32_t nodes : column_counts(graph, order))
      for (int k = 0; k < 3; ++k) {
        entries += 3 * nodes - k;
        flops += (3.0 * nodes - k) * (3.0 * nodes - k);
      }
  };
  double entries[2], flops[2];
  measure(nested_dissection(graph), entries[0], flops[0]);
  measure(minimum_degree(graph), entries[1], flops[1]);
  std::printf("20^3 nodes: dissection %.2f M entries, %.2f GFlop; minimum degree %.2f M, %.2f GFlop\n",
              entries[0] * 1e-6, flops[0] * 1e-9, entries[1] * 1e-6, flops[1] * 1e-9);
  // METIS by CHOLMOD: 12.03 M entries, 10.46 GFlop.
  EXPECT_LT(entries[0], 0.7 * entries[1]);
  EXPECT_LT(flops[0], 0.4 * flops[1]);
}

}  // namespace
}  // namespace ymir
