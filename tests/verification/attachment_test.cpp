// Attachments of strands to surfaces: what they hold, how stiffly, and between which points.
#include <fmt/format.h>

#include "strands_run.h"
#include "ymir/base/error.h"

namespace ymir::verification {
namespace {

// Two triangles that make the square of half edge `size` about `centre`, in the plane y = const.
Surface square(Vec3d centre, double size) {
  Surface s;
  s.positions = {centre + Vec3d{-size, 0, -size}, centre + Vec3d{size, 0, -size}, centre + Vec3d{size, 0, size},
                 centre + Vec3d{-size, 0, size}};
  s.triangles = {{0, 2, 1}, {0, 3, 2}};  // normals up
  return s;
}
std::shared_ptr<const AnimatedSurface> still(Surface s) { return std::make_shared<AnimatedSurface>(std::move(s)); }

EmissionRule tips() {
  EmissionRule rule;
  rule.points = SourcePoints::tips;
  return rule;
}

// A loose rod 0.2 m long whose tip is at the origin, lying along x.
StrandsCase loose_rod() {
  StrandsCase c;
  c.strands = {line({-0.2, 0, 0}, {0, 0, 0}, 4)};
  c.clamped = false;
  return c;
}
constexpr int tip = 4;

// Displacement of a rod, held by all its vertices to a square 0.1 m below, by the same force on each of them.
Vec3d displaced(const AttachmentResponse& response, Vec3d force) {
  StrandsRun run;
  CurvesObject& rod = run.add(loose_rod());
  EmissionRule rule;
  rule.points = SourcePoints::all;
  add_surface_attachments(rod, "attachment", response, rule, still(square({0.01, -0.1, 0.02}, 1)));
  run.start();
  run.load = [&](const StrandsRun::Vertex&) { return force; };
  run.settle(1, 2000);
  return run.position(0, 0, tip);
}

void expect_near(Vec3d found, Vec3d expected, double bound) {
  EXPECT_LE(norm(found - expected), bound) << found.x << " " << found.y << " " << found.z;
}

TEST(SoftAttachment, GivesWayByForceOverTwiceItsStiffness) {
  AttachmentResponse response;
  response.normal_stiffness = 20;
  response.tangent_stiffness = 5;
  double worst = 0;
  for (const double xi : {0.0, 1.0}) {
    response.flexibility = xi;
    for (const double f : {0.3, -0.3}) {
      if (xi == 1 && f < 0) continue;  // pushed, a distance constraint tips over
      const double expected = f / (2 * response.normal_stiffness);
      const Vec3d x = displaced(response, {0, f, 0});
      expect_near(x, {0, expected, 0}, 1e-6 * std::fabs(expected));
      worst = std::max(worst, norm(x - Vec3d{0, expected, 0}) / std::fabs(expected));
    }
  }
  response.flexibility = 0;
  for (const Vec3d across : {Vec3d{0.1, 0, 0}, Vec3d{0, 0, -0.1}, Vec3d{0.06, 0, 0.08}}) {
    const Vec3d expected = across / (2 * response.tangent_stiffness);
    const Vec3d x = displaced(response, across);
    expect_near(x, expected, 1e-6 * norm(expected));
    worst = std::max(worst, norm(x - expected) / norm(expected));
  }
  fmt::print("soft attachment: displacement F/2k to {:.1e}\n", worst);
}

TEST(SoftAttachment, OfFullFlexibilityTurnsIntoTheForce) {
  AttachmentResponse response;
  response.flexibility = 1;
  response.normal_stiffness = 20;
  const Vec3d force{0.15, 0.2, 0};  // 37 degrees from the attachment
  const Vec3d x = displaced(response, force);
  const Vec3d expected = Vec3d{0, -0.1, 0} + normalized(force) * (0.1 + norm(force) / 40);
  fmt::print("distance attachment: {:.1e} m from the exact place\n", norm(x - expected));
  expect_near(x, expected, 1e-6 * 0.1);
}

// Torque balance about the root, which a pin holds: F times its lever against the orientation stiffness k = 2 beta of
// every axis that is turned, in series with the half edge of rod between the root and the middle of the first edge.
TEST(OrientationStiffness, HoldsTheDirectionOfARod) {
  struct Case {
    Vec3d beta;
    double axes;  // of the frame that the rotation about z turns
  };
  for (const Case& c : {Case{{0.5, 0, 0}, 1}, Case{{0.5, 0.5, 0.5}, 2}}) {
    StrandsCase rod;
    rod.strands = {line({0, 0, 0}, {1, 0, 0}, 8)};
    rod.clamped = false;
    rod.bend = 2;
    StrandsRun run;
    CurvesObject& object = run.add(rod);
    AttachmentResponse response;
    response.normal_stiffness = response.tangent_stiffness = 1000;
    response.orientation_stiffness = c.beta;
    add_surface_attachments(object, "attachment", response, EmissionRule{}, still(square({0, 0, 0}, 1)));
    run.start();
    const double force = 0.4;
    run.load = [&](const StrandsRun::Vertex& v) { return Vec3d{0, v.vertex == 8 ? force : 0, 0}; };
    run.settle(1, 2000);
    const Vec3d t = normalized(run.position(0, 0, 1) - run.position(0, 0, 0));
    const double lever = run.position(0, 0, 8).x - run.position(0, 0, 0).x;
    const double angle = std::asin(t.y), half_edge = 0.5 / 8 / rod.bend;
    const double stiffness = 1 / (1 / (2 * c.beta.x * c.axes) + half_edge), strain = 2 * std::tan(angle / 2);
    const double torque = stiffness * strain * (1 + strain * strain / 4);
    fmt::print("orientation: first edge turned by {:.4f} rad, torque off by {:.1e}\n", std::asin(t.y),
               torque / (force * lever) - 1);
    EXPECT_NEAR(torque, force * lever, 1e-6 * force * lever);
    EXPECT_GT(std::asin(t.y), 0.1);
  }
}

TEST(HardRoots, FollowAMovingSurfaceInPlaceAndOrientation) {
  AnimatedSurface surface(square({0, 0, 0}, 0.5));
  const RigidMotion motion(
      {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0.3, 0.1, -0.2}, {0.5, 0, 0}}, {2, {0, 0, 0}, {0.2, 1, -2}}},
      KeyInterpolation::smooth, {0.1, 0, 0});
  surface.add_motion(motion);
  StrandsCase c;
  // Roots in both triangles, one of them above the surface.
  for (const Vec3d root : {Vec3d{0.1, 0, -0.2}, Vec3d{-0.3, 0.01, 0.2}, Vec3d{0.2, 0, 0.3}})
    c.strands.push_back(line(root, root + Vec3d{0.02, 0.2, 0.05}, 6));
  c.bend = 0.01;
  c.newton = {1e-8, 100};
  StrandsRun run;
  attach_roots(run.add(c), "attachment", std::make_shared<AnimatedSurface>(surface));
  run.start();
  std::vector<Vec3d> root, tangent, m1;
  for (std::int64_t s = 0; s < 3; ++s) {
    root.push_back(run.position(0, s, 0));
    tangent.push_back(run.position(0, s, 0) - run.position(0, s, -1));
    m1.push_back(run.m1(0, s, -1));
  }
  double worst = 0;
  for (int k = 0; k < 50; ++k) {
    run.step(0.04);
    const RigidTransform pose = motion.at(run.time());
    for (std::size_t s = 0; s < 3; ++s) {
      const auto id = static_cast<std::int64_t>(s);
      const Vec3d ghost = run.position(0, id, 0) - run.position(0, id, -1);
      worst = std::max({worst, norm(run.position(0, id, 0) - pose.to_world(root[s])),
                        norm(ghost - pose.direction_to_world(tangent[s])),
                        norm(run.m1(0, id, -1) - pose.direction_to_world(m1[s]))});
    }
  }
  fmt::print("roots on a moving surface: off by {:.1e}\n", worst);
  EXPECT_LE(worst, 1e-12);
}

