// Frames hold positions in single precision, whose steps grow with the distance from the origin: 8 mm at 100 km.
#pragma once

#include <string>
#include <vector>

#include "ymir/pipeline/simulation.h"

namespace ymir {

// A message for every object that begins so far from the origin that a step is more than 1/100 of its mean edge, or a
// quarter of the mean radius of its points; it begins with the object's path. Collective.
std::vector<std::string> lost_detail(const Simulation& simulation);

}  // namespace ymir
