// The arithmetic of T comes first: templates find functions of plain numbers only where they are declared before.
#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"

#include "ymir/solvers/band_ldl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ymir/base/random.h"

namespace ymir {
namespace {

// A random symmetric matrix with the profile of a strand: the columns of one block all end at the same row.
template <int Block, int HalfBandwidth>
struct Problem {
  static constexpr int column = HalfBandwidth + 1;
  int blocks, n;
  std::vector<double> band, x, b;  // b = A x

  // Every `Multiplier`-th unknown of a block has a negative diagonal (none when < 0): a quasi-definite matrix.
  Problem(std::uint64_t seed, int count, int multiplier = -1) : blocks(count), n(Block * count) {
    Random random(seed, 0);
    band.assign(static_cast<std::size_t>((n + HalfBandwidth) * column), 0);
    x.assign(static_cast<std::size_t>(n + HalfBandwidth), 0);
    b = x;
    for (int j = 0; j < n; ++j) {
      x[static_cast<std::size_t>(j)] = random.uniform(-1, 1);
      for (int k = 1; k <= HalfBandwidth - j % Block && j + k < n; ++k) {
        const bool both = multiplier >= 0 && j % Block == multiplier && (j + k) % Block == multiplier;
        at(j, k) = both ? 0 : random.uniform(-1, 1);
      }
      at(j, 0) = (j % Block == multiplier ? -1 : 1) * (2.0 * column + random.uniform());
    }
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= HalfBandwidth && j + k < n; ++k) {
        b[static_cast<std::size_t>(j + k)] += at(j, k) * x[static_cast<std::size_t>(j)];
        if (k > 0) b[static_cast<std::size_t>(j)] += at(j, k) * x[static_cast<std::size_t>(j + k)];
      }
  }
  double& at(int j, int k) { return band[static_cast<std::size_t>(j * column + k)]; }
};

constexpr auto keep = [](int, const auto& d) { return d; };

template <int Block, int HalfBandwidth>
void expect_solved(Problem<Block, HalfBandwidth> p) {
  using Ldl = BandLdl<double, Block, HalfBandwidth>;
  Ldl::factor(p.band.data(), p.blocks, keep);
  Ldl::solve(p.band.data(), p.b.data(), p.blocks);
  for (int i = 0; i < p.n; ++i)
    EXPECT_NEAR(p.b[static_cast<std::size_t>(i)], p.x[static_cast<std::size_t>(i)], 1e-13) << i;
}

TEST(BandLdl, SolvesSystemsOfStrands) {
  for (const int blocks : {1, 2, 3, 4, 31, 64}) {
    expect_solved(Problem<4, 10>(1, blocks));
    expect_solved(Problem<5, 12>(2, blocks));
  }
}

TEST(BandLdl, SolvesQuasiDefiniteSystemsWithOneNegativePivotPerMultiplier) {
  Problem<5, 12> p(3, 20, 3);
  expect_solved(p);
  int negative = 0;
  BandLdl<double, 5, 12>::factor(p.band.data(), p.blocks, [&](int j, double d) {
    EXPECT_EQ(d < 0, j % 5 == 3) << j;
    negative += d < 0 ? 1 : 0;
    return d;
  });
  EXPECT_EQ(negative, 20);
}

TEST(BandLdl, CountsNegativeEigenvaluesByItsPivots) {
  // Diagonally dominant, so every eigenvalue has the sign of its diagonal entry [Gershgorin].
  Problem<4, 10> p(4, 12);
  for (const int j : {0, 7, 8, 30, 47}) p.at(j, 0) = -p.at(j, 0);
  int negative = 0;
  BandLdl<double, 4, 10>::factor(p.band.data(), p.blocks, [&](int, double d) {
    negative += d < 0 ? 1 : 0;
    return d;
  });
  EXPECT_EQ(negative, 5);
}

TEST(BandLdl, GivesTheSameBitsInEveryLane) {
  using Real = Lanes<double, 4>;
  std::vector<Problem<4, 10>> p;
  for (std::uint64_t lane = 0; lane < 4; ++lane) p.emplace_back(10 + lane, 9);
  std::vector<Real> band(p[0].band.size()), b(p[0].b.size());
  for (int lane = 0; lane < 4; ++lane) {
    const auto& from = p[static_cast<std::size_t>(lane)];
    for (std::size_t i = 0; i < band.size(); ++i) band[i].set(lane, from.band[i]);
    for (std::size_t i = 0; i < b.size(); ++i) b[i].set(lane, from.b[i]);
  }
  BandLdl<Real, 4, 10>::factor(band.data(), 9, keep);
  BandLdl<Real, 4, 10>::solve(band.data(), b.data(), 9);
  for (int lane = 0; lane < 4; ++lane) {
    auto& one = p[static_cast<std::size_t>(lane)];
    BandLdl<double, 4, 10>::factor(one.band.data(), 9, keep);
    BandLdl<double, 4, 10>::solve(one.band.data(), one.b.data(), 9);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_EQ(b[i][lane], one.b[i]) << lane << " " << i;
  }
}

TEST(BandLdl, UsesThePivotItIsGiven) {
  Problem<4, 10> p(5, 3), larger = p;
  const double raised = p.at(5, 0) + 1;
  larger.at(5, 0) = raised;
  using Ldl = BandLdl<double, 4, 10>;
  Ldl::factor(larger.band.data(), 3, keep);
  Ldl::factor(p.band.data(), 3, [](int j, double d) { return j == 5 ? d + 1 : d; });
  Ldl::solve(larger.band.data(), larger.b.data(), 3);
  Ldl::solve(p.band.data(), p.b.data(), 3);
  for (std::size_t i = 0; i < p.b.size(); ++i) EXPECT_NEAR(p.b[i], larger.b[i], 1e-14);
}

}  // namespace
}  // namespace ymir
