// Objects that take room in a gas and float in it: what they displace flows around them, its pressure pushes them, and
// they carry gas along. [Lesser2022, 6.4; Stomakhin2020; method notes C, 7 and light bodies]
//
//   S_fp = s_f W_pf V_p/h^3,  pores kappa = 1 - sum (1 + a) S,  flow j = sum S B v   (B, M: dressed_points.h)
//   force on a point: -V_p B sum_f W_pf s_f w_f (grad p)_f - rho V_p g - (M - m) dv/dt
//
// The virtual mass a of a point is the part of its added mass that the grid does not resolve, from 1/2 for spheres
// below the voxel to 0 in a place that is full. Together with what the grid does, a sphere from rest accelerates by (1
// - s)/(s + 1/2) g at every size, s = rho_p/rho, and a suspension as Zuber has it. The velocity of the grid is that of
// the gas that is not carried. Without added mass a = 0: gas then passes between points as between columns along its
// way.
//
// p is the deviation from the hydrostatic pressure, whose lift is the second term; w open fraction of faces; s_f < 1
// where points would leave too little to the gas. Both stand in the force as in the flow: the compliance of the points
// is symmetric (porous_pressure.h), and what points and gas gain together is what walls give.
#pragma once

#include "ymir/objects/volume_object.h"

namespace ymir {

struct CoupledBuoyancyParams {
  Vec3d gravity{0, -9.81, 0};  // [m/s^2]
  bool inertia = true;         // objects give way to the pressure; otherwise they stand like pillars
  bool on_objects = true;      // the pressure pushes objects
  bool added_mass = true;      // objects carry gas along
};

void couple_buoyancy(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                     const CoupledBuoyancyParams& params);

}  // namespace ymir
