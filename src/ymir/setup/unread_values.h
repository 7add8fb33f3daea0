// Values painted on inputs, or overridden there, that no behavior in scope takes: they would be ignored without a word.
#pragma once

#include <vector>

#include "ymir/setup/build.h"

namespace ymir {

// Overrides that nothing reads are errors, channels of files with a parameter's name warnings. Before ingest.
std::vector<Diagnostic> unread_values(const SolverSetup& setup, const BuiltSimulation& built);

}  // namespace ymir
