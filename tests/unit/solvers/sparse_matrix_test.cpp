#include "ymir/solvers/sparse_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "linear_problems.h"
#include "ymir/base/check.h"

namespace ymir {
namespace {

TEST(SymmetricMatrix, HasSortedColumnsWithTheDiagonalFirst) {
  const std::vector<Triplet> triplets{{2, 0, 5}, {1, 2, 3}, {0, 0, 1}, {0, 2, 2}, {3, 0, 4}};
  const SymmetricMatrix a(4, triplets);
  EXPECT_EQ(a.size(), 4);
  EXPECT_EQ(std::vector(a.starts().begin(), a.starts().end()), (std::vector<std::int32_t>{0, 3, 5, 6, 7}));
  EXPECT_EQ(std::vector(a.rows().begin(), a.rows().end()), (std::vector<std::int32_t>{0, 2, 3, 1, 2, 2, 3}));
  EXPECT_EQ(std::vector(a.values().begin(), a.values().end()), (std::vector<double>{1, 7, 4, 0, 3, 0, 0}));
  EXPECT_EQ(a.diagonal(0), 1);
  EXPECT_EQ(a.diagonal(3), 0);
}

TEST(SymmetricMatrix, SumsDuplicatesInTheOrderGiven) {
  // In floating point (1e16 + 1) - 1e16 = 0 but (1e16 - 1e16) + 1 = 1.
  const std::vector<Triplet> lost{{1, 0, 1e16}, {0, 1, 1}, {1, 0, -1e16}};
  const std::vector<Triplet> kept{{1, 0, 1e16}, {1, 0, -1e16}, {0, 1, 1}};
  EXPECT_EQ(SymmetricMatrix(2, lost).values()[1], 0);
  EXPECT_EQ(SymmetricMatrix(2, kept).values()[1], 1);
}

TEST(SymmetricMatrix, RefilledEqualsBuiltAnew) {
  Random random(1, 1);
  std::vector<Triplet> triplets;
  for (int k = 0; k < 500; ++k)
    triplets.push_back({static_cast<std::int32_t>(random.uniform() * 40),
                        static_cast<std::int32_t>(random.uniform() * 40), random.uniform(-1, 1)});
  SymmetricMatrix refilled(40, triplets);
  std::vector<double> values;
  for (Triplet& t : triplets) values.push_back(t.value = random.uniform(-1, 1));
  refilled.refill(values);
  const SymmetricMatrix anew(40, triplets);
  EXPECT_TRUE(std::equal(anew.values().begin(), anew.values().end(), refilled.values().begin()));
  EXPECT_THROW(refilled.refill(std::span(values).first(3)), CheckFailed);
}

TEST(SymmetricMatrix, MultipliesLikeTheDenseMatrix) {
  Random random(2, 1);
  constexpr std::int32_t n = 30;
  std::vector<Triplet> triplets;
  std::array<std::array<double, n>, n> dense{};
  for (int k = 0; k < 200; ++k) {
    const auto i = static_cast<std::int32_t>(random.uniform() * n), j = static_cast<std::int32_t>(random.uniform() * n);
    triplets.push_back({i, j, random.uniform(-1, 1)});
    dense[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] += triplets.back().value;
    if (i != j) dense[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] += triplets.back().value;
  }
  const SymmetricMatrix a(n, triplets);
  const std::vector<double> x = random_values(n, 4);
  std::vector<double> y(n, 99), r(n), zero(n, 0);
  a.multiply(x, y);
  for (std::size_t i = 0; i < n; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < n; ++j) expected += dense[i][j] * x[j];
    EXPECT_NEAR(y[i], expected, 1e-13);
  }
  EXPECT_NEAR(a.residual(zero, x, r), norm_of(y), 1e-13);
  EXPECT_EQ(r[7], -y[7]);
}

TEST(SymmetricMatrix, MayBeEmpty) {
  const SymmetricMatrix a(0, {});
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(SymmetricMatrix().size(), 0);
  a.multiply({}, {});
}

TEST(SymmetricMatrix, ChecksIndices) {
  const std::vector<Triplet> below{{0, -1, 1}}, above{{2, 0, 1}};
  EXPECT_THROW(SymmetricMatrix(2, below), CheckFailed);
  EXPECT_THROW(SymmetricMatrix(2, above), CheckFailed);
}

}  // namespace
}  // namespace ymir
