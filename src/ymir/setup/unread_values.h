// Values that would be ignored without a word, or taken though they are not allowed: what inputs bring or override and
// no behavior in scope takes, what behaviors give for objects that are not in scope, channels outside their bounds.
#pragma once

#include <vector>

#include "ymir/setup/build.h"

namespace ymir {

// Overrides that nothing reads and values out of bounds are errors, the others warnings. Before ingest.
std::vector<Diagnostic> unread_values(const SolverSetup& setup, const BuiltSimulation& built);

}  // namespace ymir
