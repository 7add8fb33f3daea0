// Fluid Drag Force [Lesser2022, 6.2] of spheres against a prescribed wind, implicit in the velocity of the point.
#pragma once

#include "ymir/actions/prescribed_field.h"
#include "ymir/objects/point_block.h"
#include "ymir/physics/particles/drag.h"

namespace ymir {

PointForce drag_force(std::string owner, const DragParams& params, PrescribedField wind);

}  // namespace ymir
