// Frames written before channels had a place: where one lived, from its name and length. For reading such files only.
#pragma once

#include <string_view>

#include "ymir/data/frame.h"

namespace ymir {

// All channels of the object are there; `channel` is one of them.
Place guessed_place(const ObjectState& object, std::string_view channel);

}  // namespace ymir
