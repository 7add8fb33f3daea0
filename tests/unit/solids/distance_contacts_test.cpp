// Contacts with colliders that are known by their distance.
#include "ymir/solids/detection/distance_contacts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/data/deforming_surface.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/data/signed_distance_grid.h"
#include "ymir/solids/detection/contact_detection.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

constexpr double dt = 0.01;

std::function<DistanceSample(Vec3d)> sphere(double radius) {
  SphereShape shape;
  shape.radius = radius;
  return [shape](Vec3d x) { return signed_distance(shape, x); };
}

// A fibre of 10 edges of 1 cm along x at a height, its middle above the origin.
Boundary fiber(double height, bool fresh, const std::vector<std::uint8_t>& held = {}) {
  Boundary b;
  std::vector<Vec3d> x;
  for (int k = -5; k <= 5; ++k) x.emplace_back(0.01 * k, 0, height);
  PieceTraits traits;
  traits.fresh = fresh;
  b.add_fiber({0, 0}, x, std::vector<double>(x.size(), 1e-3), held, traits);
  for (BoundaryVertex& v : b.vertices) v.travel = 2e-3;
  return b;
}

TEST(DistanceContacts, AreAtVerticesAndMiddlesOfLongEdges) {
  // A ball of 10 cm that the fibre touches from above; everything within radius and travel.
  for (const double voxel : {4e-3, 6e-3}) {
    const ContactCollider ball = rigid_collider(sphere(0.1), {}, {}, 0.1, voxel);
    const Boundary b = fiber(0.1, false);
    ContactDetection detection;
    detection.find(b, std::span(&ball, 1), dt);
    std::size_t expected = 0;
    for (int k = 0; k <= 20; ++k) {
      const double x = 0.005 * (k - 10), gap = std::hypot(x, 0.1) - 0.1 - 1e-3;
      if (k % 2 == 1 && voxel > 5e-3) continue;  // edges of 1 cm are not longer than two voxels
      if (gap >= 2e-3) continue;
      ASSERT_LT(expected, detection.contacts().size());
      const Contact& c = detection.contacts()[expected++];
      EXPECT_EQ(c.family, ContactFamily::collider);
      EXPECT_EQ(c.b.kind, SideKind::collider);
      EXPECT_NEAR(c.arc_a, 0.5 * k, 1e-15);
      EXPECT_NEAR(c.gap, gap, 1e-15);
      EXPECT_NEAR(norm(c.normal - normalized(Vec3d{x, 0, 0.1})), 0, 1e-12);
      EXPECT_NEAR(dot(c.tangent, c.normal), 0, 1e-15);
      EXPECT_NEAR(norm(place_of(b, c.a) - Vec3d{x, 0, 0.1}), 0, 1e-15);
    }
    EXPECT_EQ(expected, detection.contacts().size());
    EXPECT_GT(expected, 4u);
  }
}

TEST(DistanceContacts, HaveTheMotionOfTheCollider) {
  // A box turns by 0.1 about z and moves up by 1 mm: its point below is carried, its normal is that of the end.
  BoxShape box;
  box.half_size = {0.2, 0.2, 0.05};
  const RigidTransform begin, end{quaternion_exp({0.02, 0, 0.1}), {0, 0, 1e-3}};
  const ContactCollider collider =
      rigid_collider([box](Vec3d x) { return signed_distance(box, x); }, begin, end, 0.3, 1e-3);
  const Boundary b = fiber(0.052, false);
  ContactDetection detection;
  detection.find(b, std::span(&collider, 1), dt);
  ASSERT_GT(detection.contacts().size(), 10u);
  for (const Contact& c : detection.contacts()) {
    const Vec3d x = place_of(b, c.a);
    EXPECT_NEAR(c.gap, 1e-3, 1e-12);
    EXPECT_LT(norm(c.carried - (end.to_world(x) - x)), 1e-15);
    EXPECT_LE(norm(c.carried), collider.travel);
    EXPECT_LT(norm(c.normal - end.direction_to_world({0, 0, 1})), 1e-12);
    // A fibre that moves with the box keeps its gap, to second order in the motion none.
    const Vec3d moved = end.to_body(x + c.carried);
    EXPECT_NEAR(signed_distance(box, moved).distance - 1e-3, c.gap, 1e-12);
  }
}

