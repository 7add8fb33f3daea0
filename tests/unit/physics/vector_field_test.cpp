#include "ymir/physics/fields/vector_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ymir/base/random.h"

namespace ymir {
namespace {

VectorField noise_field(const CurlNoise& noise) {
  VectorField field;
  field.kind = FieldKind::curl_noise;
  field.curl_noise = noise;
  return field;
}

VectorField vortex_field(const Vortex& vortex) {
  VectorField field;
  field.kind = FieldKind::vortex;
  field.vortex = vortex;
  return field;
}

Vec3d random_point(Random& random, double reach) {
  const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
  return {x, y, random.uniform(-reach, reach)};
}

// Central differences, truncation h^2.
double divergence(const VectorField& field, Vec3d x, double t, double h) {
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    Vec3d step;
    step[a] = h;
    sum += (evaluate(field, x + step, t)[a] - evaluate(field, x - step, t)[a]) / (2 * h);
  }
  return sum;
}

double rms_divergence(const VectorField& field, double reach, double h) {
  double sum = 0;
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) {
    Random random(5, static_cast<std::uint64_t>(i));
    const double d = divergence(field, random_point(random, reach), 0.3, h);
    sum += d * d;
  }
  return std::sqrt(sum / count);
}

void expect_block_equals_points(const VectorField& field) {
  constexpr int n = 203;  // more than three runs, and a remainder
  std::vector<double> x(n), y(n), z(n), ux(n), uy(n), uz(n);
  for (int i = 0; i < n; ++i) {
    Random random(11, static_cast<std::uint64_t>(i));
    const Vec3d p = random_point(random, 3);
    x[i] = p.x, y[i] = p.y, z[i] = p.z;
  }
  evaluate(field, n, x.data(), y.data(), z.data(), 0.7, ux.data(), uy.data(), uz.data());
  for (int i = 0; i < n; ++i) {
    const Vec3d one = evaluate(field, Vec3d(x[i], y[i], z[i]), 0.7);
    EXPECT_EQ(one, Vec3d(ux[i], uy[i], uz[i])) << i;
  }
}

TEST(VectorField, BlockEqualsPointsToTheLastBit) {
  VectorField uniform;
  uniform.uniform = {1, -2, 3};
  expect_block_equals_points(uniform);
  expect_block_equals_points(vortex_field({{0.1, 0.2, 0.3}, {0.6, 0, 0.8}, 2, 0.4, 1, 0.5}));
  expect_block_equals_points(noise_field({2, 0.7, 4, 0.5, 1.3, 9}));
}

TEST(Vortex, PeaksAtTheCoreRadiusWithTheSwirlSpeed) {
  const Vortex vortex{{1, 5, -2}, {0, 1, 0}, 3, 0.25, 0, 0};
  const auto tangential = [&](double r) {
    const Vec3d u = evaluate(vortex, Vec3d(1 + r, 7, -2));
    EXPECT_EQ(u.x, 0);
    EXPECT_EQ(u.y, 0);
    return -u.z;  // y x x = -z: right-handed about +y
  };
  EXPECT_NEAR(tangential(0.25), 3, 1e-14);
  EXPECT_LT(tangential(0.25 * 0.98), 3);
  EXPECT_LT(tangential(0.25 * 1.02), 3);
  EXPECT_EQ(tangential(0), 0);
  // Far away a free vortex: speed times radius is constant.
  EXPECT_NEAR(tangential(25) * 25, 3 * std::sqrt(2.0) * 0.25, 1e-7);
}

TEST(Vortex, UpdraftIsStrongestOnTheAxisAndInflowPointsToIt) {
  const Vortex vortex{{0, 0, 0}, {0, 0, 1}, 0, 0.5, 4, 2};
  EXPECT_EQ(evaluate(vortex, Vec3d(0, 0, 9)), Vec3d(0, 0, 4));
  const Vec3d u = evaluate(vortex, Vec3d(0.5, 0, 0));
  EXPECT_NEAR(u.x, -2, 1e-14);
  EXPECT_NEAR(u.z, 2, 1e-14);
}

TEST(Vortex, HasNoDivergenceWithoutInflow) {
  const Vortex vortex{{0.1, 0.2, 0.3}, {0.6, 0, 0.8}, 2, 0.4, 1, 0};
  const double coarse = rms_divergence(vortex_field(vortex), 1, 1e-2);
  const double fine = rms_divergence(vortex_field(vortex), 1, 1e-3);
  EXPECT_LT(fine, 2e-5);
  EXPECT_NEAR(coarse / fine, 100, 5);
  Vortex sink = vortex;
  sink.inflow = 1;
  EXPECT_GT(rms_divergence(vortex_field(sink), 1, 1e-3), 0.1);
}

