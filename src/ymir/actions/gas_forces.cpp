#include "ymir/actions/gas_forces.h"

#include <algorithm>
#include <cmath>

#include "ymir/fluid/padded_tile.h"
#include "ymir/physics/fluid/vorticity.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

// Adds the mean of a cell value and that of the lower neighbour to a face: acc[i] += scale (f[i] + f[i - 1]) / 2.
void add_to_faces(const TileRows<float, n>& rows, int axis, float scale, float* acceleration) {
  using Row = Lanes<float, n>;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      const Row here = rows.row(j, k);
      const Row low = axis == 0 ? rows.x_low(here, j, k) : axis == 1 ? rows.y_low(j, k) : rows.z_low(j, k);
      float* to = acceleration + TileRows<float, n>::at(j, k);
      (Row::load(to) + (here + low) * (0.5f * scale)).store(to);
    }
}

// body(values, count) for every tile of a material.
template <class F>
void for_values(VolumeObject& gas, ChannelId<float> channel, F&& body) {
  auto out = read_write(gas.grid().volume(), channel);
  for_each_bucket(gas.grid().volume().buckets(), out, [&](int t) { body(out.tile(t)); });
}

}  // namespace

void add_buoyancy(VolumeObject& gas, const std::string& owner, const BuoyancyParams& params) {
  const double ambient = gas.description().temperature;
  const ChannelId<float> temperature = gas.material("temperature");
  const ChannelId<float> smoke = params.smoke_weight != 0 ? gas.material("density") : temperature;
  gas.add_force({owner, "buoyancy", [&gas, params, ambient, temperature, smoke](const Step&, ChannelId<float> to) {
                   DiscreteVolume& volume = gas.grid().volume();
                   auto warm = read(volume, temperature, Stencil::faces);
                   auto heavy = read(volume, smoke, Stencil::faces);
                   auto out = read_write(volume, to);
                   for_each_bucket(volume.buckets(), warm, heavy, out, [&](int t) {
                     for (int axis = 0; axis < 3; ++axis) {
                       const double g = params.gravity[axis];
                       if (g == 0) continue;
                       float* acceleration = out.tile(t, axis);
                       add_to_faces(warm.rows<n>(t), axis, static_cast<float>(-g / ambient), acceleration);
                       for (int i = 0; i < GasGrid::voxels; ++i) acceleration[i] += static_cast<float>(g);
                       if (params.smoke_weight != 0)
                         add_to_faces(heavy.rows<n>(t), axis, static_cast<float>(g * params.smoke_weight),
                                      acceleration);
                     }
                   });
                 }});
}

