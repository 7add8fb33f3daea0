// manifest.json: what a cache folder holds. It is written last, so whatever it lists is on disk. Its own checksum is
// its last line and covers every byte before it; the manifest before this one stays as manifest.previous.json, so a
// damaged one costs at most one frame. JSON stays behind manifest.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/cache/cache_files.h"
#include "ymir/cache/frame_file.h"

namespace ymir {

// What a cache was computed from: resuming needs all of it unchanged.
struct CacheIdentity {
  struct Input {
    std::string path;
    std::uint64_t hash = 0;
  };
  std::uint64_t setup_hash = 0;
  std::string setup_name;
  std::vector<Input> inputs;
};

// One frame_NNNNNN.h5, checkpoint_NNNNNN.h5 or failure_NNNNNN.h5.
struct CacheEntry {
  std::int64_t number = 0;
  FileStamp stamp;
  std::uint64_t state_hash = 0;
  double time = 0;     // [s] simulated
  double seconds = 0;  // [s] of wall-clock time it took to compute
};

// From here on a changed setup was simulated.
struct CacheBranch {
  std::int64_t from_frame = 0;  // the last frame of what was before
  double time = 0;              // [s] simulated when the changed setup took over; within a frame after a failure
  CacheIdentity identity;
};

struct Manifest {
  std::string program_version;
  CacheIdentity identity;               // of the first frame
  std::vector<CacheBranch> branches;    // by from_frame
  double fps = 24;                      // [1/s]
  std::vector<CacheEntry> frames;       // by number
  std::vector<CacheEntry> checkpoints;  // by number
  std::vector<CacheEntry> failures;     // none or one: the state at which the simulation could not go on

  // What frames are computed from now: resuming needs it unchanged.
  const CacheIdentity& newest() const { return branches.empty() ? identity : branches.back().identity; }
};

std::string manifest_text(const Manifest& manifest);
// Error(io) that begins with `label` for whatever manifest_text did not write; Error(bad_input) for the manifest of a
// later version of this program.
Manifest parse_manifest(std::string_view text, const std::string& label);

struct LoadedManifest {
  Manifest manifest;
  // Why manifest.json could not be used (manifest.previous.json was); empty when it could.
  std::optional<std::string> problem;
};
bool has_manifest(const std::filesystem::path& folder);
// Error(io) when neither manifest is good; Error(bad_input) when one is of a later version.
LoadedManifest load_manifest(const std::filesystem::path& folder);
// What is wrong with manifest.previous.json; empty when it is intact or not there.
std::optional<std::string> problem_with_previous_manifest(const std::filesystem::path& folder);
// keep_previous: the manifest.json now on disk is good and becomes manifest.previous.json.
void save_manifest(const std::filesystem::path& folder, const Manifest& manifest, bool keep_previous);

}  // namespace ymir
