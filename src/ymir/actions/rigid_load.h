// Gravity compensation of rigid bodies: constant forces that bear constant forces.
#pragma once

#include <string>

#include "ymir/objects/rigid_object.h"

namespace ymir {

// Forces on every body against `share` of the constant ones it feels where it begins. When all forces have been added.
void add_rigid_load(RigidObject& object, const std::string& owner, double share);

}  // namespace ymir
