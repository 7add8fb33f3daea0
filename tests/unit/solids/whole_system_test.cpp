// The system of a cluster with a large part that is iterated, against the same system factored.
#include "ymir/solids/whole_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "ymir/base/random.h"

namespace ymir {
namespace {

// A chain of nodes with springs between neighbours and mass, as matrix of a part.
class Chain final : public MatrixPart, public LargeMatrix {
 public:
  Chain(std::int32_t nodes, double spring, double mass, bool large) : large_(large) {
    std::vector<std::int32_t> pairs;
    for (std::int32_t i = 0; i + 1 < nodes; ++i) pairs.insert(pairs.end(), {i, i + 1});
    const BlockMatrix::Elements elements{pairs, 2};
    matrix_ = BlockMatrix(nodes, {&elements, 1});
    matrix_.clear();
    for (std::int32_t i = 0; i < nodes; ++i)
      for (int k = 0; k < 3; ++k) matrix_.diagonal(i)[4 * k] += mass;
    for (std::int32_t i = 0; i + 1 < nodes; ++i)
      for (int k = 0; k < 3; ++k) {
        matrix_.diagonal(i)[4 * k] += spring;
        matrix_.diagonal(i + 1)[4 * k] += spring;
        matrix_.block(matrix_.slot(i + 1, i))[4 * k] -= spring;
      }
  }
  std::size_t size() const override { return 3 * static_cast<std::size_t>(matrix_.nodes()); }
  std::int32_t nodes() const override { return matrix_.nodes(); }
  void visit_blocks(const BlockVisitor& visit) const override {
    for (std::int32_t j = 0; j < matrix_.nodes(); ++j)
      for (auto e = matrix_.starts()[static_cast<std::size_t>(j)];
           e < matrix_.starts()[static_cast<std::size_t>(j) + 1]; ++e)
        visit(matrix_.rows()[static_cast<std::size_t>(e)], j, matrix_.block(e));
  }
  bool indefinite() const override { return false; }
  LargeMatrix* large() const override { return large_ ? const_cast<Chain*>(this) : nullptr; }

  bool refresh() override { return true; }
  CgReport solve(std::span<const double> b, std::span<double> x, std::span<const std::int32_t> nodes,
                 const Addition& addition) override {
    std::vector<double> at(3 * nodes.size()), added(at.size()), inverse;
    for (std::size_t i = 0; i < size(); ++i) inverse.push_back(diagonal(i));
    std::fill(x.begin(), x.end(), 0.0);
    CgWorkspace workspace;
    return conjugate_gradient(
        [&](std::span<const double> p, std::span<double> q) {
          matrix_.multiply(p.data(), q.data());
          for (std::size_t k = 0; k < at.size(); ++k) at[k] = p[3 * static_cast<std::size_t>(nodes[k / 3]) + k % 3];
          addition(at, added);
          for (std::size_t k = 0; k < at.size(); ++k) q[3 * static_cast<std::size_t>(nodes[k / 3]) + k % 3] += added[k];
        },
        JacobiPreconditioner{inverse}, b, x, workspace, CgOptions{1e-10, 0, failing ? 2 : 2000});
  }
  void multiply(std::span<const double> x, std::span<double> y) override { matrix_.multiply(x.data(), y.data()); }
  double diagonal(std::size_t row) const override {
    return matrix_.diagonal(static_cast<std::int32_t>(row / 3))[4 * (row % 3)];
  }
  bool factorable() const override { return true; }

  bool failing = false;

 private:
  BlockMatrix matrix_;
  bool large_;
};

// Two light chains hang on a heavy one, one by exact rows and one softly, and a row holds two nodes of the heavy one
// together; gaps are open everywhere.
struct Problem {
  std::vector<std::unique_ptr<Chain>> chains;
  std::vector<WholeSystem::Part> parts;
  std::vector<WholeSystem::Coupled> coupled;
  std::vector<double> b;

