// A gas in a box of tiles, for tests of what happens on it.
#pragma once

#include <cmath>
#include <functional>

#include "ymir/base/random.h"
#include "ymir/fluid/advection.h"

namespace ymir {

inline double noise(Vec3i v, std::uint64_t seed) {
  const auto at = [](int c) { return static_cast<std::uint64_t>(c + 100000); };
  return Random(seed, (at(v.x) * 300007 + at(v.y)) * 300007 + at(v.z)).uniform();
}

struct AdvectionCase {
  // Tiles 0 .. size - 1 with gas, and their rims, for which hold(x, y, z) is true.
  explicit AdvectionCase(
      Vec3i size, Communicator& ranks = alone(), float background = 0,
      const std::function<bool(int, int, int)>& hold = [](int, int, int) { return true; },
      float velocity_background = 0)
      : domain(8, 1, ranks), volume(domain) {
    velocity = volume.add_channel<float>("velocity", {.sampling = Sampling::face, .background = velocity_background});
    new_velocity = volume.add_channel<float>("new velocity", {.sampling = Sampling::face});
    cell = volume.add_channel<std::uint8_t>("cell");
    smoke = volume.add_channel<float>("smoke", {.background = background});
    new_smoke = volume.add_channel<float>("new smoke", {.background = background});
    std::vector<BucketKey> gas, all;
    for (int z = 0; z < size.z; ++z)
      for (int y = 0; y < size.y; ++y)
        for (int x = 0; x < size.x; ++x) {
          if (!hold(x, y, z)) continue;
          gas.push_back(key_of({x, y, z, 0}));
          for (const Vec3i d : {Vec3i{0, 0, 0}, Vec3i{1, 0, 0}, Vec3i{0, 1, 0}, Vec3i{0, 0, 1}})
            all.push_back(key_of({x + d.x, y + d.y, z + d.z, 0}));
        }
    volume.set_buckets(ranks.root() ? all : std::vector<BucketKey>{});
    std::sort(gas.begin(), gas.end());
    fill(volume, cell, [&](int, Vec3i v, int) {
      const bool in = std::binary_search(gas.begin(), gas.end(), key_of({v.x >> 3, v.y >> 3, v.z >> 3, 0}));
      return static_cast<std::uint8_t>(in ? CellKind::fluid : CellKind::outside);
    });
  }
  static Communicator& alone() {
    static Communicator one;
    return one;
  }
  void set_velocity(Vec3f u) {
    fill(volume, velocity, [&](int, Vec3i, int c) { return u[c]; });
  }
  // Smooth, `peak` voxels per unit of time at most.
  void set_swirl(float peak) {
    fill(volume, velocity, [&](int, Vec3i v, int c) {
      const Vec3d p{0.11 * v.x, 0.09 * v.y, 0.13 * v.z};
      const double wave = c == 0   ? std::sin(p.y + 0.7 * p.x) * std::cos(p.z)
                          : c == 1 ? std::sin(p.z + 0.5 * p.y + 1) * std::cos(p.x)
                                   : std::sin(p.x + 0.6 * p.z + 2) * std::cos(p.y);
      return peak * static_cast<float>(wave);
    });
  }
  void set_noise(ChannelId<float> id, std::uint64_t seed) {
    fill(volume, id,
         [&](int, Vec3i v, int c) { return static_cast<float>(noise(v, seed + static_cast<unsigned>(c))); });
  }
  // A ball of solid cells.
  void set_solid(Vec3d centre, double radius) {
    auto cells = read_write(volume, cell);
    for_each_bucket(volume.buckets(), cells, [&](int tile) {
      const BucketCoord b = volume.buckets().coord(tile);
      for (int v = 0; v < 512; ++v) {
        const Vec3d p{b.x * 8 + v % 8 + 0.5, b.y * 8 + v / 8 % 8 + 0.5, b.z * 8 + v / 64 + 0.5};
        if (norm(p - centre) < radius) cells.tile(tile)[v] = static_cast<std::uint8_t>(CellKind::solid);
      }
    });
  }
  float value(ChannelId<float> id, Vec3i v, int component = 0) const {
    return VolumeView<float>(volume, id, component).value(0, v);
  }
  CellKind kind(Vec3i v) const { return static_cast<CellKind>(VolumeView<std::uint8_t>(volume, cell).value(0, v)); }
  // f(voxel) for every gas cell, in order.
  template <class F>
  void for_each_gas_cell(F&& f) const {
    const BucketSet& buckets = volume.buckets();
    for (int tile = 0; tile < buckets.local_count(); ++tile) {
      const BucketCoord b = buckets.coord(tile);
      for (int v = 0; v < 512; ++v) {
        const Vec3i p{b.x * 8 + v % 8, b.y * 8 + v / 8 % 8, b.z * 8 + v / 64};
        if (kind(p) == CellKind::fluid) f(p);
      }
    }
  }

  GridDomain domain;  // a voxel is 1 m
  DiscreteVolume volume;
  ChannelId<float> velocity, new_velocity, smoke, new_smoke;
  ChannelId<std::uint8_t> cell;
};

inline std::vector<AdvectionOptions> all_advection_options() {
  std::vector<AdvectionOptions> all;
  for (const AdvectionScheme scheme :
       {AdvectionScheme::semi_lagrangian, AdvectionScheme::mac_cormack, AdvectionScheme::bfecc})
    for (const Interpolation interpolation : {Interpolation::linear, Interpolation::cubic})
      for (const bool limit : {true, false}) all.push_back({scheme, interpolation, limit});
  return all;
}

}  // namespace ymir
