#include "ymir/physics/rods/super_helix.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "ymir/physics/rods/gauss_points.h"

namespace ymir {
namespace {

constexpr int n = SuperHelix::max_dofs;

SuperHelix random_helix(int elements, bool free_root, unsigned seed, double curl = 20) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  SuperHelix h;
  h.elements = elements;
  h.free_root = free_root;
  h.length = 0.1;
  h.root.position = {any(random), any(random), any(random)};
  h.root.axes = HelixArc({3 * any(random), 3 * any(random), 3 * any(random)}, 1).rotation();
  for (int e = 0; e < elements; ++e) h.u[e] = {curl * any(random), curl * any(random), curl * any(random)};
  h.update();
  return h;
}

// The same with one unknown changed.
SuperHelix moved(SuperHelix h, int unknown, double by) {
  if (h.free_root && unknown < 3) {
    h.root.position[unknown] += by;
  } else if (unknown < h.first()) {
    Vec3d turn{0, 0, 0};
    turn[unknown - 3] = by;
    h.root.axes = HelixArc(turn, 1).rotation() * h.root.axes;
  } else {
    h.u[(unknown - h.first()) / 3][(unknown - h.first()) % 3] += by;
  }
  h.update();
  return h;
}

TEST(SuperHelix, FrameOfAnElementIsTheMatrixExponential) {
  double worst = 0;
  for (const double size : {0.0, 1e-9, 1e-4, 0.03, 0.3, 1.999, 2.001, 7.0, 40.0}) {
    const Vec3d u = Vec3d{0.3, -0.8, 0.52} * size;
    Eigen::Matrix3d k;
    k << 0, -u.z, u.y, u.z, 0, -u.x, -u.y, u.x, 0;
    const Eigen::Matrix3d exact = k.exp();
    const Mat3d r = HelixArc(u, 1).rotation();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) worst = std::max(worst, std::fabs(r(i, j) - exact(i, j)));
  }
  EXPECT_LT(worst, 5e-14);  // of the exponential of a matrix of norm 40
}

TEST(SuperHelix, CentreLineIsTheIntegralOfItsTangent) {
  const GaussPoints<16> gauss(16);
  double worst = 0;
  for (const double size : {0.0, 1e-6, 0.05, 1.0, 2.0, 5.0, 30.0}) {
    const Vec3d u = Vec3d{0.5, 0.7, -0.4} * size;
    const int pieces = 20;
    Mat3d sum;
    for (int p = 0; p < pieces; ++p)
      for (int g = 0; g < gauss.count; ++g)
        sum += HelixArc(u, (p + gauss.at[g]) / pieces).rotation() * (gauss.weight[g] / pieces);
    const Mat3d integral = HelixArc(u, 1).integral();
    for (int c = 0; c < 3; ++c) worst = std::max(worst, norm(sum.column[c] - integral.column[c]));
  }
  EXPECT_LT(worst, 1e-14);
}

TEST(SuperHelix, SeriesMeetWhereTheyChange) {
  const HelixSeries below(4 * (1 - 1e-15)), above(4 * (1 + 1e-15));
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(below.c[k], above.c[k], 2e-14 * std::fabs(above.c[k])) << k;
  const HelixSeries zero(0);
  double factorial = 1;
  for (int k = 0; k < 8; ++k) {
    EXPECT_DOUBLE_EQ(zero.c[k], 1 / factorial);
    factorial *= k + 1;
  }
}

TEST(SuperHelix, JacobiansMatchFiniteDifferences) {
  double shift_error = 0, turn_error = 0;
  for (const bool free_root : {false, true})
    for (const double curl : {0.0, 20.0}) {
      const SuperHelix h = random_helix(5, free_root, 3, curl);
      for (const int element : {0, 2, 4})
        for (const double s : {0.0, 0.03, 0.1}) {
          const HelixFrame at = h.frame(element, s);
          Vec3d shift[n], turn[n];
          h.jacobian(element, s, at.position, shift, turn);
          for (int i = 0; i < h.dofs_of(element); ++i) {
            constexpr double step = 1e-5;
            const HelixFrame a = moved(h, i, step).frame(element, s), b = moved(h, i, -step).frame(element, s);
            shift_error = std::max(shift_error, norm((a.position - b.position) / (2 * step) - shift[i]));
            for (int c = 0; c < 3; ++c)
              turn_error = std::max(turn_error, norm((a.axes.column[c] - b.axes.column[c]) / (2 * step) -
                                                     cross(turn[i], at.axes.column[c])));
          }
        }
    }
  EXPECT_LT(shift_error, 1e-9);
  EXPECT_LT(turn_error, 1e-9);
}

