// Kinetic energy that advection smooths away, cell by cell: what small eddies lose to the grid.
//
//   d = S(|u|^2/2) - |S u|^2/2   [m^2/s^2],  u at cell centres, S the advection of a substep
//
// The energy that gas brings along from where it was, less what it has there: without interpolation the two are equal.
// For weights that are not negative d >= 0 (Jensen), and its sum is what the gas has lost; corrected schemes lose less,
// and may be off to either side by their error.
#pragma once

#include "ymir/fluid/advection.h"

namespace ymir {

class DampedEnergy {
 public:
  explicit DampedEnergy(GasGrid& grid);

  // Before the velocity is advected; the field then travels with it.
  void begin(ChannelId<float> velocity);
  Transported field() const { return {energy_, damped_}; }
  // After that.
  void finish(ChannelId<float> velocity);

  // d, per cell; part of the state, 0 in new tiles.
  ChannelId<float> damped() const { return damped_; }
  // Energy per mass of the air around [m^2/s^2].
  void set_air_around(double energy);

 private:
  GasGrid* grid_;
  ChannelId<float> energy_, damped_;
};

// Velocity at the centres of the cells of a tile, from that of their faces; 512 values per component.
void centre_velocity(const VolumeReader<float>& faces, int tile, float* x, float* y, float* z);

}  // namespace ymir
