#pragma once

#include <filesystem>

#include "ymir/setup/solver_setup.h"

namespace ymir::cli {

// Prints warnings on standard error (rank 0); throws SetupError(bad_input) with all diagnostics when any is an error.
SolverSetup load_setup(const std::filesystem::path& path, const Registry& registry);

}  // namespace ymir::cli
