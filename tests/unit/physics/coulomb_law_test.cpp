#include "ymir/physics/contact/coulomb_law.h"

#include <gtest/gtest.h>

#include "local_contact_case.h"
#include "ymir/physics/contact/alart_curnier.h"

namespace ymir {
namespace {

using bench::random_vector;

// |J - central differences| over |J| for a function R3 -> R3.
template <class F>
double jacobian_error(const Mat3d& j, Vec3d x, double h, F&& f) {
  double error = 0, size = 0;
  for (int c = 0; c < 3; ++c) {
    Vec3d forth = x, back = x;
    forth[c] += h;
    back[c] -= h;
    const Vec3d column = (f(forth) - f(back)) / (2 * h);
    error = std::max(error, norm(column - j.column[c]));
    size = std::max(size, norm(column));
  }
  return error / std::max(size, 1e-3);
}

TEST(CoulombLaw, ProjectionIsTheNearestPointOfTheCone) {
  for (std::uint64_t k = 0; k < 500; ++k) {
    Random random(1, k);
    const double mu = random.uniform(0, 2);
    const Vec3d x = random_vector(random), p = project_on_cone(x, mu);
    EXPECT_LE(tangential_norm(p), mu * p.x + 1e-15);
    EXPECT_NEAR(dot(x - p, p), 0, 1e-14);
    for (int trial = 0; trial < 20; ++trial) {
      const double n = random.uniform(), th = random.uniform(0, 6.3), t = mu * n * random.uniform();
      const Vec3d other{n, t * std::cos(th), t * std::sin(th)};
      EXPECT_GE(norm(x - other), norm(x - p) - 1e-14);
    }
  }
}

// T3: pairs made to obey the law, case by case, and pairs that do not.
TEST(CoulombLaw, AllFunctionsVanishWhereTheLawHoldsAndOnlyThere) {
  for (std::uint64_t k = 0; k < 3000; ++k) {
    Random random(2, k);
    const double mu = random.uniform(0.05, 2), th = random.uniform(0, 6.3), n = random.uniform(0.1, 1);
    const Vec3d t{0, std::cos(th), std::sin(th)};
    Vec3d r, u;
    if (k % 3 == 0) {
      u = random_vector(random);
      u.x = std::fabs(u.x);
    } else if (k % 3 == 1) {
      r = Vec3d{n, 0, 0} + t * (mu * n * random.uniform());
    } else {
      r = Vec3d{n, 0, 0} + t * (mu * n);
      u = -t * random.uniform(0.01, 1);
    }
    const double w = random.uniform(0.1, 3);
    const AlartCurnierScale rho{random.uniform(0.1, 3), random.uniform(0.1, 3)};
    EXPECT_LT(norm(natural_map(r, u, mu, w)), 1e-14);
    EXPECT_LT(norm(coulomb_mfb(r, u, mu, w, nullptr)), 1e-12) << k;
    EXPECT_LT(norm(alart_curnier(r, u, mu, rho, nullptr)), 1e-14);
    const Vec3d off = random_vector(random) * 0.1;
    if (norm(natural_map(r, u + off, mu, w)) < 1e-3) continue;
    EXPECT_GT(norm(coulomb_mfb(r, u + off, mu, w, nullptr)), 1e-5) << k;
    EXPECT_GT(norm(alart_curnier(r, u + off, mu, rho, nullptr)), 1e-5) << k;
  }
}

// T1
TEST(CoulombLaw, DerivativesOfFischerBurmeisterMatchDifferences) {
  for (std::uint64_t k = 0; k < 1000; ++k) {
    Random random(3, k);
    const double mu = k % 10 == 0 ? 0 : random.uniform(0.05, 3), w = random.uniform(0.1, 3);
    const Vec3d r = random_vector(random), u = random_vector(random);
    ConeDerivatives d;
    coulomb_mfb(r, u, mu, w, &d);
    EXPECT_LT(jacobian_error(d.x, r, 1e-6, [&](Vec3d x) { return coulomb_mfb(x, u, mu, w, nullptr); }), 1e-6) << k;
    EXPECT_LT(jacobian_error(d.y, u, 1e-6, [&](Vec3d x) { return coulomb_mfb(r, x, mu, w, nullptr); }), 1e-6) << k;
  }
}

// T2: x and y on one ray of the cone's boundary, where the square root of the paper's appendix is missing.
TEST(CoulombLaw, DerivativeOnTheBoundaryOfTheConeIsThatAlongIt) {
  const Vec3d ray{1, 0.6, 0.8}, x = ray * 6.0, y = ray * 1.4;
  ConeDerivatives d;
  fischer_burmeister(x, y, &d);
  const double h = 1e-4;
  const Vec3d difference =
      (fischer_burmeister(x + ray * h, y, nullptr) - fischer_burmeister(x - ray * h, y, nullptr)) / (2 * h);
  EXPECT_NEAR((d.x * ray).x, difference.x, 1e-9);
  EXPECT_NEAR((d.x * ray).x, 0.026159, 1e-6);
  EXPECT_LT(norm(d.x * ray - difference), 2e-9);
}

TEST(CoulombLaw, DerivativesOfAlartCurnierMatchDifferences) {
  int open = 0, slide = 0, stick = 0;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    Random random(4, k);
    const double mu = random.uniform(0.05, 3);
    const AlartCurnierScale rho{random.uniform(0.1, 3), random.uniform(0.1, 3)};
    const Vec3d r = random_vector(random), u = random_vector(random);
    ConeDerivatives d;
    alart_curnier(r, u, mu, rho, &d);
    (d.x(0, 0) == 1 ? open : d.y(1, 2) == 0 && d.x(1, 1) == 0 ? stick : slide) += 1;
    EXPECT_LT(jacobian_error(d.x, r, 1e-7, [&](Vec3d x) { return alart_curnier(x, u, mu, rho, nullptr); }), 1e-6) << k;
    EXPECT_LT(jacobian_error(d.y, u, 1e-7, [&](Vec3d x) { return alart_curnier(r, x, mu, rho, nullptr); }), 1e-6) << k;
  }
  EXPECT_GT(std::min({open, slide, stick}), 100);
}

TEST(CoulombLaw, FunctionsAreFiniteAtTheApex) {
  ConeDerivatives d;
  for (const double mu : {0.0, 0.5}) {
    EXPECT_EQ(norm(coulomb_mfb({}, {}, mu, 1, &d)), 0);
    for (const Mat3d& m : {d.x, d.y}) EXPECT_TRUE(std::isfinite(dot(m, m)));
    EXPECT_EQ(norm(alart_curnier({}, {}, mu, {}, &d)), 0);
  }
}

}  // namespace
}  // namespace ymir