TEST(CurlNoise, HasNoDivergence) {
  // A dense check that the hand-written curl is one: the divergence of the exact field is 0 and only the truncation
  // of the differences remains, which falls as h^2 (somewhat slower where a stencil crosses a cell border).
  const VectorField field = noise_field({1, 1, 1, 0.5, 1, 3});
  const double coarse = rms_divergence(field, 10, 2e-2);
  const double fine = rms_divergence(field, 10, 2e-3);
  const double finest = rms_divergence(field, 10, 2e-4);
  EXPECT_LT(fine, coarse / 50);
  EXPECT_LT(finest, 1e-5);
}

TEST(CurlNoise, IsContinuouslyDifferentiableAcrossCells) {
  const CurlNoise noise{1, 1, 1, 0.5, 0, 3};
  const curl_noise::Octave o = curl_noise::octave(noise, 0, 0);
  for (int i = 0; i < 50; ++i) {
    Random random(8, static_cast<std::uint64_t>(i));
    Vec3d x = random_point(random, 5);
    x.x = std::floor(x.x) - o.shift.x;  // on a border of cells
    constexpr double h = 1e-5;
    const Vec3d before = (evaluate(noise, x, 0) - evaluate(noise, x - Vec3d(h, 0, 0), 0)) / h;
    const Vec3d after = (evaluate(noise, x + Vec3d(h, 0, 0), 0) - evaluate(noise, x, 0)) / h;
    EXPECT_LT(norm(after - before), 2e-3) << i;
    EXPECT_GT(norm(after) + norm(evaluate(noise, x, 0)), 0) << i;
  }
}

TEST(CurlNoise, AmplitudeIsTheRootMeanSquareSpeed) {
  for (const int octaves : {1, 4}) {
    for (const double t : {0.0, 12.3}) {
      const CurlNoise noise{2.5, 0.3, octaves, 0.6, 0.8, 17};
      double sum = 0;
      Vec3d mean;
      constexpr int count = 40000;
      for (int i = 0; i < count; ++i) {
        Random random(21, static_cast<std::uint64_t>(i));
        const Vec3d u = evaluate(noise, random_point(random, 100), t);
        sum += dot(u, u);
        mean += u / double(count);
      }
      EXPECT_NEAR(std::sqrt(sum / count), 2.5, 0.02) << octaves << " octaves, t = " << t;
      EXPECT_LT(norm(mean), 0.05);
    }
  }
}

TEST(CurlNoise, IsEvenlyStrongOverACell) {
  // At the node, the middle of an edge and the middle of the cell, over many cells.
  const CurlNoise noise{1, 1, 1, 0.5, 0, 4};
  const curl_noise::Octave o = curl_noise::octave(noise, 0, 0);
  for (const Vec3d at : {Vec3d(0, 0, 0), Vec3d(0.5, 0, 0), Vec3d(0.5, 0.5, 0.5)}) {
    double sum = 0;
    for (int i = 0; i < 20000; ++i)
      sum += dot(evaluate(noise, Vec3d(i % 27, i / 27 % 27, i / 729) + at - o.shift, 0),
                 evaluate(noise, Vec3d(i % 27, i / 27 % 27, i / 729) + at - o.shift, 0));
    EXPECT_NEAR(std::sqrt(sum / 20000), 1, 0.05) << at.x << at.y << at.z;
  }
}

TEST(CurlNoise, EvolvesSmoothlyAndDependsOnTheSeed) {
  const CurlNoise noise{1, 1, 2, 0.5, 2, 4};
  const Vec3d x(0.3, 0.4, 0.5);
  const auto slope = [&](double t, double h) {
    return (evaluate(noise, x, t + h) - evaluate(noise, x, t - h)) / (2 * h);
  };
  for (double t = 0; t < 3; t += 0.01) EXPECT_LT(norm(slope(t, 1e-4) - slope(t, 2e-4)), 1e-3) << t;
  EXPECT_GT(norm(evaluate(noise, x, 0) - evaluate(noise, x, 0.3)), 0.01);
  CurlNoise other = noise;
  other.seed = 5;
  EXPECT_GT(norm(evaluate(noise, x, 0) - evaluate(other, x, 0)), 0.01);
}

TEST(CurlNoise, StaysBoundedFarAwayAndPassesOnNaN) {
  const CurlNoise noise{1, 0.1, 2, 0.5, 1, 4};
  EXPECT_LT(norm(evaluate(noise, Vec3d(1e15, -1e300, 3), 1)), 10);
  EXPECT_FALSE(is_finite(evaluate(noise, Vec3d(0, std::numeric_limits<double>::quiet_NaN(), 0), 1)));
}

}  // namespace
}  // namespace ymir
