// What contacts and overlaps carry from one substep to the next.
#include "ymir/solids/detection/contact_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "detection_scenes.h"
#include "ymir/solids/detection/contact_detection.h"

namespace ymir {
namespace {

constexpr double dt = 0.01;

// Straight fibres of 10 edges of 1 cm along x, 1 mm in radius, at the heights z; the second may be turned and shifted.
std::vector<Vec3d> straight(double z, double angle = 0, double shift = 0) {
  std::vector<Vec3d> x;
  for (int k = 0; k <= 10; ++k) {
    const double s = 0.01 * (k - 5) + shift;
    x.emplace_back(s * std::cos(angle), s * std::sin(angle), z);
  }
  return x;
}
Boundary two_fibers(double apart, double angle, double shift, bool fresh, const std::vector<std::uint8_t>& held = {},
                    double crossing = 5) {
  Boundary b;
  const std::vector<double> radii(11, 1e-3);
  PieceTraits traits;
  traits.fresh = fresh;
  b.add_fiber({0, 3}, straight(0), radii, held, traits);
  b.add_fiber({0, 7}, straight(apart, angle, shift), radii, held, traits);
  for (BoundaryVertex& v : b.vertices) v.travel = 1e-4;
  for (BoundaryVertex& v : b.vertices_of(1)) v.x.y -= 0.01 * (crossing - 5) * std::sin(angle);
  return b;
}

const Contact& deepest(const ContactDetection& detection) {
  return *std::ranges::min_element(detection.contacts(), {}, &Contact::gap);
}

TEST(ContactMemory, FollowsAContactThatSlides) {
  ContactDetection detection;
  // Crossed at a right angle off the middle of an edge; the second slides along the first by 0.7 edges per substep.
  Boundary b = two_fibers(1.9e-3, M_PI / 2, 0.002, false);
  for (BoundaryVertex& v : b.vertices_of(1)) v.x += Vec3d{-0.03, 0, 0};
  for (BoundaryVertex& v : b.vertices) v.travel = 1e-5;  // no vertex is in reach beside the crossing
  for (int step = 0; step < 6; ++step) {
    detection.find(b, {}, dt);
    ASSERT_EQ(detection.contacts().size(), 1u);
    Contact& c = detection.contacts()[0];
    EXPECT_EQ(c.known, step > 0);
    EXPECT_NEAR(c.gap, -1e-4, 1e-15);
    EXPECT_NEAR(c.normal.z, -1, 1e-12);            // from b to a
    EXPECT_NEAR(std::abs(c.tangent.x), 1, 1e-12);  // along a
    EXPECT_NEAR(dot(c.tangent2(), c.normal), 0, 1e-15);
    EXPECT_NEAR(c.arc_a, 2 + 0.7 * step, 1e-9);
    EXPECT_EQ(c.impulse, step > 0 ? Vec3d(1, 2, 3) : Vec3d(0, 0, 0));
    c.impulse = {1, 2, 3};
    detection.accept(b);
    for (BoundaryVertex& v : b.vertices_of(1)) v.x += Vec3d{0.007, 0, 0};
  }
  // Centre lines that meet have no direction: it stays the one they had, not the one across both.
  Boundary met = b;
  for (BoundaryVertex& v : met.vertices_of(1)) v.x.z = 1e-11;
  detection.find(met, {}, dt);
  EXPECT_TRUE(deepest(detection).vague);
  EXPECT_NEAR(deepest(detection).normal.z, -1, 1e-12);
  ContactDetection other;
  other.find(met, {}, dt);
  EXPECT_NEAR(std::abs(deepest(other).normal.z), 1, 1e-12);
  EXPECT_GT(
      dot(deepest(other).normal, cross(met.vertices[1].x - met.vertices[0].x, met.vertices[12].x - met.vertices[11].x)),
      0);
  // More than an edge at once: another contact.
  for (BoundaryVertex& v : b.vertices_of(1)) v.x += Vec3d{-0.03, 0, 0};
  detection.find(b, {}, dt);
  ASSERT_EQ(detection.contacts().size(), 1u);
  EXPECT_FALSE(detection.contacts()[0].known);
  EXPECT_EQ(detection.contacts()[0].impulse, Vec3d(0, 0, 0));
}

TEST(ContactMemory, GivesAnImpulseToOneContactOnly) {
  // Parallel fibres touch at every edge; there was one contact before, with an impulse, within an edge of two of them.
  ContactDetection detection;
  const Boundary b = two_fibers(1.9e-3, 1e-3, 0, false);
  detection.find(b, {}, dt);
  EXPECT_GE(detection.contacts().size(), 9u);
  detection.accept(b);
  ContactMemory memory = detection.memory();
  memory.contacts[0] = {memory.contacts[0][4]};
  memory.contacts[0][0].arc_a += 0.3;
  memory.contacts[0][0].impulse = {0, 0, 1};
  detection.restore(memory);
  detection.find(b, {}, dt);
  Vec3d sum{0, 0, 0};
  for (const Contact& c : detection.contacts()) sum += c.impulse;
  EXPECT_EQ(sum, Vec3d(0, 0, 1));
}

TEST(ContactMemory, ContactOfFibersAlongEachOtherStaysAsLongAsNothingIsMuchNearer) {
  const auto crossed = [](double at) { return two_fibers(1.9e-3, 0.02, 0, false, {}, at); };
  ContactDetection detection;
  const auto between = [&] {
    const auto contacts = detection.contacts();
    const auto found = std::find_if(contacts.begin(), contacts.end(), [](const Contact& c) {
      return std::fmod(c.arc_a, 1) != 0 && std::fmod(c.arc_b, 1) != 0;
    });
    return found == contacts.end() ? Contact{} : *found;
  };
  detection.find(crossed(5.4), {}, dt);
  EXPECT_NEAR(between().arc_a, 5.4, 1e-3);
  detection.accept(crossed(5.4));
  detection.find(crossed(5.5), {}, dt);
  const Contact c = between();
  EXPECT_TRUE(c.known);
  EXPECT_NEAR(c.arc_a, 5.4, 1e-3);
  EXPECT_GT(c.gap, -1e-4);
  EXPECT_LT(c.gap, -1e-4 + 2e-7);
  detection.accept(crossed(5.5));
  detection.find(crossed(5.7), {}, dt);  // 1e-6 m nearer than at the old place: half of the way
  EXPECT_NEAR(between().arc_a, (5.4 + 5.7) / 2, 1e-3);
}

TEST(ContactMemory, FollowsAllContactsOfLongFibers) {
  // Side by side; the second slides by a third of an edge. Each contact goes on from the old one next to it.
  constexpr int vertices = 201;
  std::vector<Vec3d> x, y;
  for (int k = 0; k < vertices; ++k) {
    x.emplace_back(0.01 * k, 1e-4 * std::sin(0.3 * k), 0);
    y.emplace_back(0.01 * k + 0.004, 1e-4 * std::cos(0.2 * k), 1.9e-3);
  }
  Boundary b;
  const std::vector<double> radii(vertices, 1e-3);
  b.add_fiber({0, 0}, x, radii, {}, {});
  b.add_fiber({0, 1}, y, radii, {}, {});
  ContactDetection detection;
  detection.find(b, {}, dt);
  ASSERT_GT(detection.contacts().size(), 190u);
  for (Contact& c : detection.contacts()) c.impulse = {c.arc_a, 1, 0};
  detection.accept(b);
  for (BoundaryVertex& v : b.vertices_of(1)) v.x += Vec3d{0.0033, 0, 0};
  detection.find(b, {}, dt);
  std::size_t known = 0;
  std::vector<double> from;
  for (const Contact& c : detection.contacts()) {
    if (!c.known) continue;
    ++known;
    EXPECT_LT(std::abs(c.impulse.x - c.arc_a), 1);
    from.push_back(c.impulse.x);
  }
  EXPECT_GT(known, 4 * detection.contacts().size() / 5);  // of two that are next to the same one, one does not
  std::sort(from.begin(), from.end());
  EXPECT_EQ(std::adjacent_find(from.begin(), from.end()), from.end());  // none goes on twice
}

TEST(ContactMemory, FollowsAVertexFromTriangleToTriangle) {
  // A loose point slides over a sheet; its tangent is carried, its impulse too.
  Boundary b;
  const std::int64_t id = 5;
  const Vec3d start{0.011, 0.012, 1.9e-3};
  const double radius = 1e-3;
  b.add_points(0, std::span(&id, 1), std::span(&start, 1), std::span(&radius, 1), {});
  const auto sheet = detection_scenes::sheet(6, 0.01);
  b.add_mesh({1, 0}, sheet.positions, sheet.triangles, 2e-3, {}, {});
  ContactDetection detection;
  std::int32_t triangle = -1;
  int changed = 0;
  Vec3d tangent{0, 0, 0};
  for (int step = 0; step < 8; ++step) {
    detection.find(b, {}, dt);
    ASSERT_EQ(detection.contacts().size(), 1u) << step;  // one, though edges and triangles around are in reach
    Contact& c = detection.contacts()[0];
    EXPECT_EQ(c.known, step > 0);
    EXPECT_NEAR(c.normal.z, 1, 1e-12);
    EXPECT_LT(norm(c.tangent - (step > 0 ? tangent : c.tangent)), 1e-12);
    tangent = c.tangent;
    changed += c.b.element != triangle;
    triangle = c.b.element;
    if (step == 0) c.tangent = tangent = normalized(Vec3d{0.3, 0.9, 0});  // not the one it would choose
    detection.accept(b);
    b.vertices[0].x += Vec3d{0.004, 0.0025, 0};
  }
  EXPECT_GT(changed, 4);
}

TEST(ContactMemory, KnowsTheSideOfASheetThatAPointWasOn) {
  Boundary b;
  const std::int64_t id = 5;
  const Vec3d start{0.011, 0.012, 3e-3};
  const double radius = 1e-3;
  b.add_points(0, std::span(&id, 1), std::span(&start, 1), std::span(&radius, 1), {});
  const auto sheet = detection_scenes::sheet(6, 0.01);
  b.add_mesh({1, 0}, sheet.positions, sheet.triangles, 2e-3, {}, {});
  for (BoundaryVertex& v : b.vertices) v.travel = 2e-3;
  ContactDetection detection;
  for (const double height : {3e-3, -1e-3, -2e-3, 0.5e-3, 3e-3}) {
    b.vertices[0].x.z = height;
    detection.find(b, {}, dt);
    ASSERT_EQ(detection.contacts().size(), 1u) << height;
    EXPECT_NEAR(detection.contacts()[0].normal.z, 1, 1e-12) << height;
    EXPECT_NEAR(detection.contacts()[0].gap, height - 2e-3, 1e-12) << height;
    detection.accept(b);
  }
}

TEST(ContactMemory, RemembersOverlapOfNewPiecesAndReleasesIt) {
  ContactDetection detection;
  Boundary b = two_fibers(1.6e-3, M_PI / 2, 0, true);
  detection.find(b, {}, dt);
  ASSERT_EQ(detection.contacts().size(), 1u);
  EXPECT_NEAR(detection.contacts()[0].gap, -4e-4, 1e-15);
  EXPECT_NEAR(detection.contacts()[0].room(), 0, 1e-15);
  detection.accept(b);
  for (std::int32_t p = 0; p < 2; ++p) b.set_fresh(p, false);
  // A 25th in each substep of 10 ms; from 25 um on 1 um, and then it is over.
  double left = -4e-4;
  for (int step = 0; step < 110; ++step) {
    left = std::min(0.0, left + std::max(-left / 25, 1e-6));
    detection.find(b, {}, dt);
    ASSERT_EQ(detection.contacts().size(), 1u);
    EXPECT_NEAR(detection.contacts()[0].overlap, left, 1e-15) << step;
    detection.accept(b);
  }
  EXPECT_EQ(left, 0);
  EXPECT_TRUE(detection.memory().overlaps[0].empty());
}

// However deep: 2 cm/s.
TEST(ContactMemory, ReleasesDeepOverlapNoFasterThanTheOthers) {
  ContactDetection detection;
  Boundary b = two_fibers(8e-3, M_PI / 2, 0, true);
  for (BoundaryVertex& v : b.vertices) v.radius *= 8;
  detection.find(b, {}, dt);
  detection.accept(b);
  ASSERT_NEAR(detection.contacts()[0].overlap, -8e-3, 1e-15);
  for (std::int32_t p = 0; p < 2; ++p) b.set_fresh(p, false);
  detection.find(b, {}, dt);
  EXPECT_NEAR(detection.contacts()[0].overlap, -8e-3 + 2e-4, 1e-15);
}

TEST(ContactMemory, OverlapThatShrinksDoesNotComeBack) {
  ContactDetection detection;
  Boundary b = two_fibers(1.5e-3, M_PI / 2, 0, true);
  const auto at = [&](double apart) {
    for (BoundaryVertex& v : b.vertices_of(1)) v.x.z = apart;
    detection.find(b, {}, 1e-6);
    detection.accept(b);
    for (std::int32_t p = 0; p < 2; ++p) b.set_fresh(p, false);
    return detection.contacts()[0].overlap;
  };
  EXPECT_NEAR(at(1.5e-3), -5e-4, 1e-15);
  EXPECT_NEAR(at(1.9e-3), -1e-4, 1e-15);
  EXPECT_NEAR(at(1.7e-3), -1e-4 + 4e-10, 1e-15);
}

TEST(ContactMemory, PiecesThatAreNotNewHaveNoOverlapToKeep) {
  ContactDetection detection;
  const Boundary b = two_fibers(1.6e-3, M_PI / 2, 0, false);
  detection.find(b, {}, dt);
  ASSERT_EQ(detection.contacts().size(), 1u);
  EXPECT_EQ(detection.contacts()[0].overlap, 0);
}

TEST(ContactMemory, FibersThatCrossDoNotTouchUntilTheyWereApart) {
  ContactDetection detection;
  Boundary b = two_fibers(0.4e-3, M_PI / 2, 0, true);
  const auto contacts_at = [&](double apart) {
    for (BoundaryVertex& v : b.vertices_of(1)) v.x.z = apart;
    detection.find(b, {}, dt);
    detection.accept(b);
    for (std::int32_t p = 0; p < 2; ++p) b.set_fresh(p, false);
    return detection.contacts().size();
  };
  EXPECT_EQ(contacts_at(0.4e-3), 0u);
  EXPECT_EQ(contacts_at(0), 0u);
  EXPECT_EQ(contacts_at(-0.9e-3), 0u);  // passed through each other
  EXPECT_EQ(contacts_at(-1.95e-3), 0u);
  EXPECT_EQ(contacts_at(-2.1e-3), 1u);
  EXPECT_EQ(contacts_at(-1.9e-3), 1u);
  EXPECT_EQ(contacts_at(-0.2e-3), 1u);
}

TEST(ContactMemory, NothingTouchesNearClamps) {
  // Roots at the same place, fibres that lie on each other all the way.
  std::vector<std::uint8_t> held(11, 0);
  held[0] = 1;
  const Boundary b = two_fibers(1.9e-3, 0.02, 0, false, held);
  ContactDetection detection;
  detection.find(b, {}, dt);
  ASSERT_GT(detection.contacts().size(), 3u);
  for (const Contact& c : detection.contacts()) EXPECT_TRUE(c.arc_a > 3.5 || c.arc_b > 3.5);
  const Boundary loose = two_fibers(1.9e-3, 0.02, 0, false);
  ContactDetection other;
  other.find(loose, {}, dt);
  EXPECT_GE(other.contacts().size(), detection.contacts().size() + 3);
}

TEST(ContactMemory, IsRestoredAndHashed) {
  Boundary b = detection_scenes::mixed(9);
  ContactDetection detection;
  const auto advance = [&](ContactDetection& d, int step) {
    for (std::size_t i = 0; i < b.vertices.size(); ++i) {
      Random random(5, i + 10000 * static_cast<std::uint64_t>(step));
      b.vertices[i].x += detection_scenes::random_vector(random, 1e-4);
    }
    d.find(b, {}, dt);
    for (Contact& c : d.contacts()) c.impulse = c.normal * 2.0 + c.impulse * 0.5;
    d.accept(b);
  };
  for (int step = 0; step < 3; ++step) advance(detection, step);
  const ContactMemory saved = detection.memory();
  const std::vector<BoundaryVertex> places = b.vertices;
  // Found twice before it is accepted: nothing is remembered of the first time.
  detection.find(b, {}, dt / 2);
  EXPECT_EQ(detection.memory().hash(), saved.hash());
  advance(detection, 3);
  const std::uint64_t hash = detection.memory().hash();
  EXPECT_NE(hash, saved.hash());
  b.vertices = places;
  ContactDetection resumed;
  resumed.restore(saved);
  advance(resumed, 3);
  EXPECT_EQ(resumed.memory().hash(), hash);
  std::size_t known = 0;
  for (const Contact& c : resumed.contacts()) known += c.known;
  EXPECT_GT(known, resumed.contacts().size() / 2);
}

TEST(ContactMemory, DoesNotDependOnOtherPieces) {
  // Another rank has more pieces: owners are numbered alike, contacts of the same two in the same order.
  Boundary few = two_fibers(1.9e-3, 0.3, 0, true), more;
  const std::vector<double> radii(11, 1e-3);
  more.add_fiber({0, 1}, straight(1), radii, {}, {});
  PieceTraits traits;
  traits.fresh = true;
  more.add_fiber({0, 3}, straight(0), radii, {}, traits);
  more.add_fiber({0, 5}, straight(-1), radii, {}, {});
  more.add_fiber({0, 7}, straight(1.9e-3, 0.3), radii, {}, traits);
  for (BoundaryVertex& v : more.vertices) v.travel = 1e-4;
  ContactDetection a, b;
  a.find(few, {}, dt);
  b.find(more, {}, dt);
  a.accept(few);
  b.accept(more);
  EXPECT_GT(a.contacts().size(), 0u);
  EXPECT_EQ(a.memory().hash(), b.memory().hash());
}

}  // namespace
}  // namespace ymir
