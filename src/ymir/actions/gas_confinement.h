// Vorticity confinement of a gas: the force of physics/fluid/vorticity.h, with as much power as the grid takes from
// small eddies and no more.
//
// The force grows with the square of the vorticity it feeds, so by itself it runs away, at any step and voxel. Here the
// work it does in a cell is at most `returned_share` of the kinetic energy that the advection before has smoothed away
// there (damped_energy.h), and never more in all than that share of what all cells have lost. Whatever its strength,
// gas then carries no more energy than forces, wind and emitters have given to it.
#pragma once

#include "ymir/objects/volume_object.h"

namespace ymir {

void add_vorticity_confinement(VolumeObject& gas, const std::string& owner, double strength);

}  // namespace ymir
