// Where elastic rods lose stability, and how fast they swing: eigenvalues of the matrices of kernels and solver.
#include <fmt/format.h>

#include "rod_matrix.h"

namespace ymir::verification {
namespace {

using conformance::Dense;
using conformance::DenseRod;
using conformance::Material;

void expect_figures(const std::string& what, const std::vector<double>& errors, const std::vector<double>& known,
                    double order) {
  const double observed = std::log2(std::fabs(errors[1] / errors[2]));
  fmt::print("{}: error {:.2e} {:.2e} {:.2e}, order {:.2f}\n", what, errors[0], errors[1], errors[2], observed);
  for (std::size_t i = 0; i < errors.size(); ++i) EXPECT_LE(std::fabs(errors[i]), 1.2 * known[i]) << what;
  EXPECT_NEAR(observed, order, 0.2) << what;
}

struct Smooth {
  double stretch, twist;  // EA, GJ; EI = 1
};
// A naturally straight rod; half a cell at its first bending vertex when that is a clamp.
struct Straight {
  Material<Stretch> stretch;
  Material<BendTwist> bend_twist;
  Straight(int vertices, double edge, bool clamped, const Smooth& smooth) {
    for (int i = 0; i < vertices; ++i) {
      const double cell = clamped && i == 1 ? edge / 2 : edge;
      stretch.rest.push_back({edge});
      stretch.weight.push_back({clamped && i == 0 ? 0 : smooth.stretch / edge});
      bend_twist.rest.push_back({0, 0, 0});
      bend_twist.weight.push_back({1 / cell, 1 / cell, smooth.twist / cell});
    }
  }
  Dense hessian(const DenseRod& rod) const {
    Dense h(rod.dofs());
    conformance::add_hessian(rod, stretch, h);
    conformance::add_hessian(rod, bend_twist, h);
    return h;
  }
};

double buckling_load(int segments, bool clamped) {
  const double edge = 1.0 / segments, exact = clamped ? M_PI * M_PI / 4 : M_PI * M_PI;
  const Smooth smooth{1e7, 0.7};
  const int vertices = segments + (clamped ? 2 : 1);
  const Straight rod(vertices, edge, clamped, smooth);
  std::vector<char> free(static_cast<std::size_t>(4 * vertices), 1);
  free.back() = 0;
  const auto fix = [&](int first, int count) { std::fill_n(free.begin() + first, count, 0); };
  if (clamped)
    fix(0, 7);
  else
    fix(0, 4), fix(4 * segments + 1, 2);
  const std::vector<double> unit(free.size(), 1);
  return conformance::turning_point(
             0.7 * exact, 1.3 * exact, 1e-8,
             [&](double load) {
               std::vector<Vec3d> x{{0, 0, 0}};
               for (int i = 0; i + 1 < vertices; ++i)
                 x.push_back(x.back() + Vec3d{edge * (clamped && i == 0 ? 1 : 1 - load / smooth.stretch), 0, 0});
               const DenseRod pressed(x, {0, 1, 0}, std::vector<double>(x.size(), 0));
               return conformance::negative_eigenvalues(rod.hessian(pressed), unit, 0, free) > 0;
             }) /
         exact;
}

TEST(EulerLoad, IsWhereTheHessianLosesDefiniteness) {
  for (const bool clamped : {true, false}) {
    std::vector<double> errors;
    for (const int n : {25, 50, 100}) errors.push_back(buckling_load(n, clamped) - 1);
    expect_figures(clamped ? "Euler load, clamped and free" : "Euler load, pinned", errors,
                   clamped ? std::vector{3.3e-4, 8.2e-5, 2.0e-5} : std::vector{1.3e-3, 3.3e-4, 8.1e-5}, 2);
  }
}

// A straight rod closed to a ring and turned by Theta: stable up to 2 pi sqrt(3) EI/GJ [Michell 1889].
double ring_threshold(int segments) {
  const double exact = 2 * M_PI * std::sqrt(3.0), edge = 1.0 / segments;
  const Straight rod(segments + 2, edge, false, {1e5, 1});
  std::vector<Vec3d> x;
  for (int i = 0; i < segments + 2; ++i) {
    const double radius = edge / (2 * std::sin(M_PI / segments)), angle = 2 * M_PI * i / segments;
    x.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  std::vector<char> free(4 * x.size(), 1);
  std::fill_n(free.begin(), 7, 0);
  std::fill_n(free.begin() + 4 * segments, 8, 0);
  const std::vector<double> unit(free.size(), 1);
  return conformance::turning_point(0.9 * exact, 1.3 * exact, 1e-6,
                                    [&](double turn) {
                                      std::vector<double> angles;
                                      for (std::size_t i = 0; i < x.size(); ++i)
                                        angles.push_back(turn * static_cast<double>(i) / segments);
                                      const DenseRod ring(x, {0, 0, 1}, angles);
                                      // Rolling about the held edge costs nothing: that eigenvalue is 0 up to round-off
                                      // (1e-8), well above -1e-5.
                                      return conformance::negative_eigenvalues(rod.hessian(ring), unit, -1e-5, free) >
                                             0;
                                    }) /
         exact;
}

TEST(MichellRing, BucklesAtTheRightTwist) {
  std::vector<double> errors;
  for (const int n : {25, 50, 100}) errors.push_back(ring_threshold(n) - 1);
  expect_figures("twisted ring", errors, {1.5e-2, 4.2e-3, 9.4e-4}, 2);
}

TEST(Cantilever, SwingsAtTheFrequenciesOfABeam) {
  std::vector<double> first, second;
  for (const int n : {25, 50, 100}) {
    RodCase rod;
    rod.shape = straight(n);
    RodRun run(rod);
    const double dt = 1e3;
    const SolverMatrix matrix(run, dt);
    const Dense a = matrix.dense();
    // Two polarisations: the third eigenvalue belongs to the second mode.
    const auto frequency = [&](double low, double high, int count) {
      return conformance::turning_point(low, high, 1e-9, [&](double w) {
        return conformance::negative_eigenvalues(a, matrix.mass, w * w + 1 / (dt * dt), matrix.free) >= count;
      });
    };
    first.push_back(frequency(1, 10, 1) / 3.5160153 - 1);
    second.push_back(frequency(10, 40, 3) / 22.034492 - 1);
  }
  expect_figures("first frequency", first, {1.4e-3, 3.4e-4, 8.5e-5}, 2);
  expect_figures("second frequency", second, {6.8e-3, 1.7e-3, 4.3e-4}, 2);
}

}  // namespace
}  // namespace ymir::verification
