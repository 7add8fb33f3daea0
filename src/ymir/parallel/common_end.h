// The end of a program on all ranks after an error.
#pragma once

#include <cstdint>

namespace ymir {

// Whether every other rank calls this too, with the same number, within `patience` [s]: all have met the same error,
// nobody waits for anybody, and each may end by itself. False at once on one rank that no launcher started.
bool all_ranks_end(std::uint64_t how, double patience);

}  // namespace ymir