  explicit Problem(bool large) {
    Random random(7, 0);
    add(5, 20, 0.1, false);
    add(4, 1e3, 1e-3, false);
    add(40, 500, 3, large);
    for (std::size_t i = 0; i < 3 * 49; ++i) b.push_back(random.uniform(-1, 1));
    tie(random, 0, 9 + 17, 3, true);
    tie(random, 8, 9 + 18, 3, false);
    tie(random, 9 + 3, 9 + 30, 3, true);
    tie(random, 4, 5, 2, true);
  }
  void add(std::int32_t nodes, double spring, double mass, bool large) {
    const std::int32_t first = parts.empty() ? 0 : parts.back().first_node + parts.back().matrix->nodes();
    chains.push_back(std::make_unique<Chain>(nodes, spring, mass, large));
    parts.push_back({chains.back().get(), first});
  }
  void tie(Random& random, std::int32_t a, std::int32_t c, int rows, bool hard) {
    WholeSystem::Coupled& e = coupled.emplace_back();
    for (const std::int32_t node : {a, c})
      for (int k = 0; k < 3; ++k) e.slots.push_back(3 * node + k);
    e.rows = rows;
    e.hard = hard ? rows : 0;
    for (int i = 0; i < 6 * rows; ++i) e.j.push_back(random.uniform(-1, 1));
    e.stiffness.assign(static_cast<std::size_t>(rows), 40);
    for (int r = 0; r < e.hard; ++r) e.gap.push_back(random.uniform(-0.01, 0.01));
  }
  // Largest of what is left of A x + J' change - b and J x + gap.
  double left(std::span<const double> x) const {
    std::vector<double> r(b), product(b.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto at = 3 * static_cast<std::size_t>(parts[p].first_node);
      chains[p]->multiply(x.subspan(at, chains[p]->size()), std::span(product).subspan(at, chains[p]->size()));
    }
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= product[i];
    double most = 0;
    for (const WholeSystem::Coupled& c : coupled)
      for (int row = 0; row < c.rows; ++row) {
        double along = 0;
        const double* j = c.j.data() + 6 * row;
        for (std::size_t p = 0; p < 6; ++p) along += j[p] * x[static_cast<std::size_t>(c.slots[p])];
        const auto k = static_cast<std::size_t>(row);
        const double force = row < c.hard ? c.change[k] : c.stiffness[k] * along;
        for (std::size_t p = 0; p < 6; ++p) r[static_cast<std::size_t>(c.slots[p])] -= force * j[p];
        if (row < c.hard) most = std::max(most, std::fabs(along + c.gap[k]));
      }
    for (const double v : r) most = std::max(most, std::fabs(v));
    return most;
  }
};

TEST(WholeSystem, IteratesItsLargePartToTheSameSolution) {
  std::vector<std::vector<double>> solutions;
  for (const bool large : {false, true}) {
    Problem problem(large);
    WholeSystem system;
    std::vector<double> x(problem.b.size());
    for (int again = 0; again < 2; ++again)  // the second time with the pattern of the first
      ASSERT_EQ(system.solve(problem.parts, problem.coupled, problem.b, x), WholeSystem::Solved::yes);
    EXPECT_EQ(system.factored(), !large);
    EXPECT_EQ(system.cg_iterations() > 0, large);
    EXPECT_LT(problem.left(x), large ? 2e-6 : 1e-11);
    solutions.push_back(x);
  }
  for (std::size_t i = 0; i < solutions[0].size(); ++i) EXPECT_NEAR(solutions[1][i], solutions[0][i], 2e-6);
}

TEST(WholeSystem, FactorsAPartWhoseIterationsFail) {
  Problem problem(true);
  problem.chains.back()->failing = true;
  WholeSystem system;
  std::vector<double> x(problem.b.size());
  ASSERT_EQ(system.solve(problem.parts, problem.coupled, problem.b, x), WholeSystem::Solved::yes);
  EXPECT_TRUE(system.factored());
  EXPECT_LT(problem.left(x), 1e-11);
}

}  // namespace
}  // namespace ymir
