// A folder of frames and checkpoints with a manifest. Whatever moment the program is killed at, the folder holds every
// frame whose write_frame returned and the last two checkpoints; what is damaged later is detected before it is used.
// Works on the root rank only; gather.h brings distributed data there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/cache/manifest.h"
#include "ymir/data/frame.h"

namespace ymir {

struct CacheOptions {
  double fps = 24;              // [1/s]
  std::string program_version;  // for the reader's information; does not decide what can be resumed
  bool force_restart = false;   // take the folder over even if its cache is of another setup
};

class Cache {
 public:
  // An empty cache in `folder`, made if need be. An earlier cache of the same setup and inputs is cleared; one of
  // another setup, or one that cannot be identified, is refused (bad_input) unless forced. Files that are not ours
  // stay.
  static Cache create(const std::filesystem::path& folder, const CacheIdentity& identity, const CacheOptions& options);
  // Changes nothing on disk. A damaged manifest is reported as a warning and the one before it used.
  static Cache open(const std::filesystem::path& folder);
  static bool exists(const std::filesystem::path& folder) { return has_manifest(folder); }

  const std::filesystem::path& folder() const { return folder_; }
  const Manifest& manifest() const { return manifest_; }
  const std::vector<CacheEntry>& frames() const { return manifest_.frames; }

  // On disk when they return; Error(io), with everything earlier intact, when the disk is full. Write the frame before
  // the checkpoint of the same number. seconds: wall-clock time it took to compute.
  void write_frame(const Frame& frame, double seconds = 0);
  void write_checkpoint(const Frame& frame, double seconds = 0);

  // What the program wants to say about a frame, as JSON in report_NNNNNN.json beside it. Not part of the result: no
  // manifest lists it and no checksum covers it. Goes where its frame goes, so write it after the frame.
  void write_report(std::int64_t number, std::string_view text) const;
  std::optional<std::string> read_report(std::int64_t number) const;

  Frame read_frame(std::int64_t number) const;
  // Latest checkpoint up to max_frame that is intact; damaged ones are reported as warnings and passed over.
  std::optional<Frame> last_good_checkpoint(std::int64_t max_frame = std::numeric_limits<std::int64_t>::max()) const;
  // Drops frames and checkpoints after `frame`, and what a killed program left behind.
  void truncate_after(std::int64_t frame);
  // Where a resumed run goes on: the latest intact checkpoint that has no missing or damaged frame before it. Truncates
  // to it. Empty: nothing to resume from, the cache is empty now, start at the first frame.
  std::optional<Frame> rewind();

  // Empty when a run of this setup may be resumed here; otherwise exactly what changed.
  std::optional<std::string> why_not_resumable(const CacheIdentity& identity) const;

  struct Problem {
    std::string file;  // name within the folder
    std::string what;
  };
  // Reads everything the manifest lists; empty when all of it is intact.
  std::vector<Problem> verify() const;

 private:
  Cache(std::filesystem::path folder, Manifest manifest) : folder_(std::move(folder)), manifest_(std::move(manifest)) {}
  void save(Manifest next);
  void write(const Frame& frame, double seconds, std::vector<CacheEntry> Manifest::*list,
             std::string (*file_name)(std::int64_t));
  void remove_unlisted() const;

  std::filesystem::path folder_;
  Manifest manifest_;
  std::optional<std::string> manifest_problem_;
};

}  // namespace ymir
