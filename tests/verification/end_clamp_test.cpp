// Ends of strands held in orientation by a surface: second order, as roots that are clamped.
#include <fmt/format.h>

#include "strands_run.h"

namespace ymir::verification {
namespace {

std::shared_ptr<const AnimatedSurface> wall(double x) {
  Surface mesh;
  mesh.positions = {{x, -1, -1}, {x, 1, -1}, {x, 0, 2}};
  mesh.triangles = {{0, 1, 2}};
  return std::make_shared<const AnimatedSurface>(mesh);
}

// Middle of a beam held at both ends, under a small uniform load; root clamped or, as the tip, held by a wall.
double sag(int edges, bool clamped_root, Vec3d orientation, double load) {
  StrandsCase c;
  c.strands = {line({0, 0, 0}, {1, 0, 0}, edges)};
  c.clamped = clamped_root;
  c.stretch = 1e5;
  c.newton = {1e-12, 400};
  StrandsRun run;
  CurvesObject& object = run.add(c);
  AttachmentResponse response;
  response.normal_stiffness = response.tangent_stiffness = 1e7;
  response.orientation_stiffness = orientation;
  EmissionRule rule;
  rule.points = SourcePoints::tips;
  add_surface_attachments(object, "tips", response, rule, wall(1));
  rule.points = SourcePoints::roots;
  if (!clamped_root) add_surface_attachments(object, "roots", response, rule, wall(0));
  run.load = [&](const StrandsRun::Vertex& v) { return Vec3d{0, load * v.mass, 0}; };
  run.start();
  for (int k = 0; k < 40; ++k) run.step(1e3);
  return run.position(0, 0, edges / 2).y;
}

TEST(TipHeldByASurface, IsAClampOfSecondOrder) {
  constexpr double load = 1e-3, exact = load / 384;  // w L^4/384 EI
  for (const bool clamped_root : {true, false}) {
    double errors[3];
    int at = 0;
    for (const int edges : {10, 20, 40}) errors[at++] = sag(edges, clamped_root, {1e6, 1e6, 1e6}, load) / exact - 1;
    const double order = std::log2(errors[1] / errors[2]);
    fmt::print("beam between {} and a wall: sag off by {:+.2e} {:+.2e} {:+.2e}, order {:.2f}\n",
               clamped_root ? "a clamped root" : "a wall", errors[0], errors[1], errors[2], order);
    EXPECT_LT(std::fabs(errors[1]), 0.021);
    EXPECT_GT(order, 1.8);
  }
}

// A soft hold at both ends, k = 4 beta against rotation: w L^4/384 EI (1 + 4/(1 + k L/2EI)).
TEST(TipHeldByASurface, YieldsByItsOrientationStiffness) {
  constexpr double load = 1e-3;
  for (const double beta : {0.05, 0.5, 5.0, 50.0}) {
    const double exact = load / 384 * (1 + 4 / (1 + 4 * beta / 2));
    const double error = sag(40, false, {beta, beta, beta}, load) / exact - 1;
    fmt::print("beam held by orientation stiffness {} J: sag off by {:+.2e}\n", beta, error);
    EXPECT_LT(std::fabs(error), 5.1e-3) << beta;
  }
}

// A tip that is turned about the strand twists it: G J angle/L, exactly.
TEST(TipHeldByASurface, TwistsTheWholeLength) {
  AnimatedSurface surface = *wall(1);
  surface.add_motion(
      RigidMotion({{0, {0, 0, 0}, {0, 0, 0}}, {1, {0, 0, 0}, {1, 0, 0}}}, KeyInterpolation::linear, {1, 0, 0}));
  StrandsCase c;
  c.strands = {line({0, 0, 0}, {1, 0, 0}, 8)};
  c.newton = {1e-12, 400};
  StrandsRun run;
  CurvesObject& object = run.add(c);
  AttachmentResponse response;
  response.normal_stiffness = response.tangent_stiffness = 1e4;
  response.orientation_stiffness = {1e6, 1e6, 1e6};
  EmissionRule rule;
  rule.points = SourcePoints::tips;
  add_surface_attachments(object, "tips", response, rule, std::make_shared<const AnimatedSurface>(surface));
  run.start();
  for (int k = 0; k < 10; ++k) run.step(0.2);
  for (int k = 0; k < 40; ++k) run.step(1e3);
  // Twist between edges L/8 apart, and half of that at either end.
  const auto angle = [&](int edge) { return std::atan2(run.m1(0, 0, edge).z, run.m1(0, 0, edge).y); };
  for (int edge = 0; edge + 1 < 8; ++edge) EXPECT_NEAR(angle(edge + 1) - angle(edge), 1.0 / 8, 1e-6);
}

}  // namespace
}  // namespace ymir::verification
