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

// What points remember is part of their state: undone with it, hashed, and in every checkpoint.
TEST(ParticleObject, KeepsWhatItsPointsRemember) {
  Communicator alone;
  TimeParams time;
  time.fps = 10;
  const auto make = [&](Simulation& simulation) -> ParticleObject& {
    auto& object = simulation.add(
        std::make_unique<ParticleObject>("points", 0, simulation.domain(), ParticleObject::Description{}));
    object.add_source(PointSource(steady(100), nullptr));
    return object;
  };
  Simulation simulation(time, 0.25, alone), other(time, 0.25, alone);
  ParticleObject &object = make(simulation), &copy = make(other);
  const int memory = object.add_memory("wake"), second = object.add_memory("wake");
  EXPECT_NE(memory, second);
  copy.add_memory("wake");
  copy.add_memory("wake");
  simulation.ingest();
  other.ingest();
  for (int frame = 1; frame <= 3; ++frame) simulation.advance_frame(frame);
  std::vector<Vec3d> values, found;
  object.recall(memory, found);
  ASSERT_EQ(found.size(), 30u);
  for (const Vec3d& v : found) EXPECT_EQ(v, (Vec3d{0, 0, 0}));  // at birth
  for (int i = 0; i < 30; ++i) values.push_back({1.0 * i, 2, -0.5 * i});
  const std::uint64_t before = object.hash();
  object.remember(memory, values);
  EXPECT_NE(object.hash(), before);
  object.save();
  object.remember(memory, std::vector<Vec3d>(30, Vec3d{7, 7, 7}));
  object.rollback();
  found.clear();
  object.recall(memory, found);
  EXPECT_EQ(found, values);
  const ObjectState state = object.checkpoint();
  copy.restore(&state);
  EXPECT_EQ(copy.hash(), object.hash());
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

// Stands for a gas: many elements that live in no bucket of the simulation.
class Voxels final : public Object {
 public:
  Voxels() : Object("voxels", 0) {}
  void schedule(Timeline&) override {}
  std::int64_t element_count() const override { return 1'000'000; }
  void save() override {}
  void rollback() override {}
  std::optional<std::string> non_finite() const override { return std::nullopt; }
  ObjectState frame_state() const override { return {path(), "state", {}, {}}; }
  ObjectState checkpoint() const override { return frame_state(); }
  void restore(const ObjectState*) override {}
  std::uint64_t hash() const override { return 0; }
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}
};

// Size of buckets and number of buckets with points after so many substeps.
struct Buckets {
  double size;
  int used;
  std::int64_t points;
};
Buckets buckets_after(int substeps, double size, const PointSource::Description& source, bool beside_a_gas,
                      double longest_life = 0) {
  Communicator alone;
  TimeParams time;
  time.fps = 1000;
  Simulation simulation(time, size, alone);
  auto& object =
      simulation.add(std::make_unique<ParticleObject>("points", 0, simulation.domain(), ParticleObject::Description{}));
  object.add_source(PointSource(source, nullptr));
  if (longest_life > 0)
    object.add_removal(
        {"kill", "old points",
         [=](const PointBlock& block, const double* age, const std::uint64_t*, std::span<std::uint8_t> dead) {
           for (int i = 0; i < block.count; ++i)
             if (age[i] > longest_life) dead[static_cast<std::size_t>(i)] = 1;
         }});
  if (beside_a_gas) simulation.add(std::make_unique<Voxels>());
  simulation.ingest();
  for (int frame = 1; frame <= substeps; ++frame) simulation.advance_frame(frame);
  return {simulation.domain().bucket_size(), object.particles().buckets().local_count(), object.element_count()};
}

PointSource::Description burst(std::int64_t count, double edge) {
  PointSource::Description d;
  d.rate = 1e10;
  d.limit = count;
  d.size = {edge, edge, edge};
  return d;
}

// A size halved in every substep is 0 after 1,074 of them.
TEST(ParticleObject, BucketsKeepTheirSizeForEverBesideAGas) {
  for (const std::int64_t count : {0, 1, 20}) {
    const Buckets end = buckets_after(1200, 0.25, burst(count, 0.1), true);
    EXPECT_EQ(end.size, 0.25) << count << " points";
    EXPECT_EQ(end.points, count);
  }
}

TEST(ParticleObject, BucketsOfPointsInOnePlaceAreNotHalvedForEver) {
  const Buckets end = buckets_after(1200, 0.25, burst(5000, 0), false);
  EXPECT_EQ(end.points, 5000);
  EXPECT_EQ(end.size, 0.25);
}

TEST(ParticleObject, BucketsSurviveTheDeathOfAllPoints) {
  PointSource::Description d = burst(5000, 1);
  const Buckets end = buckets_after(1200, 0.25, d, true, 0.01);
  EXPECT_EQ(end.points, 0);
  EXPECT_GT(end.size, 1e-3);
}

TEST(ParticleObject, BucketsOfManyPointsAreHalvedUntilThreadsCanShareThem) {
  const Buckets end = buckets_after(40, 100, burst(100'000, 1), true);
  EXPECT_EQ(end.points, 100'000);
  EXPECT_GT(end.used, 100'000 / 4096);
  EXPECT_GT(end.size, 0.05);
}

}  // namespace
}  // namespace ymir
