// Solver Setup -> simulation: creates the Objects and Actions of every enabled behavior in its scope.
#pragma once

#include <functional>
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
  struct Inspection {
    const SetupNode* node;
    std::function<std::string()> message;  // "": nothing to say
  };
  std::vector<Inspection> inspections;  // that wait for ingest()
};

struct BuildResult {
  std::optional<BuiltSimulation> built;  // when there is no error
  std::vector<Diagnostic> diagnostics;   // all errors and warnings, in the order of the file
  ExitCode code = ExitCode::ok;          // of the first error
};

// What is wrong with a setup and shows only when its simulation is made: every message with its place.
class SetupError : public Error {
 public:
  SetupError(ExitCode code, std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// Reads the inputs and creates everything. Nothing has run yet: ingest() comes next. One behavior that fails does not
// hide what is wrong with the others. `begin` hears the path of each behavior. Collective.
BuildResult try_build(const SolverSetup& setup, Communicator& communicator,
                      const std::function<void(const std::string&)>& begin = {});
// The same; throws SetupError when there is an error.
BuiltSimulation build(const SolverSetup& setup, Communicator& communicator);

// Simulation::ingest() with the place in the setup of what it finds wrong; warnings about where things begin.
// Collective.
std::vector<Diagnostic> ingest(BuiltSimulation& built, const SolverSetup& setup);

// The timeline as a table: stage, group, behavior, task, what it reads and writes.
std::string explain(const BuiltSimulation& built);

}  // namespace ymir
