// Diffusion of a material of a gas. [method notes C, 8]
#pragma once

#include "ymir/fluid/diffusion.h"
#include "ymir/objects/volume_object.h"

namespace ymir {

struct GasDiffusion {
  std::string channel = "temperature";
  double diffusivity = 2e-5;  // [m^2/s]
  DiffusionOptions options;
  WallValue wall_value;  // empty: all walls are insulated
};
void add_diffusion(VolumeObject& gas, const std::string& owner, GasDiffusion diffusion);

}  // namespace ymir
