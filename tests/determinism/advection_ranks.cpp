// Prints a hash of a gas after steps of advection with paths of up to 20 voxels, which leave the tiles that a rank
// holds. The line must be the same for any number of ranks and threads (same_output.cmake compares them).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "ymir/base/random.h"
#include "ymir/fluid/advection.h"
#include "ymir/fluid/extrapolation.h"

namespace ymir {
namespace {

std::vector<BucketKey> ball(double radius) {
  std::vector<BucketKey> keys;
  const int n = static_cast<int>(radius) + 1;
  for (int z = -n; z < n; ++z)
    for (int y = -n; y < n; ++y)
      for (int x = -n; x < n; ++x)
        if (std::hypot(x + 0.5, y + 0.3, z + 0.4) < radius) keys.push_back(key_of({x, y, z, 0}));
  return keys;
}

std::uint64_t run(Communicator& communicator, const AdvectionOptions& options) {
  GridDomain domain(8, 1, communicator);
  DiscreteVolume volume(domain);
  const auto along = volume.add_channel<float>("along", {.sampling = Sampling::face});
  auto u = volume.add_channel<float>("u", {.sampling = Sampling::face});
  auto u_new = volume.add_channel<float>("u new", {.sampling = Sampling::face});
  const auto open = volume.add_channel<float>("open", {.sampling = Sampling::face, .background = 1});
  const auto cell = volume.add_channel<std::uint8_t>("cell");
  auto s = volume.add_channel<float>("s", {.background = 0.25f});
  auto s_new = volume.add_channel<float>("s new", {.background = 0.25f});
  volume.set_buckets(communicator.root() ? ball(3.4) : std::vector<BucketKey>{});
  std::vector<double> weights(static_cast<std::size_t>(volume.buckets().local_count()), 1.0);
  domain.rebalance(volume.buckets().local_keys(), weights);
  volume.migrate();

  const auto wave = [](Vec3i v, int c) {
    const Vec3d p{0.13 * v.x, 0.11 * v.y, 0.12 * v.z};
    return static_cast<float>(c == 0 ? std::sin(p.y + p.x) : c == 1 ? std::sin(p.z + p.y + 1) : std::cos(p.x - p.z));
  };
  const auto solid = [](Vec3i v) { return std::hypot(v.x - 3.0, v.y + 4.0, v.z - 2.0) < 7; };
  fill(volume, along, [&](int, Vec3i v, int c) { return 20 * wave(v, c); });
  fill(volume, u, [&](int, Vec3i v, int c) { return wave({v.y, v.z, v.x}, c); });
  fill(volume, s,
       [](int, Vec3i v, int) { return static_cast<float>(std::sin(0.5 * v.x) * std::cos(0.4 * v.y + 0.3 * v.z)); });
  fill(volume, open, [&](int, Vec3i v, int) { return solid(v) ? 0.0f : 1.0f; });
  fill(volume, cell, [&](int, Vec3i v, int) {
    return static_cast<std::uint8_t>(solid(v) ? CellKind::solid : v.z > 18 ? CellKind::outside : CellKind::fluid);
  });
  Advection advection(volume, cell);
  Extrapolation extrapolation(volume, open, cell);
  std::uint64_t hash = 0;
  for (int step = 0; step < 2; ++step) {
    extrapolation.extend(u, {.layers = 2});
    const std::vector<Transported> fields{{u, u_new}, {s, s_new}};
    advection.advect(along, fields, step == 0 ? 1 : 0.2, options);
    YMIR_CHECK(advection.frozen_traces() == 0);
    YMIR_CHECK(communicator.sum(advection.far_tiles()) > 0 || step == 1);
    YMIR_CHECK(communicator.sum(advection.fetched_tiles()) > 0 || step == 1 || communicator.size() < 4);
    std::swap(u, u_new);
    std::swap(s, s_new);
    hash = hash_combine(hash, volume.hash());
  }
  return hash;
}

}  // namespace
}  // namespace ymir

int main() {
  using namespace ymir;
  Communicator& world = Communicator::world();
  try {
    std::string line = "advection";
    for (const AdvectionScheme scheme :
         {AdvectionScheme::semi_lagrangian, AdvectionScheme::mac_cormack, AdvectionScheme::bfecc})
      line += fmt::format(" {:016x}", run(world, {scheme, Interpolation::linear}));
    line += fmt::format(" cubic {:016x}", run(world, {AdvectionScheme::semi_lagrangian, Interpolation::cubic}));
    if (world.root()) fmt::print("{}\n", line);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", world.rank(), error.what());
    std::fflush(stderr);
    world.abort(1);
  }
  return 0;
}
