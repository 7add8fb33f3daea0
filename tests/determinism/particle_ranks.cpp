// Particles that drift across ranks, are rebalanced, and count the points around them within a radius: prints one line
// that must be the same for any number of ranks and threads. The sum over neighbours depends on order, so it sees the
// order too.
#include <cstdio>

#include "ymir/base/hash.h"
#include "ymir/base/random.h"
#include "ymir/data/particle_accessor.h"

namespace {

using namespace ymir;

constexpr double reach = 0.2;

// density[i] = sum over points within reach of (1 - r/reach)^2, neighbours taken bucket by bucket.
void gather_density(ParticleSystem& particles, ParticleChannel<double> density) {
  auto x = read(particles, ParticleSystem::position, Stencil::box);
  auto rho = write(particles, density);
  for_each_bucket(particles.buckets(), x, rho, [&](int bucket) {
    const auto own = x(bucket);
    const auto out = rho(bucket);
    for (int i = 0; i < x.count(bucket); ++i) {
      double sum = 0;
      for (const int near : particles.buckets().neighbours(bucket)) {
        if (near == particles.buckets().missing()) continue;
        const auto other = x(near);
        for (int j = 0; j < x.count(near); ++j) {
          const double r = norm(own[i] - other[j]) / reach;
          if (r < 1) sum += (1 - r) * (1 - r);
        }
      }
      out[i] = sum;
    }
  });
}

}  // namespace

int main() {
  Communicator& world = Communicator::world();
  GridDomain domain(0.25, 1, world);
  ParticleSystem particles(domain);
  const auto velocity = particles.add_channel<Vec3d>("velocity");
  const auto id = particles.add_channel<std::uint64_t>("id");
  const auto density = particles.add_channel<double>("density");

  constexpr int total = 6000;
  const int begin = total * world.rank() / world.size(), end = total * (world.rank() + 1) / world.size();
  ParticleBatch batch = particles.make_batch(static_cast<std::size_t>(end - begin));
  for (int i = begin; i < end; ++i) {
    const auto k = static_cast<std::size_t>(i - begin);
    Random random(1, static_cast<std::uint64_t>(i));
    batch[0].as<Vec3d>()[k] = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    batch[1].as<Vec3d>()[k] = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    batch[2].as<std::uint64_t>()[k] = static_cast<std::uint64_t>(i);
  }
  particles.append(batch);

  for (int step = 0; step < 6; ++step) {
    std::vector<BucketKey> keys(particles.buckets().local_keys().begin(), particles.buckets().local_keys().end());
    std::vector<double> weights;
    for (int b = 0; b < particles.buckets().local_count(); ++b) weights.push_back(particles.count(b));
    domain.rebalance(keys, weights);
    particles.migrate();
    gather_density(particles, density);
    auto x = read_write(particles, ParticleSystem::position);
    auto v = read(particles, velocity);
    auto rho = read(particles, density);
    for_each_bucket(particles.buckets(), x, v, rho, [&](int bucket) {
      for (int i = 0; i < particles.count(bucket); ++i)
        x(bucket).set(i, x(bucket)[i] + v(bucket)[i] * (0.05 / rho(bucket)[i]));
    });
    particles.rebucket();
  }
  const std::uint64_t state = particles.hash(id);
  const double mass = sum_over_buckets<double>(particles.buckets(), [&](int bucket) {
    double sum = 0;
    for (int i = 0; i < particles.count(bucket); ++i) sum += particles.read(density, bucket)[i];
    return sum;
  });
  const std::int64_t count = particles.total_count();
  if (world.root())
    std::printf("particles %lld state %016llx mass %a\n", static_cast<long long>(count),
                static_cast<unsigned long long>(state), mass);
  return 0;
}
