// Exact Coulomb contact of cloth that attachments hold to other solids, and of jointed bodies on cloth.
#include <fmt/format.h>

#include "contact_run.h"
#include "ymir/actions/attachment_set.h"
#include "ymir/actions/joints.h"
#include "ymir/parallel/threads.h"

namespace ymir::cloth_tests {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295, half = ContactRun::thickness / 2;

void glue(ContactRun& run, RigidObject& bodies, MeshObject& cloth, bool hard = true) {
  EmissionRule rule;
  rule.range = 2e-3;
  AttachmentResponse response;
  response.hard = hard;
  if (!hard) response.normal_stiffness = response.tangent_stiffness = 1e5;
  add_attachments(run.solids(), bodies.name() + " glue", {&bodies}, {&cloth}, response, rule);
}

struct Slid {
  double speed, apart;  // [m/s], [m]
};

// A square of cloth with a box glued to it, twenty times as heavy, on a slope that falls along x.
Slid slide(double angle, double mu, double dt, double edge, Vec3d at = {0, 0, 0}, double turn = 0, bool hard = true) {
  const Quaternion tilt = quaternion_exp({0, 0, -angle});
  ContactRun run;
  Surface sheet = lying_sheet(0.3, 0.3, edge, half, 0, 0, turn);
  for (Vec3d& p : sheet.positions) p = at + rotate(tilt, p);
  Surface box = box_surface({0.01, half + 0.02, 0.02}, {0.1, 0.04, 0.1});
  for (Vec3d& p : box.positions) p = at + rotate(tilt, p);
  MeshObject& cloth = run.cloth(sheet, fabric(1e4, 1e-5));
  RigidObject& bodies = run.bodies(box);
  glue(run, bodies, cloth, hard);
  run.gravity({0, -g, 0});
  run.collider(PlaneShape{at, rotate(tilt, {0, 1, 0})}, mu);
  run.start();
  const auto nearest = [&](Vec3d x) {
    double least = 1;
    for (const Vec3d& v : cloth.positions()) least = std::min(least, norm(v - x));
    return least;
  };
  const double first = nearest(bodies.surface_now()[0]);
  const int steps = static_cast<int>(std::lround(0.125 / dt));
  for (int k = 0; k < steps; ++k) {
    run.step(dt);
    EXPECT_EQ(run.solids().report().unconverged, 0) << k;
  }
  return {norm(run.momentum()) / run.mass(), std::fabs(nearest(bodies.surface_now()[0]) - first)};
}

TEST(CoupledClothCollision, ABoxGluedToClothRestsOrSlidesOnASlopeWithIt) {
  constexpr double mu = 0.5;
  const auto acceleration = [](double angle) { return g * (std::sin(angle) - mu * std::cos(angle)); };
  for (const double angle : {0.0, 26.0}) EXPECT_LT(slide(angle * degree, mu, 1.0 / 96, 0.06).speed, 1e-6) << angle;
  for (const double angle : {27.0, 40.0}) {
    const double a = acceleration(angle * degree);
    for (const double dt : {1.0 / 24, 1.0 / 96})
      EXPECT_NEAR(slide(angle * degree, mu, dt, 0.06).speed / 0.125, a, 1e-3 * a) << angle << ", " << dt;
    EXPECT_NEAR(slide(angle * degree, mu, 1.0 / 96, 0.12, {100, -200, 50}, 0.5).speed / 0.125, a, 1e-3 * a) << angle;
    EXPECT_NEAR(slide(angle * degree, mu, 1.0 / 96, 0.06, {0, 0, 0}, 0, false).speed / 0.125, a, 1e-3 * a)
        << angle << ", softly";
  }
  EXPECT_LT(slide(40 * degree, mu, 1.0 / 96, 0.06).apart, 1e-4);
}

// Pieces with boxes on them that fly against each other.
std::uint64_t meet(double dt) {
  ContactRun run;
  MeshObject& low = run.cloth(lying_sheet(0.3, 0.3, 0.06, 0.0), fabric(1e3, 1e-5), 0.2, {0, 1, 0});
  MeshObject& high =
      run.cloth(lying_sheet(0.3, 0.3, 0.06, 0.03, 0.05, 0.07, 0.4), fabric(1e3, 1e-5), 0.2, {0.2, -1, 0});
  glue(run, run.bodies(box_surface({0.02, -0.01, 0}, {0.06, 0.02, 0.06}), 200, {0, 1, 0}), low);
  glue(run, run.bodies(box_surface({0.05, 0.04, 0.07}, {0.06, 0.02, 0.06}), 200, {0.2, -1, 0}), high);
  run.touch();
  run.start();
  const Vec3d momentum = run.momentum();
  const double before = run.bodies(0).poses()[0].velocity.y;
  for (int k = 0; k * dt < 0.05; ++k) run.step(dt);
  EXPECT_LT(norm(run.momentum() - momentum), 1e-11) << "of " << norm(momentum);
  EXPECT_LT(run.bodies(0).poses()[0].velocity.y, 0.5 * before) << "they have not met";
  return run.cloth(std::size_t{0}).hash() ^ 3 * run.cloth(std::size_t{1}).hash() ^ 5 * run.bodies(0).hash() ^
         run.solids().hash();
}

TEST(CoupledClothCollision, WhatMeetsKeepsItsMomentumOnAnyNumberOfThreads) {
  const std::uint64_t one = (set_threads(1), meet(1.0 / 192));
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(meet(1.0 / 192), one) << count;
  }
  set_threads(0);
}

// A box on cloth on the floor, another hinged to it that leans on the limit of the hinge: it stands out level, and the
// floor carries both through the cloth.
TEST(CoupledClothCollision, AHingeOnClothLeansOnItsLimit) {
  ContactRun run;
  run.cloth(lying_sheet(0.4, 0.4, 0.05, half), fabric(1e4, 1e-5));
  RigidObject& boxes = run.bodies(joined(box_surface({0, 2 * half + 0.05, 0}, {0.2, 0.1, 0.1}),
                                         box_surface({0.15, 2 * half + 0.05, 0}, {0.09, 0.04, 0.04})));
  JointDrive drive;
  drive.low = 0;
  drive.high = 0.5;
  const Vec3d pin{0.1, 2 * half + 0.05, 0};
  add_joints(run.solids(), "hinge", JointKind::hinge, drive,
             {{joint_end(boxes, 1, pin), joint_end(boxes, 0, pin), {0, 0, 1}}});
  run.gravity({0, -g, 0});
  run.collider(PlaneShape{}, 0.5);
  run.touch();
  run.start();
  constexpr double dt = 1.0 / 96;
  for (int k = 0; k < 48; ++k) {
    run.step(dt);
    EXPECT_EQ(run.solids().report().unconverged, 0) << k;
  }
  EXPECT_NEAR(run.carried(dt).y / (run.mass() * g), 1, 1e-6);
  EXPECT_NEAR(boxes.poses()[1].position.y, pin.y, 1e-5);
  for (const RigidPose& pose : boxes.poses()) EXPECT_LT(norm(pose.velocity), 1e-6);
}

}  // namespace
}  // namespace ymir::cloth_tests
