// Substeps in which nothing passes unseen: whatever meets within one has been found when it began.
#include "ymir/solids/detection/passing_time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "detection_scenes.h"
#include "ymir/physics/contact/closest_segments.h"
#include "ymir/solids/detection/contact_detection.h"

namespace ymir {
namespace {

using detection_scenes::random_vector;

constexpr double radius = 1e-3, longest = 0.1;  // [m], [s]

struct Flight {
  Vec3d x[4], v[4];  // two segments

  Boundary boundary(double dt) const {
    Boundary b;
    const double radii[2] = {radius, radius};
    for (int piece = 0; piece < 2; ++piece) {
      b.add_fiber({0, piece}, std::span(x).subspan(2 * static_cast<std::size_t>(piece), 2), radii, {}, {});
      for (int k = 0; k < 2; ++k) {
        BoundaryVertex& vertex = b.vertices_of(piece)[static_cast<std::size_t>(k)];
        vertex.way = v[2 * piece + k] * dt;
        vertex.travel = norm(vertex.way);
      }
    }
    return b;
  }
  // Whether they come nearer than their radii before t.
  bool meet_before(double t) const {
    constexpr int samples = 400;
    for (int k = 0; k <= samples; ++k) {
      Vec3d at[4];
      for (int i = 0; i < 4; ++i) at[i] = x[i] + v[i] * (t * k / samples);
      const Vec3d d = at[1] - at[0], e = at[3] - at[2];
      const auto nearest = closest_segments(at[0], d, at[2], e);
      if (norm(at[0] + d * nearest.s - at[2] - e * nearest.t) < 2 * radius) return true;
    }
    return false;
  }
  bool seen(double dt) const {
    ContactDetection detection;
    detection.find(boundary(dt), {}, dt);
    return !std::as_const(detection).contacts().empty();
  }
};

TEST(PassingTime, WhatMeetsInASubstepWasFoundWhenItBegan) {
  int shortened = 0, missed = 0, met = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(7, seed);
    Flight f;
    for (int piece = 0; piece < 2; ++piece) {
      const double edge = piece == 0 ? 0.02 * (1 + static_cast<double>(seed % 5)) : 0.03;
      f.x[2 * piece] = random_vector(random, seed % 2 == 0 ? 0.2 : 0.02);
      f.x[2 * piece + 1] = f.x[2 * piece] + normalized(random_vector(random, 1)) * edge;
      for (int k = 0; k < 2; ++k) f.v[2 * piece + k] = random_vector(random, seed % 3 == 0 ? 0.5 : 6);
    }
    const double dt = passing_time(f.boundary(longest), {}, longest);
    ASSERT_GT(dt, 0);
    ASSERT_LE(dt, longest);
    shortened += dt < longest ? 1 : 0;
    missed += f.meet_before(longest) && !f.seen(longest) ? 1 : 0;
    if (!f.meet_before(dt)) continue;
    ++met;
    EXPECT_TRUE(f.seen(dt)) << "pair " << seed;
  }
  // It does happen, and substeps are shortened for little more than that.
  EXPECT_GT(missed, 50);
  EXPECT_GT(met, 50);
  EXPECT_LT(shortened, 2000);
}

// What moves as one does not pass anything, however fast.
TEST(PassingTime, FastMotionOfAllIsNoReason) {
  Flight f{{{0, 0, 0}, {0.02, 0, 0}, {0, 0.003, 0.01}, {0.02, 0.003, -0.01}}, {}};
  for (Vec3d& v : f.v) v = {30, -10, 5};
  EXPECT_EQ(passing_time(f.boundary(longest), {}, longest), longest);
  f.v[0] = f.v[1] = {30, 10, 5};
  // The longer of two edges of 2 cm and 2.83 cm bounds what is seen: half of it at 20 m/s, less a tenth.
  EXPECT_NEAR(passing_time(f.boundary(longest), {}, longest), 0.9 * 0.5 * std::sqrt(8e-4) / 20, 1e-12);
}

}  // namespace
}  // namespace ymir
