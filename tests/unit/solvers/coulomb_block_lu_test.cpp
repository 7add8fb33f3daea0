#include "ymir/solvers/coulomb/block_lu.h"

#include <gtest/gtest.h>

#include "coulomb_problems.h"

namespace ymir::coulomb {
namespace {

Block random_block(Random& random) {
  Mat3d m = identity3();
  for (Vec3d& column : m.column)
    column += Vec3d{random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)};
  return block(m);
}

TEST(CoulombBlockLu, SolvesWhatADenseFactorSolves) {
  for (const int contacts : {1, 7, 40}) {
    const System system = scaled_system(RandomBodies(20, 8, contacts, 0.3, 1).problem());
    Random random(2, static_cast<std::uint64_t>(contacts));
    std::vector<Block> a, b;
    for (int i = 0; i < contacts; ++i) {
      a.push_back(random_block(random));
      b.push_back(i % 4 == 3 ? zero_block() : random_block(random));  // some contacts are open
    }
    const double shift = 0.01;
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * contacts, 3 * contacts);
    for (int i = 0; i < contacts; ++i)
      for (std::int64_t k = system.starts[i]; k < system.starts[i + 1]; ++k) {
        const int j = system.columns[k];
        const Mat3d w = plus_diagonal(mat3(system.blocks[k]), i == j ? shift : 0.0);
        Mat3d value = mat3(b[i]) * w;
        if (i == j) value += mat3(a[i]);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) dense(3 * i + r, 3 * j + c) = value(r, c);
      }
    Vector rhs, x(static_cast<std::size_t>(contacts));
    for (int i = 0; i < contacts; ++i) rhs.push_back(lane({random.uniform(), random.uniform(), random.uniform()}));
    BlockLu lu(system);
    ASSERT_TRUE(lu.factor(b, a, shift));
    lu.solve(rhs, x);
    std::vector<Vec3d> right, found;
    for (int i = 0; i < contacts; ++i) {
      right.push_back(vec3(rhs[i]));
      found.push_back(vec3(x[i]));
    }
    const Eigen::VectorXd expected = dense.partialPivLu().solve(flat(right));
    EXPECT_LT((flat(found) - expected).norm(), 1e-9 * expected.norm()) << contacts;
    // In place.
    lu.solve(rhs, rhs);
    for (int i = 0; i < contacts; ++i) EXPECT_EQ(vec3(rhs[i]), vec3(x[i]));
  }
}

TEST(CoulombBlockLu, AChainHasNoFill) {
  const System system = scaled_system(chain_to_wall(100));
  EXPECT_EQ(BlockLu(system).fill(), 2 * 99);
}

TEST(CoulombBlockLu, ASingularPivotIsRefused) {
  const System system = scaled_system(chain_to_wall(3));
  const std::vector<Block> zero(3, zero_block());
  EXPECT_FALSE(BlockLu(system).factor(zero, zero, 0));
}

TEST(CoulombColours, CoupledContactsHaveDifferentColours) {
  const System system = scaled_system(RandomBodies(30, 6, 80, 0.3, 3).problem());
  const Colours colours = colour_contacts(system);
  std::vector<int> colour(80, -1);
  for (std::size_t c = 0; c + 1 < colours.starts.size(); ++c)
    for (std::int32_t k = colours.starts[c]; k < colours.starts[c + 1]; ++k)
      colour[colours.order[k]] = static_cast<int>(c);
  for (std::int32_t i = 0; i < 80; ++i) {
    EXPECT_GE(colour[i], 0);
    for (std::int64_t k = system.starts[i]; k < system.starts[i + 1]; ++k)
      if (system.columns[k] != i) {
        EXPECT_NE(colour[i], colour[system.columns[k]]);
      }
  }
}

TEST(CoulombColours, ACouplingInOneDirectionCounts) {
  const System system = scaled_system(coulomb_problem(
      {{0, 0, identity3()}, {0, 1, identity3() * 0.1}, {1, 1, identity3()}}, {{-1, 0, 0}, {-1, 0, 0}}, {0.3, 0.3}));
  EXPECT_EQ(colour_contacts(system).starts.size(), 3U);
}

}  // namespace
}  // namespace ymir::coulomb