TEST(DistanceContacts, FollowAndRememberEachPlaceByItself) {
  // The ball is deepest below the middle. Every place keeps its own overlap, and lets go of it at 2 cm/s.
  const ContactCollider ball = rigid_collider(sphere(0.1), {}, {}, 0.1, 1e-2);
  Boundary b = fiber(0.0985, true);
  ContactDetection detection;
  detection.find(b, std::span(&ball, 1), dt);
  std::vector<double> overlaps;
  for (Contact& c : detection.contacts()) {
    EXPECT_EQ(c.overlap, std::min(0.0, c.gap));
    EXPECT_FALSE(c.known);
    overlaps.push_back(c.overlap);
    c.impulse = c.normal * c.arc_a;
  }
  EXPECT_LT(overlaps[overlaps.size() / 2], -2e-3);
  detection.accept(b);
  b.set_fresh(0, false);
  detection.find(b, std::span(&ball, 1), dt);
  ASSERT_EQ(detection.contacts().size(), overlaps.size());
  for (std::size_t i = 0; i < overlaps.size(); ++i) {
    const Contact& c = detection.contacts()[i];
    EXPECT_NEAR(c.overlap, std::min(0.0, overlaps[i] + 2e-4), 1e-15);
    EXPECT_TRUE(c.known);
    EXPECT_NEAR(dot(c.impulse, c.normal), c.arc_a, 1e-12);
  }
}

TEST(DistanceContacts, RootsStayPlanted) {
  std::vector<std::uint8_t> held(11, 0);
  held[0] = held[1] = 1;
  const ContactCollider floor = rigid_collider([](Vec3d x) { return DistanceSample{x.z, {0, 0, 1}}; }, {}, {}, 1, 1);
  Boundary b = fiber(-2e-3, true, held);
  ContactDetection detection;
  for (int step = 0; step < 30; ++step) {
    detection.find(b, std::span(&floor, 1), dt);
    detection.accept(b);
    b.set_fresh(0, false);
  }
  ASSERT_EQ(detection.contacts().size(), 9u);  // vertices that are held do not touch
  for (const Contact& c : detection.contacts()) {
    const double from_clamp = c.arc_a - 1;
    // A segment whose begin is within 3.5 edges counts; beyond, 0.6 s at 2 cm/s are enough.
    EXPECT_NEAR(c.overlap, from_clamp <= 3.5 ? -3e-3 : 0, 1e-12) << c.arc_a;
  }
}

TEST(DistanceContacts, OfASurfaceThatGrows) {
  SurfaceSequence sequence;
  sequence.first = 0;
  sequence.last = 10;
  sequence.fps = 10;
  sequence.load = [](std::int64_t frame) {
    return sphere_mesh({0, 0, 0}, 0.1 + 0.01 * static_cast<double>(frame), 60);
  };
  sequence.name = [](std::int64_t) { return "pose"; };
  const DeformingSurface surface(AnimatedSurface(std::move(sequence)), "ball");
  const double time = 0.2, radius = 0.12;
  const ContactCollider ball = moving_collider(surface.during(time, time + dt), 0.02);
  const Boundary b = fiber(radius, false);
  ContactDetection detection;
  detection.find(b, std::span(&ball, 1), dt);
  ASSERT_GT(detection.contacts().size(), 5u);
  for (const Contact& c : detection.contacts()) {
    const Vec3d x = place_of(b, c.a);
    EXPECT_NEAR(c.gap, norm(x) - radius - 1e-3, 3e-4);  // facets
    EXPECT_GT(dot(c.normal, normalized(x)), 0.99);
    EXPECT_NEAR(dot(c.carried, c.normal), 0.1 * dt, 1e-5);
  }
}

TEST(DistanceContacts, OfAGridAgreeWithTheShape) {
  const Surface mesh = sphere_mesh({0, 0, 0}, 0.1, 40);
  const SignedDistanceGrid grid(mesh, 8e-3, 0.02, "ball");
  const ContactCollider ball = rigid_collider([&](Vec3d x) { return grid.sample(x); }, {}, {}, 0.1, grid.voxel());
  Boundary b;
  std::vector<Vec3d> places;
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 50; ++i) {
    const double angle = 0.13 * i, r = 0.098 + 1e-4 * i;
    places.push_back(Vec3d{std::cos(angle), std::sin(angle) * 0.6, std::sin(angle) * 0.8} * r);
    ids.push_back(i);
  }
  b.add_points(3, ids, places, std::vector<double>(50, 2e-3), {});
  ContactDetection detection;
  detection.find(b, std::span(&ball, 1), dt);
  std::size_t touching = 0;
  for (const Vec3d& x : places) touching += norm(x) - 0.1 - 2e-3 < 0;
  EXPECT_NEAR(static_cast<double>(detection.contacts().size()), static_cast<double>(touching), 4);
  for (const Contact& c : detection.contacts()) {
    if (c.family != ContactFamily::collider) continue;
    EXPECT_NEAR(c.gap, norm(places[static_cast<std::size_t>(c.a.element)]) - 0.1 - 2e-3, 5e-4);
    EXPECT_EQ(c.overlap, 0);
  }
}

}  // namespace
}  // namespace ymir
