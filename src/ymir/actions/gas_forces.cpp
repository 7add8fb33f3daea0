#include "ymir/actions/gas_forces.h"

#include <algorithm>
#include <cmath>

#include "ymir/fluid/faces_of_cells.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

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

void add_dissipation(VolumeObject& gas, const std::string& owner, const std::string& channel, double rate) {
  const double ambient = gas.ambient(channel);
  const ChannelId<float> value = gas.named_material(channel);
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
