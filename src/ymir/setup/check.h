// Everything that `run` would find before its first frame, found without running and without writing a file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ymir/parallel/communicator.h"
#include "ymir/setup/solver_setup.h"

namespace ymir {

struct CheckResult {
  bool ok = false;
  std::vector<Diagnostic> diagnostics;  // all errors and warnings that can be told at once, in the order of the file
};

// Reads the setup and its inputs, creates all objects and actions, and takes the inputs in. `out`: folder of the cache
// instead of the setup's; may be empty. `begin` hears what is being done, for progress.
CheckResult check_setup(const std::filesystem::path& file, const std::filesystem::path& out, const Registry& registry,
                        Communicator& communicator, const std::function<void(const std::string&)>& begin = {});

// Whether a run could write its cache there; touches nothing.
std::vector<Diagnostic> check_output_folder(const SolverSetup& setup, const std::filesystem::path& out);

}  // namespace ymir
