// Contact of elastons with a solid, by the implicit penalty of strand_contact.h: at their centres, kept away from the
// solid by the radius of the branch or half the thickness of the leaf.
#pragma once

#include "ymir/actions/mesh_contact.h"
#include "ymir/objects/elaston_object.h"

namespace ymir {

// Before ingest.
void add_elaston_contact(ElastonObject& object, const std::string& owner, SolidDuring solid,
                         const MeshContactParams& params);

}  // namespace ymir
