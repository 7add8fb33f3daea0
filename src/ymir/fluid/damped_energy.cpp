#include "ymir/fluid/damped_energy.h"

#include "ymir/fluid/face_rows.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

struct TileEnergy {
  float at[GasGrid::voxels];

  TileEnergy(const VolumeReader<float>& faces, int tile) {
    float u[3][GasGrid::voxels];
    centre_velocity(faces, tile, u[0], u[1], u[2]);
    for (int i = 0; i < GasGrid::voxels; ++i)
      at[i] = 0.5f * (u[0][i] * u[0][i] + u[1][i] * u[1][i] + u[2][i] * u[2][i]);
  }
};

}  // namespace

void centre_velocity(const VolumeReader<float>& faces, int tile, float* x, float* y, float* z) {
  const FaceTile<float> rows(faces, tile);
  float* const out[3] = {x, y, z};
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      const int at = FaceRows<float>::at(j, k);
      const float* row = rows.axis[0].row(j, k);
      for (int i = 0; i + 1 < n; ++i) x[at + i] = 0.5f * (row[i] + row[i + 1]);
      x[at + n - 1] = 0.5f * (row[n - 1] + rows.axis[0].after(j, k));
      for (int axis = 1; axis < 3; ++axis) {
        const float *low = rows.axis[axis].row(j, k), *high = rows.axis[axis].high(axis, j, k);
        for (int i = 0; i < n; ++i) out[axis][at + i] = 0.5f * (low[i] + high[i]);
      }
    }
}

DampedEnergy::DampedEnergy(GasGrid& grid) : grid_(&grid) {
  energy_ = grid.volume().add_channel<float>("kinetic_energy", {n, Sampling::cell, 0.0f, 1, true});
  damped_ = grid.volume().add_channel<float>("damped_energy", {n});
}

void DampedEnergy::set_air_around(double energy) {
  grid_->volume().set_background(energy_.index, {energy, energy, energy});
}

void DampedEnergy::begin(ChannelId<float> velocity) {
  DiscreteVolume& volume = grid_->volume();
  auto u = read(volume, velocity, Stencil::faces);
  auto out = write(volume, energy_);
  for_each_bucket(volume.buckets(), u, out, [&](int t) {
    const TileEnergy energy(u, t);
    std::copy_n(energy.at, GasGrid::voxels, out.tile(t));
  });
}

void DampedEnergy::finish(ChannelId<float> velocity) {
  DiscreteVolume& volume = grid_->volume();
  auto u = read(volume, velocity, Stencil::faces);
  auto kind = read(volume, grid_->cell);
  auto out = read_write(volume, damped_);
  for_each_bucket(volume.buckets(), u, kind, out, [&](int t) {
    const TileEnergy energy(u, t);
    const std::uint8_t* cell = kind.tile(t);
    float* d = out.tile(t);
    for (int i = 0; i < GasGrid::voxels; ++i)
      d[i] = cell[i] == static_cast<std::uint8_t>(CellKind::fluid) ? d[i] - energy.at[i] : 0.0f;
  });
}

}  // namespace ymir
