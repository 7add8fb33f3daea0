// What lies on each other by exact contact comes to rest, and stays where it is.
#include "strands_run.h"
#include "ymir/behaviors/register.h"
#include "ymir/setup/build.h"
#include "ymir/setup/solver_setup.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81;  // [m/s^2]

// Straight rods along x, 1 kg/m, 2 cm thick: two that are held side by side, and one that lies on both.
StrandsCase rods(const std::vector<Polyline>& lines, bool held) {
  StrandsCase c;
  c.strands = lines;
  c.clamped = false;
  c.newton = {1e-9, 60};
  for (int i = 0; held && i <= 16; ++i) c.pinned.push_back(i);
  return c;
}

// Fastest vertex of the loose rod in the last 24 of 96 substeps [m/s].
double lying(double yaw, double shift, int edges) {
  constexpr double dt = 1.0 / 96, apart = 0.03;
  const double nearest = apart / 2 - 0.4 * yaw, height = std::sqrt(0.02 * 0.02 - nearest * nearest);
  StrandsRun run;
  CurvesObject& held = run.add(
      rods({line({0, 0, -apart / 2}, {1, 0, -apart / 2}, 16), line({0, 0, apart / 2}, {1, 0, apart / 2}, 16)}, true));
  CurvesObject& loose =
      run.add(rods({line({0.1 + shift, height, -0.4 * yaw}, {0.9 + shift, height, 0.4 * yaw}, edges)}, false));
  run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g, 0} * v.mass; };
  SolidObject* objects[] = {&held, &loose};
  for (SolidObject* object : objects) run.solids().add(*object);
  TouchParams params;
  params.tolerance = 1e-6;  // of the 0.1 m/s that gravity adds in a substep
  run.solids().contacts().add_family(objects, params, 0);
  run.start();
  double fastest = 0;
  for (int k = 0; k < 96; ++k) {
    const std::vector<Vec3d> before = run.all_positions();
    run.step(dt);
    run.solids().accept();
    const std::vector<Vec3d> after = run.all_positions();
    for (std::size_t i = 0; k >= 72 && i < after.size(); ++i)
      fastest = std::max(fastest, norm(after[i] - before[i]) / dt);
  }
  return fastest;
}

TEST(HairAtRest, ARodAlongOthersStaysStill) {
  for (const double yaw : {0.0, 1e-4, 3e-3})
    for (const int edges : {13, 16}) EXPECT_LT(lying(yaw, 0.017, edges), 1e-6) << yaw << " " << edges;
}

// 150 hairs cut to a bob, 1.6 mm apart at least, on a head that does not move.
TEST(HairAtRest, HairOnAHeadIsStillAfterTwoSeconds) {
  const Registry registry = all_behaviors();
  const ReadResult read = read_setup_text(
      "ymir: 1\n"
      "time: {frames: [1, 48], fps: 24, substeps: 8}\n"
      "inputs:\n"
      "  hair: {groom: {style: bob, strands: 150, vertices: 16, length: 30 cm, radius: 45 um}}\n"
      "  head: {shape: head}\n"
      "setup:\n"
      "  - gravity\n"
      "  - drag\n"
      "  - collision: {friction: 0.4, thickness: 1.5 mm}\n"
      "  - group: Hair\n"
      "    with:\n"
      "      - curves_object: {curves: hair, density: 1.3 g/cm^3}\n"
      "      - elastic_rod: {youngs_modulus: 3.5 GPa, relaxation_time: 5 ms}\n"
      "      - attachment: {surface: head}\n"
      "      - collider: {shape: mesh, surface: head, response: exact, friction: 0.4}\n",
      "rest.yaml", registry);
  ASSERT_TRUE(read.setup);
  Communicator alone;
  const BuiltSimulation built = build(*read.setup, alone);
  built.simulation->ingest();
  for (std::int64_t frame = 1; frame <= 48; ++frame) built.simulation->advance_frame(frame);
  const Frame end = built.simulation->frame(48);
  double fastest = 0;
  for (const ObjectState& object : end.objects)
    if (object.channels.contains("velocity"))
      for (const Vec3f& v : object.channels.at("velocity").as<Vec3f>())
        fastest = std::max(fastest, std::sqrt(double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z));
  EXPECT_LT(fastest, 5e-4);  // [m/s]
  EXPECT_GT(fastest, 0);
}

}  // namespace
}  // namespace ymir::verification
