// Singular values, polar factor and its spin, symmetric eigenvalues: random, inverted, degenerate and zero matrices.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/math/polar3.h"
#include "ymir/math/symmetric_eigen3.h"

namespace ymir {
namespace {

using Lanes4 = Lanes<double, 4>;

Eigen::Matrix3d eigen(const Mat3d& a) {
  Eigen::Matrix3d m;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m(r, c) = a(r, c);
  return m;
}
double largest(const Mat3d& a) { return eigen(a).cwiseAbs().maxCoeff(); }
Mat3d diagonal(const Vec3d& s) { return {{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}}; }

Mat3d random_matrix(Random& random) {
  Mat3d a;
  for (Vec3d& c : a.column) c = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  return a;
}
Mat3d random_rotation(Random& random) { return polar_rotation(svd3(random_matrix(random))); }

// Random matrices of every rank and scale, and all signs of the determinant.
std::vector<Mat3d> samples() {
  Random random(1, 0);
  std::vector<Mat3d> out{Mat3d{},
                         identity3(),
                         identity3() * -1.0,
                         diagonal({1, 1, -1}),
                         diagonal({0, 0, 1}),
                         diagonal({0, -2, 0}),
                         diagonal({1, 1e-8, 1e-16}),
                         diagonal({1e-3, 1e-3, 1})};
  for (int k = 0; k < 400; ++k) {
    const Mat3d a = random_matrix(random), u = random_rotation(random), v = random_rotation(random);
    out.push_back(a);
    out.push_back(outer(a.column[0], a.column[1]));
    out.push_back(outer(a.column[0], a.column[1]) + outer(a.column[1], a.column[2]));
    out.push_back(a * std::pow(10, random.uniform(-160, 150)));
    out.push_back(u);
    out.push_back(u * diagonal({1, 1, -1}) * v);
    out.push_back(u * diagonal({1, 1 + 1e-9, 1 - 1e-12}) * v);
    out.push_back(u * diagonal({1, 1e-7, -1e-7}) * v);
    out.push_back(u * diagonal({2, 0.5, 0}) * v);
    out.push_back(u * diagonal({1, 1e-20, 0}) * v);
  }
  return out;
}

TEST(Svd3, RebuildsEveryMatrixFromTwoRotationsAndOrderedValues) {
  double rebuilt = 0, orthogonal = 0;
  for (const Mat3d& f : samples()) {
    const Svd3<double> d = svd3(f);
    ASSERT_TRUE(std::isfinite(d.s.x + d.s.y + d.s.z));
    const double scale = largest(f) > 0 ? largest(f) : 1;
    rebuilt = std::max(rebuilt, largest(d.u * diagonal(d.s) * transposed(d.v) - f) / scale);
    orthogonal = std::max(
        {orthogonal, largest(transposed(d.u) * d.u - identity3()), largest(transposed(d.v) * d.v - identity3())});
    EXPECT_NEAR(determinant(d.u), 1, 1e-14);
    EXPECT_NEAR(determinant(d.v), 1, 1e-14);
    EXPECT_GE(d.s.x, d.s.y);
    EXPECT_GE(d.s.y, std::fabs(d.s.z) - 1e-15 * d.s.x);
  }
  RecordProperty("rebuilt", std::to_string(rebuilt * 1e16) + "e-16");
  RecordProperty("orthogonal", std::to_string(orthogonal * 1e16) + "e-16");
  EXPECT_LT(rebuilt, 1e-14);
  EXPECT_LT(orthogonal, 1e-14);
}

TEST(Svd3, FindsTheValuesOfAnotherMethodAndTheSignOfTheDeterminant) {
  for (const Mat3d& f : samples()) {
    if (largest(f) == 0) continue;
    const double scale = 1 / largest(f);  // so that products of three neither overflow nor vanish
    const Mat3d g = f * scale;
    const Vec3d s = svd3(g).s;
    const Eigen::Vector3d expected = Eigen::JacobiSVD<Eigen::Matrix3d>(eigen(g)).singularValues();
    EXPECT_NEAR(s.x, expected(0), 1e-14);
    EXPECT_NEAR(s.y, expected(1), 1e-14);
    EXPECT_NEAR(std::fabs(s.z), expected(2), 1e-14);
    EXPECT_NEAR(s.x * s.y * s.z, determinant(g), 1e-14);
  }
}

TEST(Svd3, KeepsTheDigitsOfSmallValues) {
  // Columns of very different length are the case that F'F spoils.
  Random random(2, 0);
  for (int k = 0; k < 100; ++k) {
    const Vec3d s = svd3(random_rotation(random) * diagonal({1, 1e-6, 1e-12})).s;
    EXPECT_NEAR(s.y, 1e-6, 1e-20);
    EXPECT_NEAR(s.z, 1e-12, 1e-26);
  }
}

TEST(Svd3, LanesAnswerAsNumbersDo) {
  const std::vector<Mat3d> all = samples();
  for (std::size_t i = 0; i + 4 <= all.size(); i += 4) {
    Mat3<Lanes4> f;
    for (int lane = 0; lane < 4; ++lane)
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) f(r, c).set(lane, all[i + static_cast<std::size_t>(lane)](r, c));
    const Svd3<Lanes4> d = svd3(f);
    const Vec3<Lanes4> spin = polar_spin(d, f);
    for (int lane = 0; lane < 4; ++lane) {
      const Svd3<double> e = svd3(all[i + static_cast<std::size_t>(lane)]);
      for (int c = 0; c < 3; ++c) {
        EXPECT_EQ(d.s[c][lane], e.s[c]);
        const double expected = polar_spin(e, all[i + static_cast<std::size_t>(lane)])[c];
        EXPECT_TRUE(spin[c][lane] == expected || (std::isnan(spin[c][lane]) && std::isnan(expected)));
        for (int r = 0; r < 3; ++r) {
          EXPECT_EQ(d.u(r, c)[lane], e.u(r, c));
          EXPECT_EQ(d.v(r, c)[lane], e.v(r, c));
        }
      }
    }
  }
}

TEST(Polar, SplitsRotationAndStretch) {
  Random random(3, 0);
  for (int k = 0; k < 200; ++k) {
    const Mat3d f = random_matrix(random);
    const Svd3<double> d = svd3(f);
    const Mat3d r = polar_rotation(d), s = polar_stretch(d);
    EXPECT_LT(largest(r * s - f), 1e-14);
    EXPECT_LT(largest(s - transposed(s)), 1e-15);
    EXPECT_NEAR(determinant(r), 1, 1e-14);
    const Mat3d q = random_rotation(random);
    if (d.s.y + d.s.z > 0.1) {
      EXPECT_LT(largest(polar_rotation(svd3(q * f)) - q * r), 1e-13);
    }
  }
}

TEST(Polar, SpinIsTheDerivativeOfTheRotation) {
  Random random(4, 0);
  constexpr double h = 3e-4;  // truncation and rounding both below 1e-11
  double worst = 0;
  for (int k = 0; k < 300; ++k) {
    const Mat3d f = random_matrix(random) + identity3(), df = random_matrix(random);
    const Svd3<double> d = svd3(f);
    if (d.s.y + d.s.z < 0.5) continue;  // differences cannot follow a rotation that is nearly undefined
    const auto at = [&](double t) { return polar_rotation(svd3(f + df * t)); };
    const Mat3d rate = ((at(h) - at(-h)) * 8.0 - (at(2 * h) - at(-2 * h))) * (1 / (12 * h));
    worst = std::max(worst, largest(rate - cross_matrix(polar_spin(d, df)) * polar_rotation(d)));
  }
  RecordProperty("error", std::to_string(worst * 1e10) + "e-10");
  EXPECT_LT(worst, 5e-10);
}

TEST(Polar, SpinOfARigidRotationIsItsAngularVelocity) {
  Random random(5, 0);
  for (int k = 0; k < 100; ++k) {
    const Mat3d f = random_matrix(random) + identity3() * 2.0;
    const Vec3d om{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    EXPECT_LT(norm(polar_spin(svd3(f), cross_matrix(om) * f) - om), 1e-14);
  }
}

TEST(SymmetricEigen3, RebuildsTheMatrixWithOrthogonalVectors) {
  Random random(6, 0);
  for (int k = 0; k < 500; ++k) {
    const Mat3d g = random_matrix(random), q = random_rotation(random);
    const Mat3d cases[] = {g + transposed(g), outer(g.column[0], g.column[0]),
                           q * diagonal({1, 1, 1e-9}) * transposed(q), Mat3d{}, identity3()};
    for (const Mat3d& a : cases) {
      const SymmetricEigen3<double> e = symmetric_eigen3(a);
      EXPECT_LT(largest(e.vectors * diagonal(e.values) * transposed(e.vectors) - a), 1e-14);
      EXPECT_LT(largest(transposed(e.vectors) * e.vectors - identity3()), 1e-14);
    }
  }
}

}  // namespace
}  // namespace ymir
