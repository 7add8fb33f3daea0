// Forces and operators on a gas. [Lesser2022, 6.4 and 7.4; method notes C, 8]
#pragma once

#include "ymir/objects/volume_object.h"

namespace ymir {

// a = -g [(T - T0)/T0 - alpha s], T temperature, s smoke as a mass fraction, alpha = (rho_smoke - rho)/rho.
struct BuoyancyParams {
  Vec3d gravity{0, -9.81, 0};  // [m/s^2]
  double smoke_weight = 0;     // alpha
};
void add_buoyancy(VolumeObject& gas, const std::string& owner, const BuoyancyParams& params);

// f <- ambient + (f - ambient) exp(-rate dt).
void add_dissipation(VolumeObject& gas, const std::string& owner, const std::string& channel, double rate);

// dT/dt = -c ((T - T0)/(T_max - T0))^4, integrated exactly. [method notes C, 8]
struct CoolingParams {
  double rate = 3000;              // c [K/s]
  double peak_temperature = 2000;  // T_max [K]
};
void add_cooling(VolumeObject& gas, const std::string& owner, const CoolingParams& params);

}  // namespace ymir
