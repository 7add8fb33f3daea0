// Contacts of meshes: one for each place where two surfaces are nearest, and which side is inside.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "detection_scenes.h"
#include "ymir/math/quaternion.h"
#include "ymir/solids/detection/contact_detection.h"
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

void add_loose(Boundary& b, const std::vector<Vec3d>& places, double radius) {
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < places.size(); ++i) ids.push_back(static_cast<std::int64_t>(i));
  b.add_points(0, ids, places, std::vector<double>(places.size(), radius), {});
}

TEST(MeshContacts, APointAboveASheetHasOne) {
  Boundary b;
  std::vector<Vec3d> places;
  for (int i = 0; i < 400; ++i) {
    Random random(1, static_cast<std::uint64_t>(i));
    places.push_back(Vec3d{random.uniform(0, 0.08), random.uniform(0, 0.08), random.uniform(-2e-3, 2e-3)});
    // On edges and vertices too.
    if (i % 4 == 1) places.back().x = 0.01 * (i % 8);
    if (i % 4 == 2) places.back() = {0.01 * (i % 8), 0.01 * (i % 5), places.back().z};
  }
  add_loose(b, places, 2e-3);
  const auto sheet = detection_scenes::sheet(8, 0.01);
  b.add_mesh({1, 0}, sheet.positions, sheet.triangles, 1e-3, {}, {});
  std::vector<int> count(places.size(), 0);
  for (const Contact& c : contacts_of(b)) {
    if (c.family != ContactFamily::vertex_face) continue;
    const auto v = static_cast<std::size_t>(c.a.element);
    ++count[v];
    EXPECT_NEAR(c.gap, std::abs(places[v].z) - 2.5e-3, 1e-15);
    EXPECT_NEAR(std::abs(c.normal.z), 1, 1e-9);
    EXPECT_GE(c.normal.z * places[v].z, 0);
  }
  for (std::size_t v = 0; v < places.size(); ++v) EXPECT_EQ(count[v], 1) << v;
}

TEST(MeshContacts, AHairOverASheetIsHeldByItsVerticesAndByEdgesBetween) {
  // On a sheet: every vertex, with the normal of the sheet; nothing tilted by an edge inside of it.
  for (const double angle : {0.0, 0.3, M_PI / 4, 1.2}) {
    Boundary b;
    std::vector<Vec3d> x;
    for (int k = 0; k < 12; ++k)
      x.push_back(Vec3d{0.05, 0.05, 1e-3} + Vec3d{std::cos(angle), std::sin(angle), 0} * (0.006 * (k - 5.5)));
    b.add_fiber({0, 0}, x, std::vector<double>(12, 5e-4), {}, {});
    const auto sheet = detection_scenes::sheet(10, 0.01);
    b.add_mesh({1, 0}, sheet.positions, sheet.triangles, 2e-3, {}, {});
    std::vector<double> arcs;
    for (const Contact& c : contacts_of(b)) {
      EXPECT_NEAR(c.gap, -5e-4, 1e-12);
      EXPECT_NEAR(c.normal.z, 1, 1e-6);
      arcs.push_back(c.arc_a);
    }
    std::vector<double> whole;
    std::copy_if(arcs.begin(), arcs.end(), std::back_inserter(whole), [](double a) { return a == std::floor(a); });
    EXPECT_EQ(whole.size(), 12u);
    EXPECT_LE(arcs.size(), 12u + 11u);
  }
  // Over a ridge: where it crosses the ridge.
  Boundary b;
  const std::vector<Vec3d> x{{-0.05, 0.002, 0.001}, {0.05, 0.001, 0.001}};
  b.add_fiber({0, 0}, x, std::vector<double>(2, 1e-3), {}, {});
  const std::vector<Vec3d> roof{{0, -0.05, 0}, {0, 0.05, 0}, {-0.05, 0, -0.05}, {0.05, 0, -0.05}};
  const std::vector<std::array<std::int32_t, 3>> triangles{{0, 1, 2}, {1, 0, 3}};
  b.add_mesh({1, 0}, roof, triangles, 1e-3, {}, {});
  const std::vector<Contact> contacts = contacts_of(b);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0].b.kind, SideKind::edge);
  EXPECT_NEAR(contacts[0].arc_a, 0.5, 1e-12);
  EXPECT_NEAR(contacts[0].normal.z, 1, 1e-12);
  EXPECT_NEAR(contacts[0].gap, 1e-3 - 1.5e-3, 1e-15);
}

TEST(MeshContacts, AHairInAValleyTouchesBothSides) {
  // Sides that rise by 20 degrees; the vertex in the middle is above the bottom, the others are out of reach.
  Boundary b;
  const double rise = 0.05 * std::tan(M_PI / 9);
  const std::vector<Vec3d> x{{0, -0.03, 0.1}, {0, 0, 1e-3}, {0, 0.03, 0.1}};
  b.add_fiber({0, 0}, x, std::vector<double>(3, 1e-3), {}, {});
  const std::vector<Vec3d> valley{{0, -0.05, 0}, {0, 0.05, 0}, {-0.05, 0, rise}, {0.05, 0, rise}};
  const std::vector<std::array<std::int32_t, 3>> triangles{{0, 1, 2}, {1, 0, 3}};
  b.add_mesh({1, 0}, valley, triangles, 2e-3, {}, {});
  const std::vector<Contact> contacts = contacts_of(b);
  ASSERT_EQ(contacts.size(), 2u);
  for (const Contact& c : contacts) EXPECT_NEAR(c.gap, 1e-3 * std::cos(M_PI / 9) - 2e-3, 1e-12);
  EXPECT_NEAR(contacts[0].normal.x, -contacts[1].normal.x, 1e-12);
}

