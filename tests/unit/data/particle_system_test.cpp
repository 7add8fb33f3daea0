#include "ymir/data/particle_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// Particles scattered in a box, each carrying a velocity and a tag that follow from its id.
struct Cloud {
  Communicator alone;
  GridDomain domain{0.25, 1, alone};
  ParticleSystem particles{domain};
  ParticleChannel<Vec3d> velocity = particles.add_channel<Vec3d>("velocity");
  ParticleChannel<std::uint64_t> id = particles.add_channel<std::uint64_t>("id");
  ParticleChannel<float> tag = particles.add_channel<float>("tag");

  static Vec3d velocity_of(std::uint64_t i) {
    Random random(7, i);
    return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  }
  void add(std::uint64_t first, std::size_t count) {
    ParticleBatch batch = particles.make_batch(count);
    for (std::size_t i = 0; i < count; ++i) {
      Random random(3, first + i);
      batch[0].as<Vec3d>()[i] = {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
      batch[1].as<Vec3d>()[i] = velocity_of(first + i);
      batch[2].as<std::uint64_t>()[i] = first + i;
      batch[3].as<float>()[i] = static_cast<float>(first + i) * 0.5f;
    }
    particles.append(batch);
  }
  void drift(double dt) {
    parallel_for(particles.buckets().local_count(), [&](std::ptrdiff_t b) {
      const auto x = particles.modify(ParticleSystem::position, static_cast<int>(b));
      const auto v = particles.read(velocity, static_cast<int>(b));
      for (int i = 0; i < particles.count(static_cast<int>(b)); ++i) x.set(i, x[i] + v[i] * dt);
    });
  }
  void expect_consistent(std::size_t count) {
    std::vector<std::uint64_t> seen;
    for (int b = 0; b < particles.buckets().local_count(); ++b) {
      EXPECT_GT(particles.count(b), 0) << "an empty bucket was kept";
      for (int i = 0; i < particles.count(b); ++i) {
        const std::uint64_t which = particles.read(id, b)[i];
        seen.push_back(which);
        EXPECT_EQ(domain.bucket_of(particles.read(ParticleSystem::position, b)[i]), particles.buckets().coord(b));
        EXPECT_EQ(particles.read(velocity, b)[i], velocity_of(which));
        EXPECT_EQ(particles.read(tag, b)[i], static_cast<float>(which) * 0.5f);
      }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
    EXPECT_EQ(seen.size(), count);
  }
};

TEST(ParticleSystem, EveryParticleIsInItsBucketAfterDriftingWithAllItsChannels) {
  Cloud cloud;
  cloud.add(0, 5000);
  cloud.expect_consistent(5000);
  for (int step = 0; step < 20; ++step) {
    cloud.drift(0.05);
    cloud.particles.rebucket();
  }
  cloud.expect_consistent(5000);
}

TEST(ParticleSystem, RemovesExactlyTheMarkedParticles) {
  Cloud cloud;
  cloud.add(0, 3000);
  cloud.particles.remove([&](int b, std::span<std::uint8_t> dead) {
    for (std::size_t i = 0; i < dead.size(); ++i) dead[i] = cloud.particles.read(cloud.id, b)[i] % 3 == 0;
  });
  cloud.particles.rebucket();
  cloud.expect_consistent(2000);
  for (int b = 0; b < cloud.particles.buckets().local_count(); ++b)
    for (int i = 0; i < cloud.particles.count(b); ++i) EXPECT_NE(cloud.particles.read(cloud.id, b)[i] % 3, 0u);
}

TEST(ParticleSystem, ASnapshotIsUntouchedByLaterSteps) {
  Cloud cloud;
  cloud.add(0, 2000);
  const std::uint64_t before = cloud.particles.hash(cloud.id);
  const ParticleSystem::State saved = cloud.particles.state();
  for (int step = 0; step < 5; ++step) {
    cloud.drift(0.1);
    cloud.particles.rebucket();
    cloud.add(10000 + static_cast<std::uint64_t>(step) * 100, 100);
  }
  EXPECT_NE(cloud.particles.hash(cloud.id), before);
  cloud.particles.restore(saved);
  EXPECT_EQ(cloud.particles.hash(cloud.id), before);
  cloud.expect_consistent(2000);
}

TEST(ParticleSystem, OrderInBucketsDoesNotDependOnThreads) {
  const auto order = [](int thread_count) {
    set_threads(thread_count);
    Cloud cloud;
    cloud.add(0, 4000);
    for (int step = 0; step < 10; ++step) {
      cloud.drift(0.07);
      cloud.particles.rebucket();
    }
    const ParticleBatch batch = cloud.particles.export_local();
    const auto ids = batch[2].as<std::uint64_t>();
    return std::vector<std::uint64_t>(ids.begin(), ids.end());
  };
  const auto one = order(1);
  EXPECT_EQ(one, order(2));
  EXPECT_EQ(one, order(3));
  set_threads(0);
}

TEST(ParticleSystem, HashSeesEveryChannelButNotTheOrder) {
  Cloud a, b;
  a.add(0, 100);
  a.add(100, 100);
  b.add(100, 100);
  b.add(0, 100);
  EXPECT_EQ(a.particles.hash(a.id), b.particles.hash(b.id));
  b.particles.modify(b.tag, 0)[0] += 1;
  EXPECT_NE(a.particles.hash(a.id), b.particles.hash(b.id));
}

TEST(ParticleSystem, NamesTheChannelThatIsNotFinite) {
  Cloud cloud;
  cloud.add(0, 500);
  EXPECT_FALSE(cloud.particles.non_finite_channel());
  cloud.particles.modify(cloud.velocity, 3).y[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cloud.particles.non_finite_channel(), "velocity");
}

TEST(ParticleSystem, FarAwayParticlesStayInTheOutermostBuckets) {
  Cloud cloud;
  ParticleBatch batch = cloud.particles.make_batch(3);
  batch[0].as<Vec3d>()[0] = {1e300, 0, 0};
  batch[0].as<Vec3d>()[1] = {-1e300, 1e9, -1e12};
  batch[0].as<Vec3d>()[2] = {1e300, 1e300, 1e300};  // the last bucket of all
  cloud.particles.append(batch);
  cloud.particles.rebucket();
  EXPECT_EQ(cloud.particles.local_count(), 3);
}

}  // namespace
}  // namespace ymir
