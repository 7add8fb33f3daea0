// The inside of a body as balls that together have its volume, for what takes room in a gas.
//
// A ball stands for a part of a cell, or of a rigid body, with edges of `longest` [m] at most, or longer ones where
// that would make more than a hundred thousand. It has the mass and, of soft bodies, the present volume of its part.
#pragma once

#include <string>

#include "ymir/objects/mesh_object.h"
#include "ymir/objects/rigid_object.h"

namespace ymir {

// The points belong to the object, which knows them by owner and what they are for. Before ingest.
ForceTarget& add_inner_points(MeshObject& object, const std::string& owner, const std::string& what, double longest);
ForceTarget& add_inner_points(RigidObject& object, const std::string& owner, const std::string& what, double longest);

}  // namespace ymir