TEST(MeshContacts, NeighboursOfASheetDoNotTouch) {
  // As thick as its edges are long, it would be all contacts with itself.
  auto sheet = detection_scenes::sheet(6, 0.01);
  for (std::size_t i = 0; i < sheet.positions.size(); ++i) {
    Random random(3, i);
    sheet.positions[i] += random_vector(random, 1e-3);
  }
  Boundary b;
  b.add_mesh({0, 0}, sheet.positions, sheet.triangles, 4e-3, {}, {});
  EXPECT_TRUE(contacts_of(b).empty());
  // Pages of a book that is nearly shut meet, though all its triangles have corners in the crease.
  const std::vector<Vec3d> book{{0.01, 0, 1.5e-3}, {0.01, 0.01, 1.5e-3}, {0, 0, 0},
                                {0, 0.01, 0},      {0.01, 0, -1.5e-3},   {0.01, 0.01, -1.5e-3}};
  const std::vector<std::array<std::int32_t, 3>> pages{{0, 2, 1}, {1, 2, 3}, {2, 4, 3}, {3, 4, 5}};
  Boundary shut;
  shut.add_mesh({0, 0}, book, pages, 4e-3, {}, {});
  const std::vector<Contact> pages_meet = contacts_of(shut);
  EXPECT_TRUE(std::any_of(pages_meet.begin(), pages_meet.end(),
                          [](const Contact& c) { return c.family == ContactFamily::vertex_face; }));
  // Folded over, it does; unless it is told not to.
  for (const bool self_contact : {true, false}) {
    auto folded = sheet;
    for (Vec3d& x : folded.positions)
      if (x.x > 0.035) x = {0.068 - x.x, x.y, x.z + 3e-3};
    Boundary other;
    PieceTraits traits;
    traits.self_contact = self_contact;
    other.add_mesh({0, 0}, folded.positions, folded.triangles, 4e-3, {}, traits);
    const std::vector<Contact> contacts = contacts_of(other);
    EXPECT_EQ(contacts.empty(), !self_contact);
  }
}

TEST(MeshContacts, InsideOfASolidIsNegative) {
  const auto cube = detection_scenes::cube(4, 0.1);
  Boundary b;
  std::vector<Vec3d> places;
  for (int i = 0; i < 300; ++i) {
    Random random(5, static_cast<std::uint64_t>(i));
    places.push_back(Vec3d{0.05, 0.05, 0.05} + random_vector(random, 0.055));
  }
  add_loose(b, places, 5e-3);
  PieceTraits traits;
  traits.solid = true;
  b.add_mesh({1, 0}, cube.positions, cube.triangles, 0, {}, traits);
  int inside = 0;
  for (const Contact& c : contacts_of(b)) {
    if (c.family != ContactFamily::vertex_face) continue;
    const Vec3d p = places[static_cast<std::size_t>(c.a.element)] - Vec3d{0.05, 0.05, 0.05};
    const Vec3d q{std::abs(p.x) - 0.05, std::abs(p.y) - 0.05, std::abs(p.z) - 0.05};
    const double deepest = std::max({q.x, q.y, q.z});
    if (deepest < 0) {
      ++inside;
      // To a side of the cube that is near, not always the nearest.
      EXPECT_LE(c.gap, deepest - 5e-3 + 1e-15);
      EXPECT_GT(dot(c.normal, p), 0);
    } else {
      const Vec3d out = cwise_max(q, Vec3d{0, 0, 0});
      EXPECT_NEAR(c.gap, norm(out) - 5e-3, 1e-15);
      EXPECT_GT(dot(c.normal, p), 0);
    }
  }
  EXPECT_GT(inside, 20);
}

TEST(MeshContacts, AThinSolidDoesNotTouchItselfFromWithin) {
  // A slab of 3 mm whose skin is 4 mm thick.
  auto slab = detection_scenes::cube(6, 0.1);
  for (Vec3d& x : slab.positions) x.z *= 0.03;
  Boundary b;
  PieceTraits traits;
  traits.solid = true;
  b.add_mesh({0, 0}, slab.positions, slab.triangles, 4e-3, {}, traits);
  EXPECT_TRUE(contacts_of(b).empty());
}

TEST(MeshContacts, CubesOnEachOtherPushApart) {
  // Overlapping by 1 mm, turned about the vertical so that edges cross: every normal is vertical, every gap -1 mm.
  const auto cube = detection_scenes::cube(1, 0.1);
  Boundary b;
  PieceTraits traits;
  traits.solid = true;
  b.add_mesh({0, 0}, cube.positions, cube.triangles, 3e-3, {}, traits);
  auto upper = cube.positions;
  const Quaternion turn = quaternion_exp({0, 0, 0.4});
  for (Vec3d& x : upper) x = rotate(turn, x - Vec3d{0.05, 0.05, 0}) + Vec3d{0.05, 0.05, 0.099};
  b.add_mesh({0, 1}, upper, cube.triangles, 3e-3, {}, traits);
  int faces = 0, edges = 0;
  for (const Contact& c : contacts_of(b)) {
    const double sign = c.a.piece == 1 ? 1 : -1;  // the upper one is pushed up
    EXPECT_NEAR(c.normal.z, sign, 1e-9);
    EXPECT_NEAR(c.gap, -1e-3 - 3e-3, 1e-12);
    (c.family == ContactFamily::edge_edge ? edges : faces) += 1;
  }
  EXPECT_GE(edges, 4);
  EXPECT_EQ(faces, 0);  // corners of each lie beyond the other: turned by 23 degrees
}

}  // namespace
}  // namespace ymir
