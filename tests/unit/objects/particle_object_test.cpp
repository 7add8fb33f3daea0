#include "ymir/objects/particle_object.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/pipeline/simulation.h"

namespace ymir {
namespace {

PointSource::Description steady(double rate) {
  PointSource::Description d;
  d.rate = rate;
  d.velocity = {0, 2, 0};
  d.size = {0.1, 0, 0.1};
  return d;
}

TEST(PointSource, EmitsAtItsRateWhereverTheTimesLie) {
  const PointSource source(steady(1000), nullptr);
  EXPECT_EQ(source.born_until(0), 0);
  EXPECT_EQ(source.born_until(0.5), 500);
  EXPECT_EQ(source.born_until(2), 2000);
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(source.born_until(source.birth_time(i) - 1e-9), i);
    EXPECT_EQ(source.born_until(source.birth_time(i) + 1e-9), i + 1);
  }
}

TEST(PointSource, FillsASphereEvenlyByVolumeAndASurfaceByArea) {
  PointSource::Description d;
  d.shape = SourceShape::sphere;
  d.radius = 2;
  const PointSource ball(d, nullptr);
  int inner = 0;
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) inner += norm(ball.birth(i).position) < 1 ? 1 : 0;
  EXPECT_NEAR(inner / double(n), 1.0 / 8, 0.01);

  // Two triangles, one of three times the area.
  Surface surface;
  surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {8, 0, 0}, {5, 1, 0}};
  surface.triangles = {{0, 1, 2}, {3, 4, 5}};
  d.shape = SourceShape::surface;
  const PointSource skin(d, &surface);
  int large = 0;
  for (int i = 0; i < n; ++i) {
    const Vec3d p = skin.birth(i).position;
    EXPECT_EQ(p.z, 0);
    large += p.x > 3 ? 1 : 0;
  }
  EXPECT_NEAR(large / double(n), 0.75, 0.01);
}

// Heights of a column of points thrown up without gravity: born at different moments of a substep, evenly spaced.
TEST(ParticleObject, EmissionIsSmoothWithinASubstep) {
  Communicator alone;
  TimeParams time;
  time.fps = 10;
  Simulation simulation(time, 0.25, alone);
  auto& object =
      simulation.add(std::make_unique<ParticleObject>("points", 0, simulation.domain(), ParticleObject::Description{}));
  object.add_source(PointSource(steady(100), nullptr));
  simulation.ingest();
  for (int frame = 1; frame <= 3; ++frame) simulation.advance_frame(frame);
  std::vector<double> heights;
  for (int b = 0; b < object.particles().buckets().local_count(); ++b)
    for (int i = 0; i < object.particles().count(b); ++i)
      heights.push_back(object.particles().read(ParticleSystem::position, b)[i].y);
  ASSERT_EQ(heights.size(), 30u);
  std::sort(heights.begin(), heights.end());
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_NEAR(heights[i] - heights[i - 1], 0.02, 1e-12);
}

TEST(ParticleObject, BucketsFitTheirContentsAsACloudExpands) {
  Communicator alone;
  TimeParams time;
  Simulation simulation(time, 0.001, alone);
  auto& object =
      simulation.add(std::make_unique<ParticleObject>("points", 0, simulation.domain(), ParticleObject::Description{}));
  PointSource::Description d = steady(1e6);
  d.limit = 5000;
  d.spread = 3;
  object.add_source(PointSource(d, nullptr));
  simulation.ingest();
  for (int frame = 1; frame <= 12; ++frame) simulation.advance_frame(frame);
  EXPECT_EQ(object.element_count(), 5000);
  EXPECT_LE(object.particles().buckets().local_count(), 512);
  EXPECT_GT(simulation.domain().bucket_size(), 0.05);
}

}  // namespace
}  // namespace ymir