// Made anew in every substep, an attachment has no memory: under a force F it gives way by F/2k in each of them, and is
// carried along by its target in between.
TEST(AttachmentEveryStep, CreepsUnderAForceAndIsCarriedByItsTarget) {
  constexpr double speed = 0.3, dt = 0.01, force = 0.05, stiffness = 40;
  AnimatedSurface surface(square({0, -0.1, 0}, 0.4));
  surface.add_motion(RigidMotion({{0, {0, 0, 0}, {0, 0, 0}}, {10, {0, 0, 10 * speed}, {0, 0, 0}}},
                                 KeyInterpolation::linear, {0, 0, 0}));
  AttachmentResponse response;
  response.normal_stiffness = response.tangent_stiffness = stiffness;
  for (const bool every_step : {true, false}) {
    StrandsCase rod = loose_rod();
    rod.mass = 0.01;
    StrandsRun run;
    EmissionRule rule = tips();
    rule.points = SourcePoints::all;
    rule.every_step = every_step;
    add_surface_attachments(run.add(rod), "attachment", response, rule, std::make_shared<AnimatedSurface>(surface));
    run.start();
    run.load = [&](const StrandsRun::Vertex&) { return Vec3d{0, 0, force}; };
    Vec3d before{0, 0, 0};
    for (int k = 0; k < 100; ++k) {
      before = run.position(0, 0, tip);
      run.step(dt);
    }
    const double per_step = run.position(0, 0, tip).z - before.z;
    const double expected = speed * dt + (every_step ? force / (2 * stiffness) : 0);
    fmt::print("{}: {:.6e} m per step, expected {:.6e}\n", every_step ? "every step" : "once", per_step, expected);
    EXPECT_NEAR(per_step, expected, 1e-6 * expected);
    EXPECT_NEAR(run.position(0, 0, tip).y, 0, 1e-9);
    if (!every_step) {
      EXPECT_NEAR(run.position(0, 0, tip).z - speed * run.time(), force / (2 * stiffness), 1e-6 * force / stiffness);
    }
  }
}

