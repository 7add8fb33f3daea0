// The state of an Object that lives whole on one rank.
#pragma once

#include <optional>

#include "ymir/data/frame.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

// A checkpoint from rank 0 (nullptr elsewhere) to the rank that owns the object; nothing elsewhere. Collective.
std::optional<ObjectState> brought_to(int owner, const ObjectState* whole, Communicator& communicator);

}  // namespace ymir
