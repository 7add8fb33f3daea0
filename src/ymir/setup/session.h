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
  bool strict = false;  // a frame with solves accepted above their tolerance ends the run
  std::optional<std::pair<std::int64_t, std::int64_t>> frames;  // first and last to simulate, instead of the setup's
  const std::atomic<bool>* stop = nullptr;                      // true: end after the frame at hand
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

// Throws Error; frames already in the cache stay. Collective: all ranks return or throw together, except for errors
// that one rank alone can see (its disk), for which the caller ends all ranks.
SessionOutcome run_session(const SolverSetup& setup, const SessionOptions& options, const SessionEvents& events,
                           Communicator& communicator);

// What results depend on: the setup's hash and the contents of its input files.
CacheIdentity identity_of(const SolverSetup& setup);

}  // namespace ymir
