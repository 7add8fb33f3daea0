// Contact of rigid bodies with a solid: the implicit penalty of sticking_penalty.h at the vertices of their surface,
// each of which can carry the whole body.
#pragma once

#include <string>

#include "ymir/actions/mesh_contact.h"
#include "ymir/objects/rigid_object.h"

namespace ymir {

// Before ingest.
void add_rigid_contact(RigidObject& object, const std::string& owner, SolidDuring solid,
                       const MeshContactParams& params);

}  // namespace ymir
