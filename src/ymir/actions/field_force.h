// Force Density Field [Lesser2022, 6.2]: a prescribed vector field as force per unit mass or per unit volume of a
// point, sampled where the point is at the beginning of the substep.
#pragma once

#include "ymir/actions/prescribed_field.h"
#include "ymir/objects/point_block.h"

namespace ymir {

enum class ForcePer : std::uint8_t { mass, volume };

PointForce field_force(std::string owner, PrescribedField field, ForcePer per);

}  // namespace ymir
