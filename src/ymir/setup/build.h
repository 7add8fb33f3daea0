// Solver Setup -> simulation: creates the Objects and Actions of every enabled behavior in its scope.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ymir/pipeline/simulation.h"
#include "ymir/setup/solver_setup.h"

namespace ymir {

struct BuiltSimulation {
  std::unique_ptr<Simulation> simulation;
  std::vector<std::string> groups;        // paths by group index; the root is ""
  std::vector<std::string> switched_off;  // behaviors that found nothing in scope
  std::vector<Diagnostic> warnings;       // what the user should know, in the order of the file
};

struct BuildResult {
  std::optional<BuiltSimulation> built;  // when there is no error
  std::vector<Diagnostic> diagnostics;   // all errors and warnings, in the order of the file
  ExitCode code = ExitCode::ok;          // of the first error
};

// Reads the inputs and creates everything. Nothing has run yet: call ingest() on the simulation. One behavior that
// fails does not hide what is wrong with the others. Collective.
BuildResult try_build(const SolverSetup& setup, Communicator& communicator);
// The same; throws Error with all messages when there is an error.
BuiltSimulation build(const SolverSetup& setup, Communicator& communicator);

// The timeline as a table: stage, group, behavior, task, what it reads and writes.
std::string explain(const BuiltSimulation& built);

}  // namespace ymir