TEST(SuperHelix, GeometricStiffnessMatchesFiniteDifferences) {
  double worst = 0, largest = 0;
  const Vec3d f{0.7, -1.1, 0.4};
  for (const bool free_root : {false, true})
    for (const double curl : {0.0, 20.0}) {
      const SuperHelix h = random_helix(4, free_root, 5, curl);
      for (const int element : {0, 1, 3}) {
        const double s = 0.06;
        const Vec3d x = h.frame(element, s).position;
        Vec3d shift[n];
        h.jacobian(element, s, x, shift, nullptr);
        std::vector<double> k(n * n, 0);
        h.add_geometric(element, s, x, shift, f, k.data());
        const auto value = [&](const SuperHelix& at) { return dot(f, at.frame(element, s).position); };
        for (int i = 0; i < h.dofs_of(element); ++i)
          for (int j = 0; j <= i; ++j) {
            // Turns of the root do not commute: the symmetric part is what a step sees.
            const double a = i < h.first() && i >= 3 ? 1e-3 : 2e-3, b = j < h.first() && j >= 3 ? 1e-3 : 2e-3;
            const auto both = [&](double da, double db) {
              return 0.5 * (value(moved(moved(h, i, da), j, db)) + value(moved(moved(h, j, db), i, da)));
            };
            const double difference = (both(a, b) - both(a, -b) - both(-a, b) + both(-a, -b)) / (4 * a * b);
            const double got = k[static_cast<std::size_t>(i * n + j)];
            worst = std::max(worst, std::fabs(got - difference));
            largest = std::max(largest, std::fabs(got));
          }
      }
    }
  EXPECT_LT(worst, 2e-6 * largest);
}

// Q_i = int n_i . m, m the moment of everything beyond: the other way to write H'f. [Bertails2006]
TEST(SuperHelix, GeneralisedForceIsTheMomentOfWhatIsBeyond) {
  const SuperHelix h = random_helix(3, false, 8, 8);
  const Vec3d load{0.3, -2, 0.5};  // per length
  const GaussPoints<16> gauss(16);
  double direct[n] = {};
  for (int e = 0; e < h.elements; ++e)
    for (int g = 0; g < gauss.count; ++g) {
      const double s = gauss.at[g] * h.length;
      Vec3d shift[n];
      h.jacobian(e, s, h.frame(e, s).position, shift, nullptr);
      for (int i = 0; i < h.dofs_of(e); ++i) direct[i] += dot(shift[i], load) * gauss.weight[g] * h.length;
    }
  for (int e = 0; e < h.elements; ++e) {
    Vec3d moments{0, 0, 0};
    for (int g = 0; g < gauss.count; ++g) {
      const double s = gauss.at[g] * h.length;
      const HelixFrame at = h.frame(e, s);
      Vec3d beyond{0, 0, 0};
      for (int k = 0; k < gauss.count; ++k) {
        const double rest = s + (h.length - s) * gauss.at[k];
        beyond += cross(h.frame(e, rest).position - at.position, load) * (gauss.weight[k] * (h.length - s));
        for (int d = e + 1; d < h.elements; ++d)
          beyond +=
              cross(h.frame(d, gauss.at[k] * h.length).position - at.position, load) * (gauss.weight[k] * h.length);
      }
      moments += transposed(at.axes) * beyond * (gauss.weight[g] * h.length);
    }
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(moments[i], direct[3 * e + i], 1e-12);
  }
}

// Bent slightly it is a parabola s^2/2: M = int (s^2/2)^2 = L^5/20.
TEST(SuperHelix, MassOfAStraightElementIsThatOfItsParabola) {
  SuperHelix h;
  h.elements = 1;
  h.length = 2;
  h.update();
  const GaussPoints<16> gauss(4);
  double mass[3][3] = {};
  for (int g = 0; g < gauss.count; ++g) {
    Vec3d shift[n];
    const double s = gauss.at[g] * h.length;
    h.jacobian(0, s, h.frame(0, s).position, shift, nullptr);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) mass[i][j] += dot(shift[i], shift[j]) * gauss.weight[g] * h.length;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(mass[i][j], i == j && i < 2 ? 32.0 / 20 : 0, 1e-13);
}

TEST(SuperHelix, GaussPointsAreExactForPolynomials) {
  for (int k = 1; k <= 16; ++k) {
    const GaussPoints<16> gauss(k);
    double sum = 0;
    for (int g = 0; g < k; ++g) sum += gauss.weight[g] * std::pow(gauss.at[g], 2 * k - 1);
    EXPECT_NEAR(sum, 1.0 / (2 * k), 5e-15);
  }
}

}  // namespace
}  // namespace ymir