// A rod that swings along itself on its attachment: m x'' = -2k (x + tau x'), by backward Euler.
TEST(AttachmentDamping, FollowsTheScalarRecursionAndDissipates) {
  constexpr double stiffness = 20, dt = 2e-3, speed = 0.2, length = 0.2, mass = 1 * length;
  double amplitude[3];
  int which = 0;
  for (const double tau : {0.0, 0.01, 0.05}) {
    AttachmentResponse response;
    response.normal_stiffness = response.tangent_stiffness = stiffness;
    response.relaxation_time = tau;
    StrandsRun run;
    CurvesObject& object = run.add(loose_rod());
    add_surface_attachments(object, "attachment", response, tips(), still(square({0, 0, 0}, 1)));
    run.start();
    for (int i = 0; i <= tip; ++i) run.set_velocity(0, 0, i, {speed, 0, 0});
    double x = 0, v = speed, worst = 0, energy = mass * v * v / 2, last = 0;
    for (int k = 0; k < 200; ++k) {
      const double next = (mass * (x + dt * v) / (dt * dt) + 2 * stiffness * tau / dt * x) /
                          (mass / (dt * dt) + 2 * stiffness * (1 + tau / dt));
      v = (next - x) / dt;
      x = next;
      run.step(dt);
      worst = std::max(worst, std::fabs(run.position(0, 0, tip).x - x));
      const double here = run.position(0, 0, tip).x, speed_now = (here - last) / dt;
      const double now = mass * speed_now * speed_now / 2 + stiffness * here * here;
      EXPECT_LE(now, energy * (1 + 1e-6));
      energy = now;
      last = here;
      amplitude[which] = std::sqrt(now / stiffness);
    }
    const double period = 2 * M_PI * std::sqrt(mass / (2 * stiffness)), size = speed * period / (2 * M_PI);
    fmt::print("tau {}: {:.1e} of the amplitude from the recursion, {:.1e} of it left\n", tau, worst / size,
               amplitude[which] / size);
    EXPECT_LE(worst, 2e-5 * size);  // the rod itself gives way by 2k L/EA = 8e-7 of what the attachment does
    // exp(-tau k t/m) = 0.67 and 0.14 after this time
    if (which > 0) {
      EXPECT_LT(amplitude[which], 0.75 * amplitude[which - 1]);
    }
    ++which;
  }
}

// Emission

PieceShape shape(std::int64_t strand, Polyline x) { return {nullptr, strand, std::move(x), {}}; }

TEST(EmissionToASurface, ClosestTakesTheNearestPointOfEachSource) {
  const Surface s = square({0, 0, 0}, 1);
  const std::vector<PieceShape> strands = {shape(0, line({-0.5, 0.1, 0.25}, {-0.5, 0.4, 0.25}, 3)),
                                           shape(1, line({0.5, 2, -0.25}, {0.5, 3, -0.25}, 2))};
  EmissionRule rule;
  auto pairs = emit_to_surface(rule, strands, s, s.positions);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].source.piece, 0);
  EXPECT_EQ(pairs[0].source.cell, 1);
  EXPECT_EQ(pairs[0].source.weights.x, 0);
  EXPECT_EQ(pairs[0].target.triangle, 1);
  EXPECT_EQ(pairs[1].target.triangle, 0);
  expect_near(surface_point(s, s.positions, pairs[0].target).position, {-0.5, 0, 0.25}, 1e-14);
  expect_near(surface_point(s, s.positions, pairs[1].target).position, {0.5, 0, -0.25}, 1e-14);
  expect_near(surface_point(s, s.positions, pairs[0].target).frame[2], {0, 1, 0}, 1e-14);
  rule.range = 1;
  EXPECT_EQ(emit_to_surface(rule, strands, s, s.positions).size(), 1u);
  rule.points = SourcePoints::tips;
  pairs = emit_to_surface(rule, strands, s, s.positions);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].source.cell, 3);
  EXPECT_EQ(pairs[0].source.weights.x, 1);
  rule.points = SourcePoints::all;
  rule.range = 0.25;  // vertices at 0.1 and 0.2, not at 0.3
  EXPECT_EQ(emit_to_surface(rule, strands, s, s.positions).size(), 2u);
}

