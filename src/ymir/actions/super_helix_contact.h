// Contact of super-helices with a solid, by the implicit penalty of strands (penalty_contact.h) at their points of
// integration. The tip, half an interval farther out, may go in by its sagitta.
#pragma once

#include <string>

#include "ymir/actions/penalty_contact.h"
#include "ymir/actions/touched_solid.h"
#include "ymir/objects/super_helix_object.h"

namespace ymir {

// Before ingest.
void add_super_helix_contact(SuperHelixObject& object, const std::string& owner, SolidDuring solid,
                             const PenaltyParams& params);

}  // namespace ymir
