// Identity of a setup: equal for setups that give equal results from equal inputs.
#pragma once

#include <cstdint>

#include "ymir/setup/solver_setup.h"

namespace ymir {

std::uint64_t hash_setup(const SolverSetup& setup);

}  // namespace ymir
