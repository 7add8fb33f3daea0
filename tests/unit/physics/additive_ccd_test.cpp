// Conservative times of contact: never beyond the first touch that samples of the motion show, and not far before it.
#include "ymir/physics/contact/additive_ccd.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ymir/base/random.h"

namespace ymir {
namespace {

constexpr double thickness = 0.05;
constexpr int samples = 400;

Vec3d random_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

struct Tally {
  int cases = 0, unsafe = 0, hits = 0, misses = 0;
  double lead = 0;  // sum over hits of the time before the first sample that touches
};

// N vertices of which some pairs are nearly parallel; time(x, p) is the safe one, distance(x) the exact one.
template <int N, class Time, class Distance>
Tally count(int cases, const Time& time, const Distance& distance) {
  Tally tally;
  for (int i = 0; i < cases; ++i) {
    Random random(3, static_cast<std::uint64_t>(i));
    Vec3d x[N], p[N];
    for (Vec3d& v : x) v = random_vector(random, 1);
    if (N >= 4 && i % 2 == 1) {
      x[1] = x[0] + (x[1] - x[0]) * 0.5;
      x[3] = x[2] + (x[1] - x[0]) + random_vector(random, 1e-3);
    }
    if (distance(x) <= thickness * 1.01) continue;
    for (Vec3d& v : p) v = random_vector(random, i % 4 < 2 ? 1 : 6);
    if (N < 4 && i % 2 == 0) p[N - 1] = p[0] + x[0] - x[N - 1] + random_vector(random, 0.1);  // aims at the other
    if (i % 8 == 7)
      for (Vec3d& v : p) v = p[0];  // moves as a whole
    const double safe = time(x, p);
    EXPECT_TRUE(safe >= 0 && safe <= 1) << i;
    ++tally.cases;
    double first = 2;
    for (int k = 0; k <= samples && first > 1; ++k) {
      Vec3d y[N];
      const double t = static_cast<double>(k) / samples;
      for (int v = 0; v < N; ++v) y[v] = x[v] + p[v] * t;
      if (distance(y) <= thickness) first = t;
    }
    if (first <= safe) ++tally.unsafe;
    if (first > 1) continue;
    ++tally.hits;
    tally.lead += first - safe;
  }
  return tally;
}

double segments(const Vec3d (&x)[4]) {
  const auto at = closest_segments(x[0], x[1] - x[0], x[2], x[3] - x[2]);
  return norm(x[0] + (x[1] - x[0]) * at.s - x[2] - (x[3] - x[2]) * at.t);
}
double point_triangle(const Vec3d (&x)[4]) {
  const Vec3d w = nearest_on_triangle(x[1], x[2], x[3], x[0]);
  return norm(x[0] - x[1] * w.x - x[2] * w.y - x[3] * w.z);
}
double segment_triangle(const Vec3d (&x)[5]) {
  return std::sqrt(closest_segment_triangle(x[0], x[1], x[2], x[3], x[4]).distance2);
}

void expect_safe(const Tally& tally, const char* what) {
  EXPECT_GT(tally.cases, 1000) << what;
  EXPECT_GT(tally.hits, tally.cases / 20) << what;
  EXPECT_EQ(tally.unsafe, 0) << what;
  EXPECT_LT(tally.lead / tally.hits, 0.15) << what;  // a tenth of the gap is kept, more of it when they graze
  EXPECT_GT(tally.lead, 0) << what;
}

TEST(AdditiveCcd, IsNeverUnsafe) {
  const auto time = [](const auto& safe) {
    return [&safe](const auto& x, const auto& p) { return safe(x, p, thickness); };
  };
  expect_safe(count<4>(4000, time(segments_safe_time), segments), "segments");
  expect_safe(count<4>(4000, time(point_triangle_safe_time), point_triangle), "point and triangle");
  expect_safe(count<5>(4000, time(segment_triangle_safe_time), segment_triangle), "segment and triangle");
  expect_safe(count<3>(4000, time(point_segment_safe_time),
                       [](const Vec3d(&x)[3]) {
                         return norm(x[0] - x[1] - (x[2] - x[1]) * nearest_on_segment(x[1], x[2], x[0]));
                       }),
              "point and segment");
  expect_safe(count<2>(8000, time(points_safe_time), [](const Vec3d(&x)[2]) { return norm(x[0] - x[1]); }), "points");
}

TEST(AdditiveCcd, FindsTheTimeOfAHeadOnMeeting) {
  // A gap of 0.9 that closes by 3 in the step.
  const Vec3d x[2] = {{0, 0, 0}, {1, 0, 0}}, p[2] = {{2, 0, 0}, {-1, 0, 0}};
  const double safe = points_safe_time(x, p, 0.1);
  EXPECT_LT(safe, 0.3);
  EXPECT_GT(safe, 0.3 * 0.85);  // a tenth of the gap is kept
  EXPECT_EQ(points_safe_time(x, p, 1.0), 0);
  const Vec3d apart[2] = {{-1, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(points_safe_time(x, apart, 0.1), 1);
}

}  // namespace
}  // namespace ymir
