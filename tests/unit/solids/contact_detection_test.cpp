// Contacts that the trees find against all pairs, whatever the threads, the order of the tree and the axes.
#include "ymir/solids/detection/contact_detection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "detection_scenes.h"
#include "ymir/math/quaternion.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/closest_segment_triangle.h"
#include "ymir/physics/contact/nearest_on_triangle.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

using detection_scenes::random_vector;

std::vector<Contact> contacts_of(const Boundary& boundary) {
  ContactDetection detection;
  detection.find(boundary, {}, 0.01);
  const std::span<const Contact> found = std::as_const(detection).contacts();
  return {found.begin(), found.end()};
}

std::vector<Vec3d> places(const Boundary& boundary) {
  std::vector<Vec3d> x;
  for (const BoundaryVertex& v : boundary.vertices) x.push_back(v.x);
  return x;
}

// Fibres of one edge.
struct SegmentScene {
  std::vector<Vec3d> ends;  // two of each
  std::vector<double> radii, travel;

  Boundary boundary() const {
    Boundary b;
    for (std::size_t i = 0; i < radii.size(); ++i) {
      const double r[2] = {radii[i], radii[i]};
      const auto piece = b.add_fiber({0, static_cast<std::int64_t>(i)}, std::span(ends).subspan(2 * i, 2), r, {}, {});
      for (BoundaryVertex& v : b.vertices_of(piece)) v.travel = travel[i];
    }
    return b;
  }
  double limit(std::size_t i, std::size_t j) const {
    const double li = norm(ends[2 * i + 1] - ends[2 * i]), lj = norm(ends[2 * j + 1] - ends[2 * j]);
    const double margin = std::min(std::min(travel[i], li / 2) + std::min(travel[j], lj / 2), std::max(li, lj) / 2);
    return radii[i] + radii[j] + margin;
  }
  double distance(std::size_t i, std::size_t j) const {
    const Vec3d p = ends[2 * i], q = ends[2 * j], d = ends[2 * i + 1] - p, e = ends[2 * j + 1] - q;
    const auto at = closest_segments(p, d, q, e);
    // Of nearly parallel segments that is not the closest; an end of them is.
    const auto above = [](Vec3d x, Vec3d from, Vec3d along) {
      return norm(x - from - along * nearest_on_segment(from, from + along, x));
    };
    return std::min(
        {norm(p + d * at.s - q - e * at.t), above(p, q, e), above(p + d, q, e), above(q, p, d), above(q + e, p, d)});
  }
  double rounding(std::size_t i) const { return 1e-15 + 1e-16 * norm(ends[2 * i]); }
};

// Crossing, nearly parallel at all angles, parallel, coincident, long among short, without length.
SegmentScene segments(int count, Vec3d origin, std::uint64_t seed) {
  SegmentScene scene;
  for (int i = 0; i < count; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    Vec3d p = random_vector(random, 0.1), d = normalized(random_vector(random, 1)) * 0.02;
    if (i % 10 == 1) d = Vec3d{0.02, 0, 0} + random_vector(random, std::pow(10.0, -3.0 - i % 7));
    if (i % 10 == 2) d = {0.02, 0, 0};
    if (i % 10 == 3) d = {0, 0, 0};
    if (i % 40 == 4) d = d * 8.0;
    if (i % 50 == 5 && i > 0) {
      p = scene.ends[scene.ends.size() - 2] - origin;
      d = scene.ends.back() - scene.ends[scene.ends.size() - 2];
    }
    scene.ends.push_back(origin + p);
    scene.ends.push_back(origin + p + d);
    scene.radii.push_back(random.uniform(2e-4, 2e-3));
    scene.travel.push_back(i % 3 == 0 ? random.uniform(0, 3e-2) : 0);
  }
  return scene;
}