void add_vorticity_confinement(VolumeObject& gas, const std::string& owner, double strength) {
  DiscreteVolume& volume = gas.grid().volume();
  const auto omega = volume.add_channel<float>("vorticity", {n, Sampling::cell, 0.0f, 3, true});
  const auto push = volume.add_channel<float>("confinement", {n, Sampling::cell, 0.0f, 3, true});
  gas.add_force({owner, "vorticity confinement", [&gas, omega, push, strength](const Step&, ChannelId<float> to) {
                   GasGrid& grid = gas.grid();
                   DiscreteVolume& v = grid.volume();
                   const auto h = static_cast<float>(grid.voxel());
                   {
                     auto u = read(v, grid.velocity, Stencil::box);
                     auto out = write(v, omega);
                     for_each_bucket(v.buckets(), u, out, [&](int t) {
                       PaddedTile<float> c[3];
                       for (int a = 0; a < 3; ++a) c[a].load(u, v.buckets().neighbours(t), a);
                       // Derivatives across a voxel between faces, averaged to the centre where they lie beside it.
                       for (int i = 0; i < GasGrid::voxels; ++i) {
                         const int x = i % n, y = i / n % n, z = i / (n * n);
                         const auto centre = [&](int dx, int dy, int dz) {
                           const int px = x + dx, py = y + dy, pz = z + dz;
                           // Upper faces beyond the padding are those of its last voxel.
                           return Vec3f{0.5f * (c[0](px, py, pz) + c[0](std::min(px + 1, n), py, pz)),
                                        0.5f * (c[1](px, py, pz) + c[1](px, std::min(py + 1, n), pz)),
                                        0.5f * (c[2](px, py, pz) + c[2](px, py, std::min(pz + 1, n)))};
                         };
                         const Vec3f w = curl(centre(-1, 0, 0), centre(1, 0, 0), centre(0, -1, 0), centre(0, 1, 0),
                                              centre(0, 0, -1), centre(0, 0, 1), h);
                         for (int a = 0; a < 3; ++a) out.tile(t, a)[i] = w[a];
                       }
                     });
                   }
                   {
                     auto w = read(v, omega, Stencil::box);
                     auto kind = read(v, grid.cell);
                     auto out = write(v, push);
                     for_each_bucket(v.buckets(), w, kind, out, [&](int t) {
                       PaddedTile<float> c[3];
                       for (int a = 0; a < 3; ++a) c[a].load(w, v.buckets().neighbours(t), a);
                       const auto size = [&](int x, int y, int z) {
                         return std::sqrt(c[0](x, y, z) * c[0](x, y, z) + c[1](x, y, z) * c[1](x, y, z) +
                                          c[2](x, y, z) * c[2](x, y, z));
                       };
                       for (int i = 0; i < GasGrid::voxels; ++i) {
                         const int x = i % n, y = i / n % n, z = i / (n * n);
                         const Vec3f w0{c[0](x, y, z), c[1](x, y, z), c[2](x, y, z)};
                         const Vec3f gradient =
                             Vec3f{size(x + 1, y, z) - size(x - 1, y, z), size(x, y + 1, z) - size(x, y - 1, z),
                                   size(x, y, z + 1) - size(x, y, z - 1)} *
                             (0.5f / h);
                         const bool gas_here = kind.tile(t)[i] == static_cast<std::uint8_t>(CellKind::fluid);
                         const Vec3f a = gas_here ? confinement(static_cast<float>(strength), h, w0, gradient,
                                                                1e-6f * norm(w0) / h + 1e-20f)
                                                  : Vec3f{0, 0, 0};
                         for (int k = 0; k < 3; ++k) out.tile(t, k)[i] = a[k];
                       }
                     });
                   }
                   auto in = read(v, push, Stencil::faces);
                   auto out = read_write(v, to);
                   for_each_bucket(v.buckets(), in, out, [&](int t) {
                     for (int axis = 0; axis < 3; ++axis) add_to_faces(in.rows<n>(t, axis), axis, 1, out.tile(t, axis));
                   });
                 }});
}

void add_dissipation(VolumeObject& gas, const std::string& owner, const std::string& channel, double rate) {
  const double ambient = gas.ambient(channel);
  const ChannelId<float> value = gas.material(channel);
  gas.add_operator({owner, "dissipation of " + channel, [&gas, value, rate, ambient](const Step& step) {
                      const auto kept = static_cast<float>(std::exp(-rate * step.dt));
                      const auto base = static_cast<float>(ambient);
                      for_values(gas, value, [&](float* f) {
                        for (int i = 0; i < GasGrid::voxels; ++i) f[i] = base + (f[i] - base) * kept;
                      });
                    }});
}

void add_cooling(VolumeObject& gas, const std::string& owner, const CoolingParams& params) {
  const double ambient = gas.description().temperature;
  const ChannelId<float> temperature = gas.material("temperature");
  gas.add_operator({owner, "cooling", [&gas, temperature, params, ambient](const Step& step) {
                      const double range = params.peak_temperature - ambient;
                      const double k = 3 * params.rate * step.dt / (range * range * range * range);
                      for_values(gas, temperature, [&](float* f) {
                        for (int i = 0; i < GasGrid::voxels; ++i) {
                          const double y = static_cast<double>(f[i]) - ambient;
                          if (y > 0) f[i] = static_cast<float>(ambient + y / std::cbrt(1 + k * y * y * y));
                        }
                      });
                    }});
}

}  // namespace ymir
