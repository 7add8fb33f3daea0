// Curved shells and large deflections: the roof of Scordelis and Lo, the pinched hemisphere, the elastica.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "shell_model.h"

namespace ymir::shell_tests {
namespace {

std::size_t nearest_vertex(const std::vector<std::array<double, 2>>& x, double u, double v) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < x.size(); ++k)
    if (std::hypot(x[k][0] - u, x[k][1] - v) < std::hypot(x[best][0] - u, x[best][1] - v)) best = k;
  return best;
}

// Sag of the middle of the free edge under its weight, over .3024. [ft, lb] as in the literature.
double roof_deflection(Pattern pattern, int n, Bending bending) {
  constexpr double radius = 25, length = 50, half_angle = 40 * M_PI / 180;
  const FlatMesh flat = flat_mesh(pattern, n, n, 2 * half_angle * radius, length);
  std::vector<Vec3d> x;
  for (const auto& p : flat.x) {
    const double angle = p[0] / radius - half_angle;
    x.push_back({radius * std::sin(angle), p[1], radius * std::cos(angle)});
  }
  ShellModel roof(x, flat.triangles, {4.32e8, 0, .25}, bending);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(roof.q.size());
  for (std::size_t v = 0; v < x.size(); ++v) {
    load[static_cast<Eigen::Index>(3 * v + 2)] = -90 * roof.lumped_area(v);
    if (x[v].y < 1e-9 || x[v].y > length - 1e-9) {  // rigid diaphragms, free along the axis
      roof.fix(v, 0);
      roof.fix(v, 2);
    }
  }
  roof.fix(nearest_vertex(flat.x, half_angle * radius, length / 2), 1);
  const std::size_t middle = nearest_vertex(flat.x, 0, length / 2);
  return -roof.linear(load)[static_cast<Eigen::Index>(3 * middle + 2)] / .3024;
}

TEST(ScordelisLoRoof, ConvergesToDeepShellTheory) {
  const struct {
    Pattern pattern;
    double figure[3];  // n = 8, 16, 32; the limit of deep shell theory is about .994
  } cases[] = {{Pattern::one_diagonal, {.715, .868, .957}}, {Pattern::equilateral, {.796, .907, .969}}};
  for (const auto& c : cases)
    for (int k = 0; k < 3; ++k) {
      const double w = roof_deflection(c.pattern, 8 << k, Bending::mid);
      fmt::print("roof pattern {} n {}: {:.4f}\n", static_cast<int>(c.pattern), 8 << k, w);
      EXPECT_NEAR(w, c.figure[k], .003);
    }
}

TEST(ScordelisLoRoof, TriBendingIsRightOnRegularAndWrongOnAlternatingMeshes) {
  EXPECT_NEAR(roof_deflection(Pattern::equilateral, 16, Bending::tri), .904, .003);
  EXPECT_NEAR(roof_deflection(Pattern::alternating, 16, Bending::tri), .666, .003);
  EXPECT_NEAR(roof_deflection(Pattern::alternating, 16, Bending::hinge), .680, .003);
}

// Radial displacement under the loads, mean of pulled and pushed points, over .0935. n edges per quarter of the
// equator.
double hemisphere_deflection(bool staggered, int n, Bending bending) {
  constexpr double radius = 10;
  const int around = 4 * n;
  std::vector<Vec3d> x;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i <= n; ++i) {
    const double latitude = M_PI / 2 * .8 * i / n;  // an 18 degree hole at the pole
    for (int j = 0; j < around; ++j) {
      const double longitude = 2 * M_PI * (j + (staggered ? .5 * (i % 2) : 0)) / around;
      x.push_back({radius * std::cos(latitude) * std::cos(longitude), radius * std::cos(latitude) * std::sin(longitude),
                   radius * std::sin(latitude)});
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < around; ++j) {
      const int a = i * around + j, b = i * around + (j + 1) % around, c = b + around, d = a + around;
      if (staggered && i % 2 == 0) {
        triangles.push_back({a, b, d});
        triangles.push_back({b, c, d});
      } else {
        triangles.push_back({a, b, c});
        triangles.push_back({a, c, d});
      }
    }
  ShellModel shell(x, triangles, {6.825e7, .3, .04}, bending);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(shell.q.size());
  load[0] = 2;
  load[3 * n + 1] = -2;
  load[6 * n] = -2;
  load[9 * n + 1] = 2;
  // Six displacements against rigid motion, which moves points of the equator out of its plane at most.
  const std::size_t quarter = static_cast<std::size_t>(n);
  shell.fix(0, 1);
  shell.fix(0, 2);
  shell.fix(quarter, 0);
  shell.fix(quarter, 2);
  shell.fix(2 * quarter, 1);
  shell.fix(2 * quarter, 2);
  const Eigen::VectorXd u = shell.linear(load);
  return (u[0] - u[3 * n + 1]) / 2 / .0935;
}