void expect_all_pairs(const SegmentScene& scene, const std::vector<Contact>& contacts) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> found;
  for (const Contact& c : contacts) {
    EXPECT_LT(c.a.element, c.b.element);
    double& least = found.emplace(std::pair(c.a.piece, c.b.piece), c.gap).first->second;
    least = std::min(least, c.gap);
  }
  std::size_t expected = 0;
  for (std::size_t i = 0; i < scene.radii.size(); ++i)
    for (std::size_t j = i + 1; j < scene.radii.size(); ++j) {
      const double distance = scene.distance(i, j), limit = scene.limit(i, j);
      if (std::abs(distance - limit) < 1e-12) continue;
      const auto at = found.find({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      ASSERT_EQ(at != found.end(), distance < limit) << i << " " << j << " " << distance << " " << limit;
      if (at == found.end()) continue;
      ++expected;
      const double radii = scene.radii[i] + scene.radii[j];
      EXPECT_NEAR(at->second, distance - radii, scene.rounding(i) + 1e-9 * radii);
    }
  EXPECT_EQ(expected, found.size());
  EXPECT_GT(expected, scene.radii.size() / 4);
}

TEST(ContactDetection, FindsAllPairsOfSegments) {
  for (const Vec3d origin : {Vec3d{0, 0, 0}, Vec3d{100, -200, 50}, Vec3d{2e4, 1e4, -3e4}}) {
    const SegmentScene scene = segments(1500, origin, 1);
    expect_all_pairs(scene, contacts_of(scene.boundary()));
  }
}

TEST(ContactDetection, FindsPairsAtTheLimitHoweverParallel) {
  // Two segments that cross at any angle, a billionth of their radii below what keeps them apart; each pair by itself.
  SegmentScene scene;
  constexpr std::size_t pairs = 3000;
  for (std::size_t i = 0; i < pairs; ++i) {
    Random random(21, i);
    const Vec3d middle = random_vector(random, 20);
    const Quaternion turn = quaternion_exp(random_vector(random, 3));
    const double angle = std::pow(10.0, -random.uniform(0, 7)), radius = std::pow(10.0, -random.uniform(2, 4));
    const double size = random.uniform(0.01, 0.1), other = size * std::pow(10.0, random.uniform(-1, 1));
    const Vec3d d{size, 0, 0}, e = Vec3d{std::cos(angle), std::sin(angle), 0} * other;
    const Vec3d p = d * -random.uniform(0, 1), q = e * -random.uniform(0, 1) + Vec3d{0, 0, 2 * radius * (1 - 1e-9)};
    for (const Vec3d& x : {p, p + d, q, q + e}) scene.ends.push_back(middle + rotate(turn, x));
    scene.radii.insert(scene.radii.end(), {radius, radius});
    scene.travel.insert(scene.travel.end(), {0, 0});
  }
  std::set<std::int32_t> found;
  for (const Contact& c : contacts_of(scene.boundary()))
    if (c.b.piece == c.a.piece + 1 && c.a.piece % 2 == 0) found.insert(c.a.piece / 2);
  for (std::size_t i = 0; i < pairs; ++i)
    EXPECT_TRUE(found.contains(static_cast<std::int32_t>(i)) ||
                scene.distance(2 * i, 2 * i + 1) >= scene.limit(2 * i, 2 * i + 1))
        << i;
  EXPECT_GT(found.size(), 9 * pairs / 10);
}

TEST(ContactDetection, FindsPointsAtTheLimitAlongTheAxes) {
  // There boxes only just overlap, and are rounded to single precision.
  constexpr double radius = 1e-4;
  std::vector<std::int64_t> ids;
  std::vector<Vec3d> x;
  for (int i = 0; i < 3000; ++i) {
    Random random(22, static_cast<std::uint64_t>(i));
    x.push_back(random_vector(random, 20));
    Vec3d next = x.back();
    next[i % 3] += 2 * radius * (1 - 1e-9);
    x.push_back(next);
    ids.insert(ids.end(), {2 * i, 2 * i + 1});
  }
  Boundary boundary;
  boundary.add_points(0, ids, x, std::vector<double>(x.size(), radius), {});
  EXPECT_EQ(contacts_of(boundary).size(), 3000u);
}

TEST(ContactDetection, FindsAllPairsAfterEverythingMoved) {
  // The order of the tree is that of the first positions; later ones are asked both ways.
  SegmentScene scene = segments(700, {0, 0, 0}, 2);
  Boundary boundary = scene.boundary();
  ContactDetection kept, anew;
  anew.order_always(true);
  for (int step = 0; step < 12; ++step) {
    kept.find(boundary, {}, 0.01);
    anew.find(boundary, {}, 0.01);
    const std::vector<Contact> contacts(kept.contacts().begin(), kept.contacts().end());
    expect_all_pairs(scene, contacts);
    ASSERT_EQ(kept.contacts().size(), anew.contacts().size());
    for (std::size_t i = 0; i < contacts.size(); ++i) EXPECT_EQ(contacts[i].gap, anew.contacts()[i].gap);
    for (std::size_t i = 0; i < scene.ends.size(); ++i) {
      Random random(77, i / 2 + 10000 * static_cast<std::uint64_t>(step));
      scene.ends[i] += random_vector(random, 0.002 * step);
      boundary.vertices[i].x = scene.ends[i];
    }
  }
  EXPECT_EQ(anew.orderings(), 12);
  EXPECT_GT(kept.orderings(), 1);  // blocks had spread
  EXPECT_LT(kept.orderings(), 12);
}

TEST(ContactDetection, StandsNothingAndWhatIsNotANumber) {
  ContactDetection detection;
  Boundary boundary;
  detection.find(boundary, {}, 0.01);
  detection.accept(boundary);
  EXPECT_TRUE(detection.contacts().empty());
  // One segment; then pieces come and go.
  const SegmentScene one = segments(1, {0, 0, 0}, 3), many = segments(300, {0, 0, 0}, 3);
  boundary = one.boundary();
  detection.find(boundary, {}, 0);
  EXPECT_TRUE(detection.contacts().empty());
  boundary.clear();
  detection.find(boundary, {}, 0);
  boundary = many.boundary();
  ContactDetection anew;
  anew.find(boundary, {}, 0.01);
  const std::size_t count = anew.contacts().size();
  EXPECT_GT(count, 20u);
  // A vertex that is lost touches nothing; the others do.
  std::set<std::int32_t> lost;
  for (const std::size_t i : {std::size_t{7}, std::size_t{40}, many.ends.size() / 2}) {
    boundary.vertices[i].x.y = i == 40 ? 1e300 : std::nan("");
    lost.insert(boundary.vertices[i].piece);
  }
  std::size_t left = 0;
  for (const Contact& c : anew.contacts()) left += !lost.contains(c.a.piece) && !lost.contains(c.b.piece);
  ContactDetection other;
  other.find(boundary, {}, 0.01);
  std::size_t found = 0;
  for (const Contact& c : other.contacts()) {
    EXPECT_TRUE(std::isfinite(c.gap));
    found += !lost.contains(c.a.piece) && !lost.contains(c.b.piece);
  }
  EXPECT_EQ(found, left);
}

TEST(ContactDetection, DoesNotDependOnThreads) {
  // All families; and enough elements and candidates that threads share them.
  const int before = threads();
  const Boundary mixed = detection_scenes::mixed(5), many = detection_scenes::many(5);
  for (const Boundary* boundary : {&mixed, &many}) {
    std::vector<std::uint64_t> hashes;
    for (const int count : {1, 2, 5}) {
      set_threads(count);
      ContactDetection detection;
      for (int k = 0; k < 2; ++k) {
        detection.find(*boundary, {}, 0.01);
        for (Contact& c : detection.contacts()) c.impulse = c.normal * c.gap;
        detection.accept(*boundary);
      }
      hashes.push_back(detection.memory().hash());
      std::set<ContactFamily> present;
      for (const Contact& c : detection.contacts()) present.insert(c.family);
      EXPECT_EQ(present.size(), 6u);
      EXPECT_GT(detection.candidates(), boundary == &many ? 60'000 : 0);
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  }
  set_threads(before);
}

TEST(ContactDetection, TurnsWithTheScene) {
  const Boundary boundary = detection_scenes::mixed(6);
  const Quaternion turn = quaternion_exp(normalized(Vec3d{1, 2, -1}) * (M_PI / 6));
  Boundary turned = boundary;
  for (BoundaryVertex& v : turned.vertices) v.x = rotate(turn, v.x);
  const std::vector<Contact> contacts = contacts_of(boundary), others = contacts_of(turned);
  ASSERT_EQ(contacts.size(), others.size());
  ASSERT_GT(contacts.size(), 300u);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    // A vertex belongs to the segments, edges or triangles around it: places are compared, not numbers.
    ASSERT_LT(norm(rotate(turn, place_of(boundary, contacts[i].a)) - place_of(turned, others[i].a)), 1e-12);
    ASSERT_LT(norm(rotate(turn, place_of(boundary, contacts[i].b)) - place_of(turned, others[i].b)), 1e-12);
    EXPECT_NEAR(contacts[i].gap, others[i].gap, 1e-13);
    EXPECT_LT(norm(rotate(turn, contacts[i].normal) - others[i].normal), 1e-7);
  }
}

TEST(ContactDetection, AllocatesNothingOnceWarm) {
  const int before = threads();
  set_threads(1);
  Boundary boundary = detection_scenes::mixed(7);
  ContactDetection detection;
  const auto substep = [&] {
    detection.find(boundary, {}, 0.01);
    detection.accept(boundary);
  };
  for (int k = 0; k < 3; ++k) substep();
  const std::uint64_t allocations = detection_scenes::allocations();
  for (BoundaryVertex& v : boundary.vertices) v.x += Vec3d{1e-6, 0, 0};
  substep();
  EXPECT_EQ(detection_scenes::allocations(), allocations);
  set_threads(before);
}

// Fibres that lie along each other: what closes next is known before it does, or they would rock from place to place.
TEST(ContactDetection, FindsWhereFibersAreClosestAndTheirVertices) {
  const Boundary boundary = detection_scenes::wavy_fibers(60, 25, 3);
  constexpr int vertices = 26;  // of a fibre
  const std::vector<Contact> contacts = contacts_of(boundary);
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<const Contact*>> of_pair;
  for (const Contact& c : contacts) of_pair[{c.a.piece, c.b.piece}].push_back(&c);
  const auto apart = [](double a1, double b1, double a2, double b2) {
    return std::max(std::abs(a1 - a2), std::abs(b1 - b2));  // [edges]
  };
  for (const auto& [pair, list] : of_pair)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double edges = apart(list[i]->arc_a, list[i]->arc_b, list[j]->arc_a, list[j]->arc_b);
        const auto between = [](const Contact& c) { return std::fmod(c.arc_a, 1) != 0 && std::fmod(c.arc_b, 1) != 0; };
        EXPECT_TRUE(edges >= 0.05 || between(*list[i]) != between(*list[j]));
      }
  // Every pair of segments in reach has a contact, its own or a closer one nearby; so has each vertex.
  std::size_t pairs = 0, ends = 0;
  const std::vector<Vec3d> x = places(boundary);
  for (const std::int32_t i : boundary.segments)
    for (const std::int32_t j : boundary.segments) {
      const std::int32_t a = i / vertices, b = j / vertices;
      if (a >= b) continue;
      const Vec3d *p = &x[static_cast<std::size_t>(i)], *q = &x[static_cast<std::size_t>(j)];
      const auto& list = of_pair[{a, b}];
      const auto has = [&](double s, double t, double near_a, double near_b) {
        const double gap = norm(p[0] + (p[1] - p[0]) * s - q[0] - (q[1] - q[0]) * t) - 2e-3;
        if (gap >= 0) return true;  // nothing moves: no margin
        ++(near_a == near_b ? pairs : ends);
        return std::any_of(list.begin(), list.end(), [&](const Contact* c) {
          return c->gap <= gap + 1e-9 * 2e-3 && std::abs(c->arc_a - i % vertices - s) < near_a &&
                 std::abs(c->arc_b - j % vertices - t) < near_b;
        });
      };
      const auto at = closest_segments(p[0], p[1] - p[0], q[0], q[1] - q[0]);
      EXPECT_TRUE(has(at.s, at.t, 0.5, 0.5)) << i << " " << j;
      const double t = dot(p[0] - q[0], q[1] - q[0]) / dot(q[1] - q[0], q[1] - q[0]);
      const double s = dot(q[0] - p[0], p[1] - p[0]) / dot(p[1] - p[0], p[1] - p[0]);
      EXPECT_TRUE(!(t > 0 && t < 1) || has(0, t, 0.05, 0.5)) << i << " " << j;
      EXPECT_TRUE(!(s > 0 && s < 1) || has(s, 0, 0.5, 0.05)) << i << " " << j;
    }
  EXPECT_GT(pairs, 1000u);
  EXPECT_GT(ends, 1000u);
}

TEST(ContactDetection, MarginIsWhatBothTravelUpToHalfAnEdge) {
  // Two crossed segments of 2 cm; each of them covers `way`.
  const auto touches = [](double apart, double way) {
    SegmentScene scene;
    scene.ends = {{-0.01, 0, 0}, {0.01, 0, 0}, {0, -0.01, apart}, {0, 0.01, apart}};
    scene.radii = {1e-3, 1e-3};
    scene.travel = {way, way};
    return contacts_of(scene.boundary()).size() == 1;
  };
  EXPECT_TRUE(touches(2e-3 + 0.99 * 6e-3, 3e-3));
  EXPECT_FALSE(touches(2e-3 + 1.01 * 6e-3, 3e-3));
  EXPECT_TRUE(touches(2e-3 + 0.99e-2, 1));
  EXPECT_FALSE(touches(2e-3 + 1.01e-2, 1));
}

TEST(ContactDetection, FindsTheDistanceOfTriangles) {
  // Meshes of one triangle each: the least of their contacts is the distance of the two.
  for (const Vec3d origin : {Vec3d{0, 0, 0}, Vec3d{1e3, -2e3, 500}}) {
    Boundary boundary;
    constexpr int count = 250;
    constexpr double thickness = 0.012;
    for (int i = 0; i < count; ++i) {
      Random random(11, static_cast<std::uint64_t>(i));
      const Vec3d middle = origin + random_vector(random, 0.12);
      std::array<Vec3d, 3> x;
      for (Vec3d& p : x) p = middle + random_vector(random, 0.03);
      if (i % 20 == 7) x[2] = x[0] + (x[1] - x[0]) * 0.3;  // no area
      const std::array<std::int32_t, 3> triangle{0, 1, 2};
      boundary.add_mesh({0, i}, x, std::span(&triangle, 1), thickness, {}, {});
    }
    std::map<std::pair<std::int32_t, std::int32_t>, double> least;
    for (const Contact& c : contacts_of(boundary)) {
      const auto [at, first] = least.emplace(std::minmax(c.a.piece, c.b.piece), c.gap);
      if (!first) at->second = std::min(at->second, c.gap);
    }
    std::size_t found = 0;
    const std::vector<Vec3d> corners = places(boundary);
    for (std::int32_t i = 0; i < count; ++i)
      for (std::int32_t j = i + 1; j < count; ++j) {
        const Vec3d *x = &corners[static_cast<std::size_t>(3 * i)], *y = &corners[static_cast<std::size_t>(3 * j)];
        double distance2 = 1e30;
        for (int k = 0; k < 3; ++k) {
          distance2 = std::min(distance2, closest_segment_triangle(x[k], x[(k + 1) % 3], y[0], y[1], y[2]).distance2);
          distance2 = std::min(distance2, closest_segment_triangle(y[k], y[(k + 1) % 3], x[0], x[1], x[2]).distance2);
        }
        const double gap = std::sqrt(distance2) - thickness;
        if (distance2 == 0 || std::abs(gap) < 1e-12) continue;  // one passes through the other
        ASSERT_EQ(least.contains({i, j}), gap < 0) << i << " " << j << " " << gap;
        if (gap >= 0) continue;
        ++found;
        EXPECT_NEAR((least[{i, j}]), gap, 1e-9 * (1e-3 + norm(origin))) << i << " " << j;
      }
    EXPECT_GT(found, 200u);
  }
}

TEST(ContactDetection, FindsTheDistanceOfSegmentsAndPointsFromTriangles) {
  Boundary boundary;
  constexpr int count = 300;
  constexpr double thickness = 6e-3, radius = 3e-3;
  std::vector<std::int64_t> ids;
  std::vector<Vec3d> loose;
  for (int i = 0; i < 500; ++i) {
    Random random(14, static_cast<std::uint64_t>(i));
    ids.push_back(3 * i);
    loose.push_back(random_vector(random, 0.06));
  }
  boundary.add_points(0, ids, loose, std::vector<double>(loose.size(), radius), {});
  for (int i = 0; i < count; ++i) {
    Random random(12, static_cast<std::uint64_t>(i));
    const Vec3d p = random_vector(random, 0.06);
    const Vec3d ends[2] = {p, i % 30 == 3 ? p : p + random_vector(random, 0.03)};
    const double r[2] = {radius, radius};
    boundary.add_fiber({1, i}, ends, r, {}, {});
  }
  for (int i = 0; i < count; ++i) {
    Random random(13, static_cast<std::uint64_t>(i));
    const Vec3d middle = random_vector(random, 0.06);
    std::array<Vec3d, 3> x;
    for (Vec3d& p : x) p = middle + random_vector(random, 0.03);
    const std::array<std::int32_t, 3> triangle{0, 1, 2};
    boundary.add_mesh({2, i}, x, std::span(&triangle, 1), thickness, {}, {});
  }
  std::map<std::pair<std::int32_t, std::int32_t>, double> fibers, points, hairs, dust;
  for (const Contact& c : contacts_of(boundary)) {
    const auto note = [&](auto& list, std::int32_t a, std::int32_t b) {
      const auto [at, first] = list.emplace(std::pair(a, b), c.gap);
      if (!first) at->second = std::min(at->second, c.gap);
    };
    if (c.family == ContactFamily::fiber_face) note(fibers, c.a.piece, c.b.piece);
    if (c.family == ContactFamily::vertex_face && c.a.piece == 0) note(points, c.a.element, c.b.element);
    if (c.family == ContactFamily::point_fiber) note(hairs, c.a.element, c.b.element);
    if (c.family == ContactFamily::point_point) note(dust, c.a.element, c.b.element);
  }
  const auto check = [](const auto& list, std::int32_t a, std::int32_t b, double gap, double tolerance = 1e-12) {
    if (std::abs(gap) < 1e-12) return;
    ASSERT_EQ(list.contains({a, b}), gap < 0) << a << " " << b << " " << gap;
    if (gap < 0) {
      EXPECT_NEAR(list.at({a, b}), gap, tolerance);
    }
  };
  const std::vector<Vec3d> x = places(boundary);
  for (std::int32_t t = 0; t < count; ++t) {
    const auto& corner = boundary.triangles[static_cast<std::size_t>(t)];
    const auto at = [&](int k) {
      return boundary.vertices[static_cast<std::size_t>(corner[static_cast<std::size_t>(k)])].x;
    };
    for (std::int32_t s = 0; s < count; ++s) {
      const Vec3d* p = &x[static_cast<std::size_t>(boundary.segments[static_cast<std::size_t>(s)])];
      const double distance2 = closest_segment_triangle(p[0], p[1], at(0), at(1), at(2)).distance2;
      if (distance2 > 0) check(fibers, 1 + s, 1 + count + t, std::sqrt(distance2) - radius - thickness / 2, 1e-7);
    }
    for (std::int32_t v = 0; v < 500; ++v) {
      const Vec3d y = x[static_cast<std::size_t>(v)], w = nearest_on_triangle(at(0), at(1), at(2), y);
      check(points, v, t, norm(y - at(0) * w.x - at(1) * w.y - at(2) * w.z) - radius - thickness / 2);
    }
  }
  for (std::int32_t v = 0; v < 500; ++v) {
    const Vec3d y = x[static_cast<std::size_t>(v)];
    for (std::int32_t s = 0; s < count; ++s) {
      const Vec3d* p = &x[static_cast<std::size_t>(boundary.segments[static_cast<std::size_t>(s)])];
      check(hairs, v, boundary.segments[static_cast<std::size_t>(s)],
            norm(y - p[0] - (p[1] - p[0]) * nearest_on_segment(p[0], p[1], y)) - 2 * radius);
    }
    for (std::int32_t w = v + 1; w < 500; ++w) check(dust, v, w, norm(y - x[static_cast<std::size_t>(w)]) - 2 * radius);
  }
  EXPECT_GT(fibers.size(), 300u);
  EXPECT_GT(points.size(), 300u);
  EXPECT_GT(hairs.size(), 200u);
  EXPECT_GT(dust.size(), 30u);
}

}  // namespace
}  // namespace ymir
