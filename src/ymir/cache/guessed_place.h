// Frames written before channels had a place and a unit: where one lived, from its name and length, and what it was
// measured in. For reading such files only.
#pragma once

#include <string_view>

#include "ymir/data/frame.h"

namespace ymir {

// All channels of the object are there; `channel` is one of them.
Place guessed_place(const ObjectState& object, std::string_view channel);
// Of the channels that such frames had.
std::string_view guessed_unit(const ObjectState& object, std::string_view channel);

}  // namespace ymir
