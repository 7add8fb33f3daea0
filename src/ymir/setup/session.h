// A run of a setup from the first frame to the last: cache, checkpoints, resuming, interruption. Hosts watch it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "ymir/cache/manifest.h"
#include "ymir/pipeline/simulation.h"
#include "ymir/setup/solver_setup.h"

namespace ymir {

struct SessionOptions {
  std::filesystem::path out;  // folder of the cache
  bool resume = false;
  bool force_restart = false;
  std::filesystem::path dump_contacts;  // folder for the problems of exact contact; empty: none
  bool strict = false;                  // a frame with solves accepted above their tolerance ends the run
  // With resume: go back to this frame at most. A changed setup then continues the frames of the earlier one.
  std::optional<std::int64_t> from;
  std::optional<std::pair<std::int64_t, std::int64_t>> frames;  // first and last to simulate, instead of the setup's
  const std::atomic<bool>* stop = nullptr;                      // true: end after the frame at hand
  std::string command;  // how the run was called, for others who want to write to the same folder
};

struct SessionEvents {
  std::function<void(std::int64_t first, std::int64_t last)> begin;
  std::function<void(const FrameProgress&)> progress;
  // On rank 0, the whole frame.
  std::function<void(const Frame& frame, double seconds, const FrameReport& report)> frame_done;
};

struct SessionOutcome {
  bool interrupted = false;
  std::int64_t last_frame = 0;  // last one in the cache
  std::int64_t frames = 0;      // simulated now
};

// Throws Error. Whatever can be wrong with the setup, the inputs, the range of frames or the cache is found before
// anything in the folder changes; frames already there stay, or are set aside. Collective: all ranks return or throw
// together, except for errors that one rank alone can see (its disk), for which the caller ends all ranks.
SessionOutcome run_session(const SolverSetup& setup, const SessionOptions& options, const SessionEvents& events,
                           Communicator& communicator);

// What results depend on: the setup's hash and the contents of its input files.
CacheIdentity identity_of(const SolverSetup& setup);

}  // namespace ymir
