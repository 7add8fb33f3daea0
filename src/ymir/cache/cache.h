// A folder of frames and checkpoints with a manifest. Whatever moment the program is killed at, the folder holds every
// frame whose write_frame returned and the last two checkpoints; what is damaged later is detected before it is used.
// A frame is only ever removed by `force_restart`; otherwise what has to make room goes to discarded/ (discarded.h).
// Works on the root rank only; gather.h brings distributed data there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/cache/cache_lock.h"
#include "ymir/cache/manifest.h"
#include "ymir/cache/resume_point.h"
#include "ymir/data/frame.h"

namespace ymir {

struct CacheOptions {
  double fps = 24;                   // [1/s]
  std::string program_version = {};  // for the reader's information; does not decide what can be resumed
  bool force_restart = false;        // remove what is there, even if it is of another setup
  bool keep_files = false;           // frames of unknown origin stay where they are until write_frame compares them
  std::string command = {};          // how this program was called, for others who want to write here
};

class Cache {
 public:
  // An empty cache in `folder`, made if need be, locked for this writer. The frames of an earlier cache of the same
  // setup and inputs are set aside; those of another setup, or that cannot be identified, are refused (bad_input)
  // unless forced or kept. Files that are not ours stay.
  static Cache create(const std::filesystem::path& folder, const CacheIdentity& identity, const CacheOptions& options);
  // To read. A damaged manifest is reported as a warning and the one before it used.
  static Cache open(const std::filesystem::path& folder);
  // To go on writing: locked, otherwise as it is.
  static Cache open_to_write(const std::filesystem::path& folder, const std::string& command);
  static bool exists(const std::filesystem::path& folder) { return has_manifest(folder); }
  static bool readable(const std::filesystem::path& folder);  // one of its manifests is intact
  // True when there are frames or checkpoints, listed or not.
  static bool holds_files(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const Manifest& manifest() const { return manifest_; }
  const std::vector<CacheEntry>& frames() const { return manifest_.frames; }
  bool holds_frames(std::int64_t first, std::int64_t last) const;  // all of them

  // On disk when they return; Error(io), with everything earlier intact, when the disk is full. Write the frame before
  // the checkpoint of the same number. seconds: wall-clock time it took to compute. A frame that is there and the same
  // stays; one that differs is set aside, and all later ones with it, since they do not continue this one.
  void write_frame(const Frame& frame, double seconds = 0);
  void write_checkpoint(const Frame& frame, double seconds = 0);
  // The state at which the simulation could not go on, `number` being the last finished frame. The first one of a frame
  // is kept: it is the state with the least of the failing setup in it.
  void write_failure(const Frame& frame);

  // What the program wants to say about a frame, as JSON in report_NNNNNN.json beside it. Not part of the result: no
  // manifest lists it and no checksum covers it. Goes where its frame goes, so write it after the frame.
  void write_report(std::int64_t number, std::string_view text) const;
  std::optional<std::string> read_report(std::int64_t number) const;

  Frame read_frame(std::int64_t number) const;

  // Where a run would go on. Changes nothing; Error(bad_input or io) that says what to do when it cannot.
  ResumePoint find_resume_point(const ResumeRequest& request) const;
  // Makes the cache ready to go on there: what does not belong to it any more is set aside, damaged entries are
  // dropped.
  void go_on_from(const ResumePoint& point, const CacheIdentity& identity);

  // Empty when a run of this setup may be resumed here; otherwise exactly what changed.
  std::optional<std::string> why_not_resumable(const CacheIdentity& identity) const;

  struct Problem {
    std::string file;  // name within the folder
    std::string what;
    std::string remedy;
  };
  // Reads everything the manifest lists; empty when all of it is intact.
  std::vector<Problem> verify() const;
  // Frames and checkpoints in the folder that the manifest does not list.
  std::vector<std::string> unlisted() const;

 private:
  Cache(std::filesystem::path folder, Manifest manifest) : folder_(std::move(folder)), manifest_(std::move(manifest)) {}
  void save(Manifest next);
  void write(const Frame& frame, double seconds, std::vector<CacheEntry> Manifest::*list,
             std::string (*file_name)(std::int64_t));
  // What `next` does not list goes to discarded/ with its manifest: files that `goes` picks. Returns "DIR/discarded/N",
  // empty when there was nothing to move.
  template <class Predicate>
  std::string set_aside(Manifest next, Predicate goes);
  void remove_leftovers() const;

  std::filesystem::path folder_;
  Manifest manifest_;
  std::optional<std::string> manifest_problem_;
  std::optional<CacheLock> lock_;
};

}  // namespace ymir
