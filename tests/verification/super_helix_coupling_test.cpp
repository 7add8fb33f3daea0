// Super-helices with what is attached to them.
#include <gtest/gtest.h>

#include <cmath>

#include "ymir/actions/attachment_set.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/objects/particle_object.h"
#include "ymir/objects/super_helix_object.h"
#include "ymir/physics/rods/cross_section.h"
#include "ymir/pipeline/simulation.h"

namespace ymir::verification {
namespace {

// A bead on the tip of a massless strand of length 1 along x bends it as the elastica with P L^2/EI = 5.
TEST(SuperHelixCoupling, BeadOnTheTipBendsItAsTheElastica) {
  Communicator alone;
  TimeParams time;
  time.fps = 2;
  Simulation simulation(time, 100, alone);
  const double bead_radius = 0.05, bead_density = 1000, g = 9.81;
  const double load = 4.0 / 3 * M_PI * std::pow(bead_radius, 3) * bead_density * g;
  SuperHelixObject::Description d;
  d.elements = 8;
  d.radius = 1e-2;
  const CrossSection section{d.radius, d.radius};
  d.youngs_modulus = load / 5 / section.bending1();
  d.shear_modulus = d.youngs_modulus / 2;
  d.density = 1e-3 * load / g / section.area();
  d.relaxation_time = 0.5;
  auto& strand = simulation.add(std::make_unique<SuperHelixObject>("strand", 0, simulation.domain(), d));
  Curves curves;
  for (int i = 0; i <= 20; ++i) curves.positions.push_back({i / 20.0, 0, 0});
  curves.first.push_back(21);
  curves.vertices.resize(21);
  curves.strands.resize(1);
  strand.set_curves(curves);
  strand.add_force(gravity_force("gravity", {0, -g, 0}, {}));
  ParticleObject::Description p;
  p.radius = bead_radius;
  p.density = bead_density;
  auto& bead = simulation.add(std::make_unique<ParticleObject>("bead", 0, simulation.domain(), p));
  Points points;
  points.positions.push_back({1, 0, 0});
  points.vertices.resize(1);
  bead.add_points(points);
  bead.add_force(gravity_force("gravity", {0, -g, 0}, {}));
  auto& solids = simulation.add(std::make_unique<SolidSystem>());
  AttachmentResponse response;
  response.hard = true;
  EmissionRule rule;
  rule.points = SourcePoints::tips;
  rule.range = 0.01;
  ASSERT_EQ(add_attachments(solids, "attachment", {&strand}, {&bead}, response, rule), 1U);
  simulation.ingest();
  for (int frame = 1; frame <= 60; ++frame) simulation.advance_frame(frame);
  const SuperHelix h = strand.helix(0, 0);
  const Vec3d tip = h.frame(7, h.length).position;
  const Vec3d at = bead.particles().read(ParticleSystem::position, 0)[0];
  EXPECT_LT(norm(tip - at), 1e-6);
  // Of 8 elements, and of the thousandth of the load that the strand weighs.
  EXPECT_LT(std::hypot(tip.x - .61237164, tip.y + .71379152), 3.5e-3);
}

}  // namespace
}  // namespace ymir::verification
