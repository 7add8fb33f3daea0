// Multipliers within bounds, in a convex problem without structure: the conditions of a solution, for every draw.
#include "ymir/solids/bounded_rows.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "ymir/base/random.h"

namespace ymir {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A = 1, J dense: m rows over n unknowns, as ill-conditioned as `decay` says.
struct Problem {
  Eigen::MatrixXd j;
  Eigen::VectorXd b, d;
  std::vector<CoupledRows> coupled{1};
  BoundedRows rows;

  Problem(int m, int n, double decay, std::uint64_t seed) : j(m, n), b(n) {
    Random random(seed, static_cast<std::uint64_t>(m));
    const auto draw = [&] { return 2 * random.uniform() - 1; };
    CoupledRows& c = coupled[0];
    for (int k = 0; k < n; ++k) {
      c.slots.push_back(k);
      b[k] = draw();
    }
    c.rows = c.hard = c.bounded = m;
    for (int r = 0; r < m; ++r) {
      for (int k = 0; k < n; ++k) j(r, k) = draw() * std::pow(decay, k);
      for (int k = 0; k < n; ++k) c.j.push_back(j(r, k));
      const double most = 0.1 + random.uniform();
      const int kind = r % 3;  // friction, upper limit, lower limit
      c.low.push_back(kind == 0 ? -most : kind == 1 ? 0 : -infinity);
      c.high.push_back(kind == 0 ? most : kind == 1 ? infinity : 0);
      c.gap.push_back(0.3 * draw());
      c.force.push_back(0);
    }
  }
  Solved solve() {
    std::vector<double> own;
    for (Eigen::Index r = 0; r < j.rows(); ++r) own.push_back(j.row(r).squaredNorm());
    rows.begin(coupled, own, std::vector<double>(own.size(), 0.0));
    return rows.settle([&] { return solve_rows(); });
  }
  Solved solve_rows() {
    const Eigen::Index m = j.rows(), n = j.cols();
    Eigen::MatrixXd k = Eigen::MatrixXd::Identity(n + m, n + m);
    Eigen::VectorXd side = Eigen::VectorXd::Zero(n + m);
    side.head(n) = b;
    for (Eigen::Index r = 0; r < m; ++r) {
      const auto at = static_cast<std::size_t>(r);
      if (!std::isfinite(rows.give[at])) {
        side.head(n) -= j.row(r).transpose() * rows.change[at];
        continue;
      }
      k.row(n + r).head(n) = j.row(r);
      k.col(n + r).head(n) = j.row(r).transpose();
      k(n + r, n + r) = -rows.give[at];
      side[n + r] = rows.target[at];
    }
    const Eigen::VectorXd solution = k.fullPivLu().solve(side);
    d = solution.head(n);
    for (Eigen::Index r = 0; r < m; ++r) {
      const auto at = static_cast<std::size_t>(r);
      if (std::isfinite(rows.give[at])) rows.change[at] = solution[n + r];
      rows.moved[at] = j.row(r).dot(d);
    }
    return Solved::yes;
  }
  // Largest violation of the conditions of a solution.
  double violation() const {
    const CoupledRows& c = coupled[0];
    Eigen::VectorXd left = b - d;
    double worst = 0;
    for (std::size_t r = 0; r < c.gap.size(); ++r) {
      const double force = rows.change[r], y = c.gap[r] + j.row(static_cast<Eigen::Index>(r)).dot(d);
      left -= j.row(static_cast<Eigen::Index>(r)).transpose() * force;
      worst = std::max({worst, c.low[r] - force, force - c.high[r]});
      if (force < c.high[r] - 1e-9) worst = std::max(worst, y);  // nothing moves up against less than the bound
      if (force > c.low[r] + 1e-9) worst = std::max(worst, -y);
    }
    return std::max(worst, left.cwiseAbs().maxCoeff());
  }
};

TEST(BoundedRows, HoldGiveWayAndLetGo) {
  int most = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const auto& [m, n, decay] : {std::tuple{3, 5, 1.0}, {20, 25, 1.0}, {60, 70, 1.0}, {20, 22, 0.7}}) {
      Problem problem(m, n, decay, seed);
      ASSERT_EQ(problem.solve(), Solved::yes);
      EXPECT_LE(problem.violation(), 1e-8) << m << " rows, decay " << decay << ", seed " << seed;
      most = std::max(most, problem.rows.solves());
    }
  std::printf("%d solves at most\n", most);
}

}  // namespace
}  // namespace ymir
