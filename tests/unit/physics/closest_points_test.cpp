// Closest points against sampling: squared distances are convex in the parameters, so that a grid of samples, drawn
// together around its least again and again, finds the least of all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/random.h"
#include "ymir/math/quaternion.h"
#include "ymir/math/simd.h"
#include "ymir/physics/contact/closest_segment_triangle.h"

namespace ymir {
namespace {

Vec3d random_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

// Least of f(u, v) over the unit square, or over its half u + v <= 1.
template <class F>
double least_sampled(const F& f, bool triangle) {
  double cu = 0.5, cv = 0.5, width = 0.5, least = 1e300;
  for (int zoom = 0; zoom < 40; ++zoom) {
    double bu = cu, bv = cv;
    for (int i = -4; i <= 4; ++i)
      for (int j = -4; j <= 4; ++j) {
        const double u = std::clamp(cu + width * i / 4, 0.0, 1.0);
        const double v = std::clamp(cv + width * j / 4, 0.0, triangle ? 1 - u : 1.0);
        const double value = f(u, v);
        if (value < least) {
          least = value;
          bu = u;
          bv = v;
        }
      }
    cu = bu;
    cv = bv;
    width *= 0.6;
  }
  return least;
}

double segments_distance(const Vec3d* x, double s, double t) {
  return norm(x[0] + (x[1] - x[0]) * s - x[2] - (x[3] - x[2]) * t);
}

// Random, nearly parallel, parallel, without length, far from the origin.
void make_segments(int i, Vec3d* x) {
  Random random(7, static_cast<std::uint64_t>(i));
  for (int k = 0; k < 4; ++k) x[k] = random_vector(random, 1);
  const Vec3d d = x[1] - x[0];
  if (i % 8 == 1) x[3] = x[2] + d * random.uniform(-2, 2) + random_vector(random, std::pow(10.0, -1.0 - i % 11));
  if (i % 8 == 2) x[3] = x[2] + d * random.uniform(-2, 2);
  if (i % 8 == 3) x[1] = x[0];
  if (i % 8 == 4) x[3] = x[2];
  if (i % 8 == 5) x[3] = x[2], x[1] = x[0];
  if (i % 8 == 6) x[2] = x[0] + d * random.uniform(-2, 2), x[3] = x[2] + d * random.uniform(-2, 2);
  if (i % 5 == 4)
    for (int k = 0; k < 4; ++k) x[k] += Vec3d{1e4, -2e4, 3e4};
}

TEST(ClosestSegments, AreAsNearAsAnySample) {
  for (int i = 0; i < 4000; ++i) {
    Vec3d x[4];
    make_segments(i, x);
    const auto at = closest_segments(x[0], x[1] - x[0], x[2], x[3] - x[2]);
    ASSERT_TRUE(at.s >= 0 && at.s <= 1 && at.t >= 0 && at.t <= 1) << i;
    const double sampled = least_sampled([&](double u, double v) { return segments_distance(x, u, v); }, false);
    const double size = 1e-12 * norm(x[0]) + 2e-6;  // a parallel pair is sin = 1e-6 off at most
    EXPECT_LE(segments_distance(x, at.s, at.t), sampled + size) << i;
  }
}

TEST(ClosestSegments, OfParallelOnesAreInTheMiddle) {
  const auto same = closest_segments({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0});
  EXPECT_DOUBLE_EQ(same.s, 0.5);
  EXPECT_DOUBLE_EQ(same.t, 0.5);
  const auto beside = closest_segments({0, 0, 0}, {1, 0, 0}, {4, 1, 0}, {-1, 0, 0});
  EXPECT_DOUBLE_EQ(beside.s, 1);
  EXPECT_DOUBLE_EQ(beside.t, 1);
}

TEST(ClosestSegments, InLanesAreThoseOfNumbers) {
  using Lane = Lanes<double, 4>;
  for (int i = 0; i < 400; i += 4) {
    Vec3d x[4][4];
    Vec3<Lane> v[4];
    for (int lane = 0; lane < 4; ++lane) {
      make_segments(i + lane, x[lane]);
      for (int k = 0; k < 4; ++k) {
        v[k].x.set(lane, x[lane][k].x);
        v[k].y.set(lane, x[lane][k].y);
        v[k].z.set(lane, x[lane][k].z);
      }
    }
    const auto at = closest_segments(v[0], v[1] - v[0], v[2], v[3] - v[2], 1e-12, 1e-300);
    for (int lane = 0; lane < 4; ++lane) {
      const Vec3d* y = x[lane];
      const auto one = closest_segments(y[0], y[1] - y[0], y[2], y[3] - y[2]);
      EXPECT_EQ(at.s[lane], one.s);
      EXPECT_EQ(at.t[lane], one.t);
    }
  }
}

TEST(NearestOnTriangle, IsAsNearAsAnySample) {
  for (int i = 0; i < 4000; ++i) {
    Random random(8, static_cast<std::uint64_t>(i));
    Vec3d x = random_vector(random, 1), a = random_vector(random, 1), b = random_vector(random, 1),
          c = random_vector(random, 1);
    if (i % 4 == 1) c = a + (b - a) * random.uniform(-1, 2);  // no area
    if (i % 4 == 2) c = a + (b - a) * random.uniform(-1, 2) + random_vector(random, std::pow(10.0, -3.0 - i % 13));
    if (i % 16 == 3) b = c = a;
    const Vec3d w = nearest_on_triangle(a, b, c, x);
    ASSERT_NEAR(w.x + w.y + w.z, 1, 1e-12);
    ASSERT_TRUE(w.x >= -1e-12 && w.y >= -1e-12 && w.z >= -1e-12) << i;
    const auto f = [&](double u, double v) { return norm(a * (1 - u - v) + b * u + c * v - x); };
    EXPECT_LE(norm(a * w.x + b * w.y + c * w.z - x), least_sampled(f, true) + 1e-7) << i;
  }
}

TEST(ClosestSegmentTriangle, IsAsNearAsAnySample) {
  int pierced = 0;
  for (int i = 0; i < 1500; ++i) {
    Random random(9, static_cast<std::uint64_t>(i));
    Vec3d p = random_vector(random, 1), q = random_vector(random, 1), a = random_vector(random, 1),
          b = random_vector(random, 1), c = random_vector(random, 1);
    if (i % 6 == 1) q = p + (b - a) * random.uniform(-1, 1) + (c - a) * random.uniform(-1, 1);  // parallel to it
    if (i % 6 == 2) q = p;
    if (i % 6 == 3) c = b + (a - b) * random.uniform(-1, 1);
    if (i % 6 == 4) p = a * 0.3 + b * 0.3 + c * 0.4;  // touches it
    const SegmentTrianglePoints at = closest_segment_triangle(p, q, a, b, c);
    const Vec3d w = at.weights;
    ASSERT_TRUE(at.s >= 0 && at.s <= 1 && w.x >= -1e-12 && w.y >= -1e-12 && w.z >= -1e-12) << i;
    ASSERT_NEAR(w.x + w.y + w.z, 1, 1e-12);
    const double distance = norm(p + (q - p) * at.s - a * w.x - b * w.y - c * w.z);
    ASSERT_NEAR(distance, std::sqrt(at.distance2), 1e-12);
    pierced += at.distance2 == 0;
    // Least over the triangle for a point of the segment is exact by the test above; over the segment by sampling.
    const auto f = [&](double s, double) {
      const Vec3d x = p + (q - p) * s, v = nearest_on_triangle(a, b, c, x);
      return norm(x - a * v.x - b * v.y - c * v.z);
    };
    EXPECT_LE(distance, least_sampled(f, false) + 1e-7) << i;
  }
  EXPECT_GT(pierced, 50);
}

}  // namespace
}  // namespace ymir
