#include "ymir/grooms/helix_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ymir {
namespace {

// A helix of `turns` about z with the radius and rise of a turn [m], sampled evenly.
std::vector<Vec3d> coil(double turns, double radius, double rise, int vertices) {
  std::vector<Vec3d> x;
  for (int k = 0; k < vertices; ++k) {
    const double a = 2 * M_PI * turns * k / (vertices - 1);
    x.push_back({radius * std::cos(a) + 5, radius * std::sin(a), rise * a / (2 * M_PI)});
  }
  return x;
}

TEST(HelixFit, TakesANaturalHelixExactlyWithOneElement) {
  for (const double turns : {0.3, 1.0, 3.0, 10.0})
    for (const double radius : {1e-3, 0.02, 0.3}) {
      const auto x = coil(turns, radius, 0.05, 16 + static_cast<int>(12 * turns));
      const HelixFit fit = fit_helix(x, 1, {1, 0, 0}, {0, 0, 0});
      const double length = turns * std::hypot(2 * M_PI * radius, 0.05);
      EXPECT_LT(fit.error, 1e-8 * length) << turns << " turns of " << radius;
      EXPECT_NEAR(fit.helix.length, length, 1e-6 * length) << turns << " turns of " << radius;
    }
}

TEST(HelixFit, TakesStraightStrandsAndCoincidentVertices) {
  std::vector<Vec3d> x;
  for (const double s : {0.0, 0.1, 0.1, 0.4, 1.0, 1.0}) x.push_back(Vec3d{0.36, 0.48, -0.8} * s);
  for (const int elements : {1, 5, 16}) {
    const HelixFit fit = fit_helix(x, elements, {0, 1, 0}, {0, 0, 0});
    EXPECT_LT(fit.error, 1e-10) << elements;
    EXPECT_NEAR(fit.helix.length * elements, 1, 1e-9);
    for (int e = 0; e < elements; ++e) EXPECT_LT(norm(fit.helix.u[e]), 1e-6);
  }
  EXPECT_LT(fit_helix(std::vector<Vec3d>{{0, 0, 0}, {0, 2, 0}}, 5, {1, 0, 0}, {0, 0, 0}).error, 1e-10);
}

// A curve of changing curvature: more elements fit better, with the square of their number.
TEST(HelixFit, ComesNearerWithMoreElements) {
  std::vector<Vec3d> x;
  for (int k = 0; k <= 400; ++k) {
    const double s = k / 400.0, a = 4 * s * s;
    x.push_back({s, 0.2 * std::sin(a), 0.2 * (1 - std::cos(a))});
  }
  std::vector<double> errors;
  for (const int elements : {2, 4, 8, 16}) errors.push_back(fit_helix(x, elements, {0, 1, 0}, {0, 0, 0}).error);
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_LT(errors[k], 0.35 * errors[k - 1]) << errors[k];
}

TEST(HelixFit, IsTheSameFarFromTheOriginAndTurned) {
  const auto x = coil(2.5, 0.02, 0.03, 40);
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
  std::vector<Vec3d> y;
  for (const Vec3d& p : x) y.push_back({c * p.x - s * p.y + 1000, s * p.x + c * p.y, p.z - 500});
  const HelixFit a = fit_helix(x, 4, {1, 0, 0}, {0, 0, 0}), b = fit_helix(y, 4, {c, s, 0}, {0, 0, 0});
  EXPECT_LT(b.error, 1e-8);
  for (int e = 0; e < 4; ++e) EXPECT_LT(norm(a.helix.u[e] - b.helix.u[e]), 1e-4 * norm(a.helix.u[e]));
}

}  // namespace
}  // namespace ymir
