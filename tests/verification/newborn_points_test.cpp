// Points that are born inside a substep: they move, fall and bounce for the rest of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ymir/behaviors/register.h"
#include "ymir/objects/particle_object.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

struct Point {
  double age;
  Vec3d position, velocity;
};

std::vector<Point> run(const std::string& text) {
  const Registry registry = all_behaviors();
  const ReadResult read = read_setup_text("ymir: 1\n" + text, "newborn.yaml", registry);
  if (!read.setup) throw std::runtime_error(to_string(read.diagnostics));
  Communicator alone;
  const BuiltSimulation built = build(*read.setup, alone);
  Simulation& simulation = *built.simulation;
  simulation.ingest();
  for (std::int64_t frame = 1; frame <= read.setup->time.frames.last; ++frame) simulation.advance_frame(frame);
  const auto& object = dynamic_cast<const ParticleObject&>(*simulation.objects().front());
  const ParticleSystem& particles = object.particles();
  const ParticleChannel<double> age{*particles.find_channel("age")};
  std::vector<Point> points;
  for (int b = 0; b < particles.buckets().local_count(); ++b)
    for (int i = 0; i < particles.count(b); ++i)
      points.push_back({particles.read(age, b)[i], particles.read(ParticleSystem::position, b)[i],
                        particles.read(object.velocity(), b)[i]});
  return points;
}

// y = y0 + v t - g t^2/2 with t the age of each point, whatever the substeps.
TEST(NewbornPoints, FallOnTheirParabolaFromTheMomentOfTheirBirth) {
  constexpr double g = 9.81;
  for (const int substeps : {1, 3}) {
    const std::vector<Point> points = run(fmt::format(
        "time: {{frames: [1, 6], fps: 24, substeps: {}}}\nsetup:\n"
        "  - particle_object: {{emit: {{from: sphere, radius: 1e-9, rate: 1000, velocity: [1, 2, 0]}}}}\n  - gravity\n",
        substeps));
    ASSERT_EQ(points.size(), 250u);
    for (const Point& p : points) {
      EXPECT_NEAR(p.position.y, 2 * p.age - g / 2 * p.age * p.age, 1e-8) << p.age;
      EXPECT_NEAR(p.velocity.y, 2 - g * p.age, 1e-11) << p.age;
      EXPECT_NEAR(p.position.x, p.age, 1e-8) << p.age;
    }
  }
}

// A jet above a thin plate, from slow to a hundred plates per substep: nothing comes out below, at any age.
TEST(NewbornPoints, DoNotPassAPlate) {
  for (const double speed : {0.5, 5.0, 20.0, 300.0})
    for (const int substeps : {1, 8}) {
      const std::vector<Point> points = run(fmt::format(
          "time: {{frames: [1, 6], fps: 24, substeps: {}}}\nsetup:\n"
          "  - particle_object: {{radius: 2 mm, emit: {{from: sphere, center: [0, 0.08, 0], radius: 2 cm, rate: 1000, "
          "velocity: [0, -{}, 0]}}}}\n  - collider: {{shape: box, size: [2, 2 cm, 2], restitution: 0.5}}\n",
          substeps, speed));
      ASSERT_EQ(points.size(), 250u);
      for (const Point& p : points) EXPECT_GE(p.position.y, 0.01 + 0.002 - 1e-9) << speed << ' ' << substeps;
    }
}

}  // namespace
}  // namespace ymir