TEST(PinchedHemisphere, ConvergesToTheAcceptedDeflection) {
  for (int k = 0; k < 2; ++k) {
    const double diagonal = hemisphere_deflection(false, 8 << k, Bending::mid);
    const double staggered = hemisphere_deflection(true, 8 << k, Bending::mid);
    fmt::print("hemisphere n {}: one diagonal {:.4f}, equilateral {:.4f}\n", 8 << k, diagonal, staggered);
    EXPECT_NEAR(diagonal, k == 0 ? 1.063 : 1.016, .003);
    EXPECT_NEAR(staggered, k == 0 ? 1.046 : 1.009, .003);
  }
  EXPECT_NEAR(hemisphere_deflection(true, 16, Bending::tri), .998, .003);
  EXPECT_NEAR(hemisphere_deflection(false, 16, Bending::hinge), .35, .005);
}

// Newton with the exact matrix where it is definite, backtracking on the energy.
int relax(ShellModel& shell, const Eigen::VectorXd& load, double tolerance) {
  using Matrix = ShellModel::Matrix;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver;
  for (int iteration = 0; iteration < 100; ++iteration) {
    auto s = shell.state(shell.q, Matrix::exact);
    const Eigen::VectorXd residual = shell.free_part(s.gradient - load);
    if (residual.cwiseAbs().maxCoeff() < tolerance) return iteration;
    solver.compute(s.matrix);
    if (solver.info() != Eigen::Success || solver.vectorD().minCoeff() <= 0)
      solver.compute(shell.state(shell.q, Matrix::semi_definite).matrix);
    const Eigen::VectorXd step = shell.spread(-solver.solve(residual));
    const double before = s.energy - load.dot(shell.q), slope = step.dot(s.gradient - load);
    double a = 1;
    for (; a > 1e-6; a *= .5) {
      const Eigen::VectorXd tried = shell.q + a * step;
      const double energy = shell.state(tried, Matrix::none).energy - load.dot(tried);
      if (energy <= before + 1e-4 * a * slope + 1e-12 * std::fabs(before)) break;
    }
    shell.q += a * step;
  }
  return 100;
}

// Distance of the end of a clamped strip (length 1, width .1, h .01, nu 0) from that of the elastica, at P L^2/EI = 1
// and 5.
std::array<double, 2> elastica_errors(int n) {
  constexpr double width = .1, h = .01, stiffness = h * h * h / 12 * width;
  const FlatMesh flat = flat_mesh(Pattern::equilateral, n, std::max(1, n / 10), 1, width);
  std::vector<Vec3d> x;
  for (const auto& p : flat.x) x.push_back({p[0], p[1], 0});
  const auto held = [&](int v) { return x[static_cast<std::size_t>(v)].x < 1e-9; };
  std::map<Edge, Vec3d> clamps;
  for (const auto& [edge, sides] : triangles_by_edge(flat.triangles))
    if (sides.size() == 1 && held(edge.first) && held(edge.second)) clamps[edge] = {0, 0, 1};
  ShellModel strip(x, flat.triangles, {1, 0, h}, Bending::mid, clamps);
  std::vector<std::pair<Eigen::Index, double>> tip;  // vertices and their shares of the end
  double shares = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (held(static_cast<int>(v)))
      for (int k = 0; k < 3; ++k) strip.fix(v, k);
    if (x[v].x < 1 - 1e-9) continue;
    tip.emplace_back(static_cast<Eigen::Index>(3 * v), x[v].y < 1e-9 || x[v].y > width - 1e-9 ? .5 : 1);
    shares += tip.back().second;
  }
  std::array<double, 2> errors{};
  for (int step = 1; step <= 5; ++step) {
    Eigen::VectorXd load = Eigen::VectorXd::Zero(strip.q.size());
    for (const auto& [dof, share] : tip) load[dof + 2] = share / shares * step * stiffness;
    const int iterations = relax(strip, load, 1e-9 * stiffness);
    EXPECT_LT(iterations, 60);
    double along = 0, up = 0;
    for (const auto& [dof, share] : tip)
      along += share / shares * strip.q[dof], up += share / shares * strip.q[dof + 2];
    if (step == 1) errors[0] = std::hypot(along - .94356676, up - .30172077);
    if (step == 5) errors[1] = std::hypot(along - .61237164, up - .71379152);
  }
  return errors;
}

TEST(Elastica, OfAClampedStripIsReachedAtSecondOrder) {
  const double figure[3][2] = {{3.8e-4, 1.2e-3}, {3.6e-4, 8.3e-4}, {9.1e-5, 2.3e-4}};  // n = 10, 20, 40
  std::array<double, 2> error[3];
  for (int k = 0; k < 3; ++k) {
    error[k] = elastica_errors(10 << k);
    fmt::print("elastica n {}: {:.2e} {:.2e}\n", 10 << k, error[k][0], error[k][1]);
    for (std::size_t a = 0; a < 2; ++a) EXPECT_NEAR(error[k][a], figure[k][a], .05 * figure[k][a]);
  }
  for (std::size_t a = 0; a < 2; ++a) EXPECT_GT(std::log2(error[1][a] / error[2][a]), 1.8);
}

}  // namespace
}  // namespace ymir::shell_tests
