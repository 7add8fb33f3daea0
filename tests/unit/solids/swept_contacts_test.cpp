// Continuous detection: what crosses on straight ways has a contact that stops it, however far the ways are.
#include <gtest/gtest.h>

#include <cmath>

#include "detection_scenes.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/closest_segments.h"
#include "ymir/physics/contact/nearest_on_triangle.h"
#include "ymir/solids/detection/contact_detection.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

using detection_scenes::random_vector;

constexpr double radius = 1e-4;

void set_ways(Boundary& b, const std::vector<Vec3d>& ways) {
  for (std::size_t i = 0; i < ways.size(); ++i) b.vertices[i].way = ways[i], b.vertices[i].travel = norm(ways[i]);
}

std::vector<Contact> found(const Boundary& b, bool continuous) {
  ContactDetection detection;
  detection.continuous = continuous;
  detection.find(b, {}, 0.01);
  const auto contacts = std::as_const(detection).contacts();
  return {contacts.begin(), contacts.end()};
}

Vec3d at(const Boundary& b, const ContactSide& side, double time) {
  Vec3d sum{0, 0, 0};
  for (std::size_t k = 0; k < 3 && side.vertex[k] >= 0; ++k) {
    const BoundaryVertex& v = b.vertices[static_cast<std::size_t>(side.vertex[k])];
    sum += (v.x + v.way * time) * side.weight[k];
  }
  return sum;
}

// Whether the way to its end would break some contact.
bool stopped(const Boundary& b, bool continuous) {
  for (const Contact& c : found(b, continuous)) {
    const Vec3d way = at(b, c.a, 1) - at(b, c.b, 1) - (at(b, c.a, 0) - at(b, c.b, 0));
    if (c.gap + dot(c.normal, way) < 0) return true;
  }
  return false;
}

double volume(Vec3d a, Vec3d b, Vec3d c, Vec3d d) { return dot(cross(b - a, c - a), d - a); }

// Clearly in the middle of both, when the four points come into one plane.
template <class Inside>
bool crosses(const std::vector<Vec3d>& x, const std::vector<Vec3d>& way, const Inside& inside) {
  constexpr int samples = 400;
  const auto moved = [&](double t) {
    std::vector<Vec3d> y;
    for (std::size_t i = 0; i < 4; ++i) y.push_back(x[i] + way[i] * t);
    return y;
  };
  std::vector<Vec3d> before = moved(0);
  for (int k = 1; k <= samples; ++k) {
    std::vector<Vec3d> now = moved(static_cast<double>(k) / samples);
    const double from = volume(before[0], before[1], before[2], before[3]), to = volume(now[0], now[1], now[2], now[3]);
    if (from * to < 0 && inside(now)) return true;
    before = now;
  }
  return false;
}

bool edges_meet(const std::vector<Vec3d>& y) {
  const auto p = closest_segments(y[0], y[1] - y[0], y[2], y[3] - y[2]);
  return std::min({p.s, p.t, 1 - p.s, 1 - p.t}) > 0.1 &&
         norm(y[0] + (y[1] - y[0]) * p.s - y[2] - (y[3] - y[2]) * p.t) < 0.02;
}
bool face_is_met(const std::vector<Vec3d>& y) {
  const Vec3d w = nearest_on_triangle(y[1], y[2], y[3], y[0]);
  return std::min({w.x, w.y, w.z}) > 0.1 && norm(y[1] * w.x + y[2] * w.y + y[3] * w.z - y[0]) < 0.02;
}

struct Pair {
  std::vector<Vec3d> x, way;
};

// Elements of about 1 cm, apart by about 10 cm, that fly through each other.
Pair random_pair(std::uint64_t seed, std::size_t first, std::size_t all) {
  Random random(7, seed);
  Pair p;
  const Vec3d direction = normalized(random_vector(random, 1)), away = direction * random.uniform(0.05, 0.15);
  for (std::size_t i = 0; i < all; ++i) {
    p.x.push_back(random_vector(random, 0.01) + (i < first ? Vec3d{0, 0, 0} : away));
    p.way.push_back(direction * (i < first ? 0.3 : 0.0) + random_vector(random, 0.003));
  }
  return p;
}