TEST(EmissionToASurface, WithinRangeTakesEveryTriangleInReach) {
  const Surface s = square({0, 0, 0}, 1);
  EmissionRule rule;
  rule.kind = EmissionKind::within_range;
  // On the diagonal both triangles are at 0.1; 0.2 beside it the other is sqrt(0.1^2 + 0.1^2 * 2) away.
  const std::vector<PieceShape> strands = {shape(0, line({0.3, 0.1, 0.3}, {0.3, 1, 0.3}, 1)),
                                           shape(1, line({0.4, 0.1, 0.2}, {0.4, 1, 0.2}, 1))};
  rule.range = 0.12;
  auto pairs = emit_to_surface(rule, strands, s, s.positions);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].target.triangle, 0);
  EXPECT_EQ(pairs[1].target.triangle, 1);
  EXPECT_EQ(pairs[2].source.piece, 1);
  EXPECT_EQ(pairs[2].target.triangle, 0);
  rule.range = 0.18;
  pairs = emit_to_surface(rule, strands, s, s.positions);
  ASSERT_EQ(pairs.size(), 4u);
  expect_near(surface_point(s, s.positions, pairs[3].target).position, {0.3, 0, 0.3}, 1e-14);
  rule.range = 0.09;
  EXPECT_TRUE(emit_to_surface(rule, strands, s, s.positions).empty());
}

TEST(EmissionToStrands, FindsTheSamePairsAsAComparisonOfAll) {
  // Parallel strands 0.1 apart along z; each vertex has one nearest point on either neighbour.
  StrandsRun run;
  StrandsCase one;
  one.strands = {line({0, 0, 0}, {1, 0, 0}, 4)};
  CurvesObject& object = run.add(one);  // shapes belong to one
  std::vector<PieceShape> strands;
  for (int s = 0; s < 5; ++s) {
    strands.push_back(shape(s, line({0, 0.03 * s, 0.1 * s}, {1, 0.03 * s, 0.1 * s}, 4)));
    strands.back().object = &object;
  }
  EmissionRule rule;
  rule.points = SourcePoints::tips;
  rule.range = 0.11;
  auto pairs = emit_to_objects(rule, strands, strands);
  ASSERT_EQ(pairs.size(), 5u);
  for (const ObjectPair& p : pairs) {
    EXPECT_EQ(std::abs(p.source.piece - p.target.piece), 1);
    EXPECT_EQ(p.target.cell, 4);
    EXPECT_EQ(p.target.weights.x, 1);
  }
  rule.kind = EmissionKind::within_range;
  pairs = emit_to_objects(rule, strands, strands);
  EXPECT_EQ(pairs.size(), 8u);  // the edge at the tip of each neighbour
  rule.range = 0.22;            // tips of two neighbours on either side: 0.209 away
  EXPECT_EQ(emit_to_objects(rule, strands, strands).size(), 14u);
  rule.range = 0.05;
  EXPECT_TRUE(emit_to_objects(rule, strands, strands).empty());
}

TEST(EmissionByNetwork, TakesWhatIsListedAndRefusesWhatDoesNotExist) {
  const Surface s = square({0, 0, 0}, 1);
  const std::vector<PieceShape> strands = {shape(0, line({0, 1, 0}, {1, 1, 0}, 3)),
                                           shape(1, line({0, 2, 0}, {1, 2, 0}, 3))};
  EmissionRule rule;
  rule.kind = EmissionKind::network;
  rule.network = {{1, 2, 0, 3}, {0, 3, 1, 0}};
  const auto to_surface = emit_to_surface(rule, strands, s, s.positions);
  ASSERT_EQ(to_surface.size(), 2u);
  EXPECT_EQ(to_surface[0].source.piece, 1);
  EXPECT_EQ(to_surface[0].source.cell, 3);
  EXPECT_EQ(to_surface[0].target.triangle, 0);
  expect_near(surface_point(s, s.positions, to_surface[1].target).position, {-1.0 / 3, 0, 1.0 / 3}, 1e-14);
  const auto to_strands = emit_to_objects(rule, strands, strands);
  ASSERT_EQ(to_strands.size(), 2u);
  EXPECT_EQ(to_strands[0].target.piece, 0);
  EXPECT_EQ(to_strands[0].target.cell, 3);
  EXPECT_EQ(to_strands[0].target.weights.x, 1);
  EXPECT_EQ(to_strands[1].target.cell, 1);
  EXPECT_EQ(to_strands[1].target.weights.x, 0);
  for (const NetworkEntry& bad : {NetworkEntry{2, 0, 0, 0}, NetworkEntry{0, 4, 0, 0}, NetworkEntry{0, 0, 2, 0}}) {
    rule.network = {bad};
    EXPECT_THROW(emit_to_surface(rule, strands, s, s.positions), Error);
    EXPECT_THROW(emit_to_objects(rule, strands, strands), Error);
  }
}

}  // namespace
}  // namespace ymir::verification
