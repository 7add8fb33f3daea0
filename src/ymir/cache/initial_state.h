// initial.h5 of a cache: the state at time 0 as a frame, the rest pose of what is simulated. It is written when a run
// begins, from the setup alone, and is no part of what a run resumes from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ymir/data/frame.h"

namespace ymir {

void write_initial_state(const std::filesystem::path& folder, const Frame& initial);
// Why the state that is there cannot be read; "": it can, or there is none.
std::string initial_state_problem(const std::filesystem::path& folder);
// Empty when there is none, and with a warning when it is damaged.
std::optional<Frame> read_initial_state(const std::filesystem::path& folder);

}  // namespace ymir
