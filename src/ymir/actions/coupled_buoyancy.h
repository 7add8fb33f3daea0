// Objects that take room in a gas and float in it: what they displace flows around them, and its pressure pushes them.
// [Lesser2022, 6.4; Stomakhin2020; method notes C, 7]
//
//   S_fp = s_f W_pf V_p/h^3,  pores e = 1 - sum S,  flow j = S v,  mobility m = sum S rho/rho_p (0 without inertia)
//   force on a point: -V_p sum_f W_pf s_f w_f (grad p)_f - rho V_p g
//
// p is the deviation from the hydrostatic pressure, whose lift is the second term; w open fraction of faces; s < 1
// where points would leave too little to the gas. Both stand in the force as in the flow: the compliance of the points,
// S rho/rho_p W' s, is symmetric (porous_pressure.h), and what points and gas gain together is what walls give.
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
