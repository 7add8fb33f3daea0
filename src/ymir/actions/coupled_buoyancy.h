// Objects that take room in a gas and float in it: what they displace flows around them, and its pressure pushes them.
// [Lesser2022, 6.4; Stomakhin2020; method notes C, 7]
//
//   S_fp = W_pf V_p/h^3,  pores e = 1 - sum S,  flow j = S v,  mobility m = sum S rho/rho_p (0 without inertia)
//   force on a point: -V_p (W grad p)_p - rho V_p g
//
// p is the deviation from the hydrostatic pressure, whose lift is the second term. The compliance of points that share
// a face is lumped on it: exact for one density, and close for points heavier than the gas.
#pragma once

#include "ymir/objects/volume_object.h"

namespace ymir {

struct CoupledBuoyancyParams {
  Vec3d gravity{0, -9.81, 0};  // [m/s^2]
  bool inertia = true;         // objects give way to the pressure; otherwise they stand like pillars
  bool on_objects = true;      // the pressure pushes objects
};

void couple_buoyancy(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                     const CoupledBuoyancyParams& params);

}  // namespace ymir
