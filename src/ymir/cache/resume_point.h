// Where a run goes on in a cache: asked for, and found.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ymir/cache/manifest.h"
#include "ymir/data/frame.h"

namespace ymir {

struct ResumeRequest {
  std::int64_t first = 1, last = 1;  // frames wanted in the end
  // Go back to this frame at most. With a changed setup this makes a branch: frames up to the checkpoint stay.
  std::optional<std::int64_t> from;
  CacheIdentity identity;
};

struct ResumePoint {
  std::optional<Frame> state;                          // to restore; empty: the beginning
  std::int64_t after = 0;                              // last finished frame at that state
  bool branch = false;                                 // the setup is not the one the cache was computed from so far
  bool failed_here = false;                            // the state is that of a failure, inside the frame after `after`
  bool complete = false;                               // every frame asked for is there: nothing to simulate
  std::set<std::int64_t> bad_frames, bad_checkpoints;  // listed, but damaged or missing
  std::vector<std::string> notes;                      // what was found wrong with them
};

}  // namespace ymir
