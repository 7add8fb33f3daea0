// Solver Setup -> simulation: creates the Objects and Actions of every enabled behavior in its scope.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ymir/pipeline/simulation.h"
#include "ymir/setup/solver_setup.h"

namespace ymir {

struct BuiltSimulation {
  std::unique_ptr<Simulation> simulation;
  std::vector<std::string> groups;        // paths by group index; the root is ""
  std::vector<std::string> switched_off;  // behaviors that found nothing in scope
};

// Reads the inputs. Nothing has run yet: call ingest() on the simulation. Collective.
BuiltSimulation build(const SolverSetup& setup, Communicator& communicator);

// The timeline as a table: stage, group, behavior, task, what it reads and writes.
std::string explain(const BuiltSimulation& built);

}  // namespace ymir
