// The arithmetic of T comes first: templates find functions of plain numbers only where they are declared before.
#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"

#include "ymir/solvers/band_lu.h"

#include <gtest/gtest.h>

#include <vector>

#include "ymir/base/random.h"
#include "ymir/solvers/band_ldl.h"

namespace ymir {
namespace {

constexpr auto keep = [](int, const auto& d) { return d; };

// A matrix with the profile of a strand: a definite diagonal, entries above and below that have nothing in common but
// `skew` of them with opposite sign.
template <int Block, int HalfBandwidth>
void expect_solved(int blocks, double skew) {
  constexpr int column = HalfBandwidth + 1;
  const int n = Block * blocks;
  Random random(5, 0);
  const auto size = static_cast<std::size_t>((n + HalfBandwidth) * column);
  std::vector<double> lower(size, 0), upper(size, 0), x(static_cast<std::size_t>(n + HalfBandwidth), 0), b = x;
  for (int j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j * column);
    x[static_cast<std::size_t>(j)] = random.uniform(-1, 1);
    lower[at] = 2 + random.uniform();
    for (int k = 1; k <= HalfBandwidth - j % Block && j + k < n; ++k) {
      const double large = random.uniform(-skew, skew), small = 0.05 * random.uniform(-1, 1);
      lower[at + static_cast<std::size_t>(k)] = large + small;
      upper[at + static_cast<std::size_t>(k)] = -large + small;
    }
  }
  for (int j = 0; j < n; ++j)
    for (int k = 0; k <= HalfBandwidth && j + k < n; ++k) {
      const auto at = static_cast<std::size_t>(j * column + k);
      b[static_cast<std::size_t>(j + k)] += lower[at] * x[static_cast<std::size_t>(j)];
      if (k > 0) b[static_cast<std::size_t>(j)] += upper[at] * x[static_cast<std::size_t>(j + k)];
    }
  using Lu = BandLu<double, Block, HalfBandwidth>;
  Lu::factor(lower.data(), upper.data(), blocks, [](int, double d) {
    EXPECT_GT(d, 0);  // a definite symmetric part gives positive pivots
    return d;
  });
  Lu::solve(lower.data(), upper.data(), b.data(), blocks);
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(b[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(i)], 1e-9 * (1 + skew)) << i;
}

TEST(BandLu, SolvesWhatIsAllButAntisymmetric) {
  for (const int blocks : {1, 2, 3, 31, 64})
    for (const double skew : {0.0, 1.0, 30.0}) {
      expect_solved<4, 10>(blocks, skew);
      expect_solved<5, 12>(blocks, skew);
    }
}

TEST(BandLu, AgreesWithLdlWhereTheMatrixIsSymmetric) {
  constexpr int blocks = 12, column = 11, n = 4 * blocks;
  Random random(6, 0);
  std::vector<double> band((n + 10) * column, 0), b(n + 10, 0);
  for (int j = 0; j < n; ++j) {
    band[static_cast<std::size_t>(j * column)] = 30;
    b[static_cast<std::size_t>(j)] = random.uniform(-1, 1);
    for (int k = 1; k <= 10 - j % 4 && j + k < n; ++k)
      band[static_cast<std::size_t>(j * column + k)] = random.uniform(-1, 1);
  }
  std::vector<double> lower = band, upper = band, x = b;
  BandLu<double, 4, 10>::factor(lower.data(), upper.data(), blocks, keep);
  BandLu<double, 4, 10>::solve(lower.data(), upper.data(), x.data(), blocks);
  BandLdl<double, 4, 10>::factor(band.data(), blocks, keep);
  BandLdl<double, 4, 10>::solve(band.data(), b.data(), blocks);
  for (int j = 0; j < n; ++j) EXPECT_NEAR(x[static_cast<std::size_t>(j)], b[static_cast<std::size_t>(j)], 1e-14);
}

}  // namespace
}  // namespace ymir
