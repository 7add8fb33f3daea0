// initial.h5 of a cache: the state at time 0 as a frame, the rest pose of what is simulated. It is written when a run
// begins, from the setup alone, and is no part of what a run resumes from.
#pragma once

#include <filesystem>
#include <optional>

#include "ymir/data/frame.h"

namespace ymir {

void write_initial_state(const std::filesystem::path& folder, const Frame& initial);
// Empty when there is none, and with a warning when it is damaged.
std::optional<Frame> read_initial_state(const std::filesystem::path& folder);

}  // namespace ymir
