#pragma once

#include <filesystem>

#include "ymir/setup/solver_setup.h"

namespace ymir::cli {

// Prints all diagnostics on standard error (rank 0); throws Error(bad_input) when any is an error.
SolverSetup load_setup(const std::filesystem::path& path, const Registry& registry);

}  // namespace ymir::cli
