// Prints a hash of volume states after stencil steps with growth and rebalancing in between. The line must be the same
// for any number of ranks and threads (same_output.cmake compares them); what can be checked inside one run fails here.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "ymir/base/random.h"
#include "ymir/data/tile_stencil7.h"

namespace ymir {
namespace {

double noise(BucketKey key, std::uint64_t seed) { return Random(seed, key).uniform(); }

double noise(int level, Vec3i v, std::uint64_t seed) {
  return noise(hash_combine(hash_combine(static_cast<std::uint64_t>(v.x), static_cast<std::uint64_t>(v.y)),
                            static_cast<std::uint64_t>(v.z) * 16 + static_cast<std::uint64_t>(level)),
               seed);
}

std::vector<BucketKey> ball(double radius, int level) {
  std::vector<BucketKey> keys;
  const int n = static_cast<int>(radius) + 1;
  for (int z = -n; z < n; ++z)
    for (int y = -n; y < n; ++y)
      for (int x = -n; x < n; ++x)
        if (std::hypot(x + 0.5, y + 0.3, z + 0.4) < radius) keys.push_back(key_of({x, y, z, level}));
  return keys;
}

double weight(BucketKey key, int step) { return 0.2 + noise(key, 100 + static_cast<std::uint64_t>(step)); }

void rebalance(GridDomain& domain, DiscreteVolume& volume, int step) {
  const auto keys = volume.buckets().local_keys();
  std::vector<double> weights;
  for (const BucketKey key : keys) weights.push_back(weight(key, step));
  domain.rebalance(keys, weights);
  volume.migrate();
}

void check_balance(const GridDomain& domain, const DiscreteVolume& volume, int step) {
  double local = 0, largest = 0;
  for (const BucketKey key : volume.buckets().local_keys()) {
    YMIR_CHECK(domain.local(key));
    local += weight(key, step);
    largest = std::max(largest, weight(key, step));
  }
  const double total =
      sum_over_buckets<double>(volume.buckets(), [&](int i) { return weight(volume.buckets().key(i), step); });
  largest = domain.communicator().max(largest);
  const double share = total / domain.communicator().size();
  YMIR_CHECK(std::abs(local - share) <= largest);
  YMIR_CHECK(domain.imbalance(local) <= 1 + largest / share);
}

void check_nested_owners(const GridDomain& domain) {
  for (std::uint64_t n = 0; n < 200; ++n) {
    Random random(31, n);
    const int level = domain.levels() - 1;
    const auto axis = [&] { return static_cast<int>(std::floor(random.uniform(-6, 6))); };
    const int x = axis(), y = axis(), z = axis();
    const BucketCoord c{x, y, z, level};
    for (int octant = 0; level > 0 && octant < 8; ++octant)
      YMIR_CHECK(domain.owner(key_of(child(c, octant))) == domain.owner(key_of(c)));
  }
  const std::int32_t end = bucket_reach - 1;
  const BucketCoord last{end, end, end, 0};
  if (domain.levels() > 1) YMIR_CHECK(domain.owner(key_of(last)) == domain.owner(key_of(parent(last))));
}

// One level: stencil steps on a growing set; face layers and whole tiles are exchanged.
std::uint64_t run_uniform(Communicator& communicator) {
  GridDomain domain(0.5, 1, communicator);
  DiscreteVolume volume(domain);
  auto x = volume.add_channel<float>("x", {.background = 0.125f});
  auto y = volume.add_channel<float>("y", {.background = 0.125f});
  const auto d = volume.add_channel<float>("d", {});
  const auto c = volume.add_channel<float>("c", {.sampling = Sampling::face, .background = 0.01f});
  const auto fine = volume.add_channel<double>("fine", {.resolution = 16});
  const auto flags = volume.add_channel<std::uint8_t>("flags", {.resolution = 4});
  volume.set_buckets(communicator.root() ? ball(3.2, 0) : std::vector<BucketKey>{});
  fill(volume, x, [](int l, Vec3i v, int) { return static_cast<float>(noise(l, v, 1)); });
  fill(volume, d, [](int l, Vec3i v, int) { return static_cast<float>(0.7 + 0.2 * noise(l, v, 2)); });
  fill(volume, c,
       [](int l, Vec3i v, int k) { return static_cast<float>(0.1 * noise(l, v, 3 + static_cast<unsigned>(k))); });
  fill(volume, fine, [](int l, Vec3i v, int) { return noise(l, v, 7); });

  std::uint64_t hash = 0;
  for (int step = 0; step < 10; ++step) {
    if (step % 3 == 0) {
      rebalance(domain, volume, step);
      check_balance(domain, volume, step);
      check_nested_owners(domain);
    }
    if (step == 4) volume.pad(1);
    if (step == 7)
      volume.deactivate(communicator.rank() == communicator.size() - 1 ? ball(1.5, 0) : std::vector<BucketKey>{});
    apply_stencil7<float>(volume, {d, c, x, y});
    std::swap(x, y);

    // Corner neighbours, and two accessors of one channel.
    auto faces = read(volume, x, Stencil::faces), box = read(volume, x, Stencil::box);
    auto f = read_write(volume, fine);
    auto marks = write(volume, flags);
    for_each_bucket(volume.buckets(), faces, box, f, marks, [&](int b) {
      const float corner = box.value(b, {-1, -1, 8}) + box.value(b, {8, 8, 8}) + faces.value(b, {-1, 3, 3});
      for (int i = 0; i < 4096; ++i) f.tile(b)[i] += 0.5 * static_cast<double>(corner);
      for (int i = 0; i < 64; ++i) marks.tile(b)[i] = static_cast<std::uint8_t>(corner * 50);
    });
    // Nothing was written since: the neighbouring tiles are known to be fresh.
    volume.begin_exchange(x.index, Stencil::box);
    YMIR_CHECK(!volume.exchanging(x.index));

    const float* tiles = volume.tiles(x);
    const double sum = sum_over_buckets<double>(volume.buckets(), [&](int b) {
      double s = 0;
      for (int i = 0; i < 512; ++i) s += static_cast<double>(tiles[512 * b + i]) * 1e3;
      return s;
    });
    hash = hash_combine(hash, hash_bits(sum));
    hash = hash_combine(hash, volume.hash());
  }
  return hash;
}

// Several levels: a graded set whose values are read across levels and ranks, refined and coarsened.
std::uint64_t run_levels(Communicator& communicator) {
  GridDomain domain(0.25, 4, communicator);
  DiscreteVolume volume(domain);
  const auto a = volume.add_channel<float>("a", {.resolution = 4, .background = 0.5f});
  const auto u = volume.add_channel<double>("u", {.resolution = 4, .sampling = Sampling::face});
  const auto refine = [&](std::vector<BucketKey> keys, std::uint64_t seed) {
    std::vector<BucketKey> finer;
    for (const BucketKey key : keys) {
      if (level_of(key) == 0 || noise(key, seed) > 0.25) {
        finer.push_back(key);
        continue;
      }
      for (int octant = 0; octant < 8; ++octant) finer.push_back(key_of(child(coord_of(key), octant)));
    }
    return finer;
  };
  volume.set_buckets(communicator.root() ? refine(refine(ball(2, 3), 1), 2) : std::vector<BucketKey>{});
  fill(volume, a, [](int l, Vec3i v, int) { return static_cast<float>(noise(l, v, 1)); });
  fill(volume, u, [](int l, Vec3i v, int k) { return noise(l, v, 3 + static_cast<unsigned>(k)); });

  std::uint64_t hash = 0;
  for (int step = 0; step < 4; ++step) {
    rebalance(domain, volume, step);
    check_nested_owners(domain);
    const auto now = volume.buckets().local_keys();
    volume.set_buckets(graded(domain, refine({now.begin(), now.end()}, 50 + static_cast<unsigned>(step))));
    if (step == 1) volume.pad(1);
    volume.set_buckets(graded(domain, {volume.buckets().local_keys().begin(), volume.buckets().local_keys().end()}));

    const auto snapshot = volume.snapshot();
    fill(volume, a, [](int, Vec3i, int) { return 0.f; });
    volume.restore(*snapshot);

    auto cells = read(volume, a, Stencil::box);
    auto faces = read_write(volume, u);
    for_each_bucket(volume.buckets(), cells, faces, [&](int b) {
      const VolumeView<float> view = cells.view();
      const BucketCoord c = volume.buckets().coord(b);
      double around = 0;
      for (int dir = 0; dir < 27; ++dir) {
        const Vec3i o = offset_of(dir);  // the voxel just outside in every direction
        const auto axis = [](int base, int side) { return 4 * base + (side < 0 ? -1 : side > 0 ? 4 : 1); };
        around += static_cast<double>(view.value(c.level, {axis(c.x, o.x), axis(c.y, o.y), axis(c.z, o.z)}));
      }
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 64; ++i) faces.tile(b, k)[i] += around * 0.1;
    });
    hash = hash_combine(hash, volume.hash());
  }
  return hash_combine(hash, static_cast<std::uint64_t>(communicator.sum(std::int64_t{volume.buckets().local_count()})));
}

}  // namespace
}  // namespace ymir

int main() {
  ymir::Communicator& communicator = ymir::Communicator::world();
  try {
    const std::uint64_t uniform = ymir::run_uniform(communicator);
    const std::uint64_t levels = ymir::run_levels(communicator);
    if (communicator.root()) fmt::print("volume {:016x} levels {:016x}\n", uniform, levels);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", communicator.rank(), error.what());
    std::fflush(stderr);
    communicator.abort(1);
  }
  return 0;
}