template <class Make, class Inside>
void expect_all_stopped(std::size_t first, bool margins_miss, const Make& make, const Inside& inside) {
  int crossing = 0, missed = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Pair p = random_pair(seed, first, 4);
    if (!crosses(p.x, p.way, inside)) continue;
    ++crossing;
    Boundary b;
    make(b, p.x);
    set_ways(b, p.way);
    EXPECT_TRUE(stopped(b, true)) << seed;
    missed += stopped(b, false) ? 0 : 1;
  }
  EXPECT_GT(crossing, 30);
  // Margins of loose points have no bound.
  if (margins_miss) {
    EXPECT_GT(missed, crossing / 2) << "margins alone find them";
  }
}

void add_triangle(Boundary& b, std::int32_t object, const std::vector<Vec3d>& x) {
  b.add_mesh({object, 0}, x, std::vector<std::array<std::int32_t, 3>>{{0, 1, 2}}, 2 * radius, {}, {});
}

TEST(SweptContacts, FastFibresDoNotPassEachOther) {
  expect_all_stopped(
      2, true,
      [](Boundary& b, const std::vector<Vec3d>& x) {
        const std::vector<double> radii(2, radius);
        b.add_fiber({0, 0}, std::vector<Vec3d>{x[0], x[1]}, radii, {}, {});
        b.add_fiber({1, 0}, std::vector<Vec3d>{x[2], x[3]}, radii, {}, {});
      },
      edges_meet);
}

TEST(SweptContacts, FastPointsDoNotPassTriangles) {
  expect_all_stopped(
      1, false,
      [](Boundary& b, const std::vector<Vec3d>& x) {
        b.add_points(0, std::vector<std::int64_t>{0}, std::vector<Vec3d>{x[0]}, std::vector<double>{radius}, {});
        add_triangle(b, 1, {x[1], x[2], x[3]});
      },
      face_is_met);
}

// Triangles whose edge, or corner, goes through the other's.
TEST(SweptContacts, FastTrianglesDoNotPassEachOther) {
  for (const bool edges : {true, false}) {
    int crossing = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      const Pair p = random_pair(seed, 3, 6);
      const auto take = [&](const std::vector<Vec3d>& from, std::array<std::size_t, 4> which) {
        std::vector<Vec3d> four;
        for (const std::size_t k : which) four.push_back(from[k]);
        return four;
      };
      const std::array<std::size_t, 4> which =
          edges ? std::array<std::size_t, 4>{0, 1, 3, 4} : std::array<std::size_t, 4>{0, 3, 4, 5};
      const bool met = edges ? crosses(take(p.x, which), take(p.way, which), edges_meet)
                             : crosses(take(p.x, which), take(p.way, which), face_is_met);
      if (!met) continue;
      ++crossing;
      Boundary b;
      add_triangle(b, 0, {p.x[0], p.x[1], p.x[2]});
      add_triangle(b, 1, {p.x[3], p.x[4], p.x[5]});
      set_ways(b, p.way);
      EXPECT_TRUE(stopped(b, true)) << seed << (edges ? ", edges" : ", corner");
    }
    EXPECT_GT(crossing, 30);
  }
}

// As far as nothing passes, nothing is found, and many fibres that move together are not fast.
TEST(SweptContacts, WhatMovesTogetherHasNone) {
  Boundary b = detection_scenes::wavy_fibers(40, 20, 3);
  const std::size_t without = found(b, false).size();
  for (BoundaryVertex& v : b.vertices) v.way = {0.4, -0.1, 0.2};
  EXPECT_EQ(found(b, true).size(), without);
}

TEST(SweptContacts, ThreadsChangeNothing) {
  Boundary b = detection_scenes::wavy_fibers(60, 20, 5);
  for (std::size_t i = 0; i < b.vertices.size(); ++i) {
    Random random(9, i);
    b.vertices[i].way = random_vector(random, 0.02);
    b.vertices[i].travel = 1e-4;
  }
  const int before = threads();
  set_threads(1);
  const auto one = found(b, true);
  set_threads(3);
  const auto three = found(b, true);
  set_threads(before);
  ASSERT_EQ(one.size(), three.size());
  EXPECT_GT(one.size(), found(b, false).size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].gap, three[k].gap) << k;
    EXPECT_EQ(one[k].normal, three[k].normal) << k;
  }
}

}  // namespace
}  // namespace ymir
