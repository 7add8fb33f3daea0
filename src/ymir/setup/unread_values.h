// Values that would be ignored without a word, or taken though they are not allowed: what inputs bring or override and
// no behavior in scope takes, what behaviors give for objects that are not in scope, channels outside their bounds.
#pragma once

#include <vector>

#include "ymir/setup/build.h"

namespace ymir {

// Errors: overrides that nothing reads, channels of files that a behavior would read were it set up otherwise, and
// values out of their parameter's range. Warnings: other channels of files with the name of a parameter, and
// parameters for objects that are not there. Before ingest.
std::vector<Diagnostic> unread_values(const SolverSetup& setup, const BuiltSimulation& built);

}  // namespace ymir
