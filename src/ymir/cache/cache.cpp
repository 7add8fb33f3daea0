#include "ymir/cache/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/cache_files.h"
#include "ymir/cache/discarded.h"
#include "ymir/cache/file_bytes.h"
#include "ymir/cache/frame_file.h"
#include "ymir/cache/identity.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;
using Kind = CacheFile::Kind;

constexpr std::size_t kept_checkpoints = 2;
constexpr std::uint64_t max_report_bytes = std::uint64_t{1} << 26;

// Frames, checkpoints and failures: what has content of its own.
bool is_state(const std::optional<CacheFile>& file) { return file && file->kind != Kind::report; }

std::set<std::string> listed_files(const Manifest& manifest) {
  std::set<std::string> listed;
  for (const CacheEntry& entry : manifest.frames) {
    listed.insert(frame_file_name(entry.number));
    listed.insert(report_file_name(entry.number));  // a report goes with its frame
  }
  for (const CacheEntry& entry : manifest.checkpoints) listed.insert(checkpoint_file_name(entry.number));
  for (const CacheEntry& entry : manifest.failures) listed.insert(failure_file_name(entry.number));
  return listed;
}

// The manifest of a folder, empty when there is none that can be read.
std::optional<Manifest> readable_manifest(const fs::path& folder) {
  if (!has_manifest(folder)) return std::nullopt;
  try {
    return load_manifest(folder).manifest;
  } catch (const Error& error) {
    if (error.code() == ExitCode::bad_input) throw;  // of a later version: not ours to judge
    return std::nullopt;
  }
}

// Why an unforced run may not start over in this folder; nothing is in the way where there are no frames.
std::optional<std::string> why_not_replaceable(const fs::path& folder, const CacheIdentity& identity) {
  if (const auto manifest = readable_manifest(folder)) {
    if (manifest->frames.empty() && manifest->checkpoints.empty()) return std::nullopt;
    return difference(manifest->newest(), as_stored(identity));
  }
  for (const std::string& name : names_in(folder))
    if (is_state(parse_file_name(name)))
      return "it holds " + name + (has_manifest(folder) ? ", but its manifest is damaged" : " but no manifest.json");
  return std::nullopt;
}

// Instead of another folder. Only `run`, which gives its command, has these options.
std::string other_ways(const fs::path& folder, const CacheOptions& options) {
  if (options.command.empty()) return ", or remove it";
  // Of a known setup, which is another one: only a branch can go on with it.
  return fmt::format(", {} to go on with what is there, or --force-restart to remove it",
                     readable_manifest(folder) ? "--resume --from N" : "--resume");
}

// What is stored of a state may differ while the state does not: hairs that follow it, for one.
bool same_channels(const Frame& a, const Frame& b) {
  return std::equal(a.objects.begin(), a.objects.end(), b.objects.begin(), b.objects.end(),
                    [](const ObjectState& x, const ObjectState& y) {
                      return x.name == y.name && std::equal(x.channels.begin(), x.channels.end(), y.channels.begin(),
                                                            y.channels.end(), [](const auto& c, const auto& d) {
                                                              return c.first == d.first &&
                                                                     c.second.count() == d.second.count();
                                                            });
                    });
}

// Of a file that holds the state of `frame`: the same bytes, or the same in another order, as another number of ranks
// leaves them. Empty when it holds something else, or is damaged.
std::optional<FileStamp> stamp_of_same_state(const fs::path& path, const Frame& frame, const FileStamp& expected) {
  if (!problem_with_file(path, expected)) return expected;
  try {
    const Frame there = read_frame_file(path);
    if (there.time == frame.time && there.hash == frame.hash && same_channels(there, frame)) return stamp_of_file(path);
  } catch (const Error&) {  // damaged
  }
  return std::nullopt;
}

void make_folder(const fs::path& folder) {
  std::error_code error, ignored;
  fs::create_directories(folder, error);
  if (fs::is_directory(folder, ignored)) return;
  throw Error(ExitCode::io,
              fmt::format("{}: cannot create the folder: {}; choose another with --out", folder.string(),
                          fs::exists(folder, ignored) ? "there is a file of that name" : error.message()));
}

}  // namespace

bool Cache::readable(const fs::path& folder) { return readable_manifest(folder).has_value(); }

bool Cache::holds_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  const auto names = names_in(folder);
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return is_state(parse_file_name(name)); });
}

Cache Cache::create(const fs::path& folder, const CacheIdentity& identity, const CacheOptions& options) {
  make_folder(folder);
  Cache cache(folder, {});
  cache.lock_.emplace(folder, options.command);
  if (!options.force_restart && !options.keep_files)
    if (const auto why = why_not_replaceable(folder, identity))
      throw Error(ExitCode::bad_input, fmt::format("{}: will not be overwritten: {}; choose another folder{}",
                                                   folder.string(), *why, other_ways(folder, options)));
  Manifest fresh;
  fresh.program_version = options.program_version;
  fresh.identity = as_stored(identity);
  fresh.fps = options.fps;
  if (options.force_restart || options.keep_files) {
    // The manifest before is of a run that ends here: a damaged new one must never fall back to it.
    std::error_code ignored;
    fs::remove(folder / "manifest.previous.json", ignored);
    save_manifest(folder, fresh, false);
    cache.manifest_ = std::move(fresh);
    for (const std::string& name : names_in(folder))
      if (options.force_restart && parse_file_name(name)) fs::remove(folder / name, ignored);
    cache.remove_leftovers();
    return cache;
  }
  // Whatever is there has been judged above; what cannot be read must not become manifest.previous.json.
  cache.manifest_problem_ = "none, or damaged";
  if (auto before = readable_manifest(folder)) cache.manifest_ = std::move(*before);
  const std::string place = cache.set_aside(std::move(fresh), [](const CacheFile&) { return true; });
  if (!place.empty())
    log::info(
        fmt::format("{}: starting at the first frame; the frames of the earlier run are set aside in {}, remove that "
                    "folder if you do not need them (with --resume they would have stayed)",
                    folder.string(), place));
  cache.remove_leftovers();
  return cache;
}

Cache Cache::open(const fs::path& folder) {
  LoadedManifest loaded = load_manifest(folder);
  Cache cache(folder, std::move(loaded.manifest));
  cache.manifest_problem_ = std::move(loaded.problem);
  if (cache.manifest_problem_) log::warn(*cache.manifest_problem_ + "; using manifest.previous.json");
  return cache;
}

Cache Cache::open_to_write(const fs::path& folder, const std::string& command) {
  CacheLock lock(folder, command);
  Cache cache = open(folder);
  cache.lock_.emplace(std::move(lock));
  return cache;
}

// A damaged manifest on disk must not replace the good one before it.
void Cache::save(Manifest next) {
  save_manifest(folder_, next, !manifest_problem_);
  manifest_problem_.reset();
  manifest_ = std::move(next);
}

bool Cache::holds_frames(std::int64_t first, std::int64_t last) const {
  std::int64_t next = first;
  for (const CacheEntry& entry : manifest_.frames)
    if (entry.number == next) ++next;
  return next > last;
}

template <class Predicate>
std::string Cache::set_aside(Manifest next, Predicate goes) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(folder_))
    if (const auto file = parse_file_name(name); file && goes(*file)) names.push_back(name);
  if (names.empty()) {
    save(next);
    save(std::move(next));
    return {};
  }
  Manifest aside = manifest_;
  const std::set<std::string> leaving(names.begin(), names.end());
  const auto stays = [&](auto file_name) {
    return [&, file_name](const CacheEntry& entry) { return !leaving.contains(file_name(entry.number)); };
  };
  std::erase_if(aside.frames, stays(frame_file_name));
  std::erase_if(aside.checkpoints, stays(checkpoint_file_name));
  std::erase_if(aside.failures, stays(failure_file_name));
  // First the description, then nobody vouches for the files any more, then they move. Killed in between, they are
  // unlisted files in the cache, which nothing removes either.
  const fs::path place = make_discarded_folder(folder_, aside);
  save(next);
  move_files(folder_, place, names);
  save(std::move(next));  // the manifest before this one must not list them either
  return place.string();
}

void Cache::write(const Frame& frame, double seconds, std::vector<CacheEntry> Manifest::*list,
                  std::string (*file_name)(std::int64_t)) {
  YMIR_CHECK(std::isfinite(frame.time) && std::isfinite(seconds));
  YMIR_CHECK(lock_);
  lock_->require();
  const std::int64_t number = frame.number;
  const auto by_number = [](const CacheEntry& entry, std::int64_t n) { return entry.number < n; };
  const fs::path path = folder_ / file_name(number);
  const EncodedFrame encoded(frame);
  CacheEntry entry{
      .number = number, .stamp = encoded.stamp(), .state_hash = frame.hash, .time = frame.time, .seconds = seconds};
  std::error_code ignored;
  const bool there = fs::is_regular_file(path, ignored);
  const auto kept = there ? stamp_of_same_state(path, frame, encoded.stamp()) : std::nullopt;
  if (kept) entry.stamp = *kept;
  if (there && !kept) {
    // What comes later continues the file that is there, not the one that is to be written.
    const bool frames_too = list == &Manifest::frames;
    const auto later = [number](const CacheEntry& e) { return e.number >= number; };
    Manifest before = manifest_;
    if (frames_too) std::erase_if(before.frames, later);
    std::erase_if(before.checkpoints, later);
    const std::string aside = set_aside(std::move(before), [&](const CacheFile& file) {
      if (file.number < number || file.kind == Kind::failure) return false;
      return file.kind == Kind::checkpoint || frames_too;
    });
    log::warn(
        fmt::format("{}: came out differently this time; the one that was there and what continued it are set "
                    "aside in {}",
                    path.string(), aside));
  }
  if (!kept) encoded.write(path);
  Manifest next = manifest_;
  auto& entries = next.*list;
  const auto place = std::lower_bound(entries.begin(), entries.end(), number, by_number);
  if (place != entries.end() && place->number == number)
    *place = entry;
  else
    entries.insert(place, entry);
  save(std::move(next));
}

void Cache::write_frame(const Frame& frame, double seconds) {
  write(frame, seconds, &Manifest::frames, frame_file_name);
}

void Cache::write_checkpoint(const Frame& frame, double seconds) {
  write(frame, seconds, &Manifest::checkpoints, checkpoint_file_name);
  // Later ones are of a run that is being repeated; they stay until it has come there.
  Manifest next = manifest_;
  const auto end = std::upper_bound(next.checkpoints.begin(), next.checkpoints.end(), frame.number,
                                    [](std::int64_t n, const CacheEntry& entry) { return n < entry.number; });
  const auto surplus = std::max<std::ptrdiff_t>(end - next.checkpoints.begin() - std::ptrdiff_t{kept_checkpoints}, 0);
  std::vector<std::string> old;
  for (auto it = next.checkpoints.begin(); it != next.checkpoints.begin() + surplus; ++it)
    old.push_back(checkpoint_file_name(it->number));
  next.checkpoints.erase(next.checkpoints.begin(), next.checkpoints.begin() + surplus);
  // The run has come past the place where it once failed.
  std::erase_if(next.failures, [&](const CacheEntry& entry) {
    if (entry.number >= frame.number) return false;
    old.push_back(failure_file_name(entry.number));
    return true;
  });
  if (old.empty()) return;
  save(std::move(next));
  std::error_code ignored;  // a file that stays is unlisted and harmless
  for (const std::string& name : old) fs::remove(folder_ / name, ignored);
}

void Cache::write_failure(const Frame& frame) {
  if (!manifest_.failures.empty() && manifest_.failures[0].number == frame.number) return;
  const std::string name = failure_file_name(frame.number);
  CacheEntry entry{.number = frame.number, .stamp = {}, .state_hash = frame.hash, .time = frame.time, .seconds = 0};
  entry.stamp = write_frame_file(folder_ / name, frame);
  Manifest next = manifest_;
  next.failures = {entry};
  const std::vector<CacheEntry> old = manifest_.failures;
  save(std::move(next));
  std::error_code ignored;
  for (const CacheEntry& before : old) fs::remove(folder_ / failure_file_name(before.number), ignored);
}

Frame Cache::read_frame(std::int64_t number) const {
  for (const CacheEntry& entry : manifest_.frames)
    if (entry.number == number) return read_frame_file(folder_ / frame_file_name(number), entry.stamp);
  throw Error(ExitCode::bad_input,
              folder_.string() + ": holds no frame " + std::to_string(number) + "; ymir info lists them");
}

void Cache::write_report(std::int64_t number, std::string_view text) const {
  AtomicFile out(folder_ / report_file_name(number));
  out.write(text);
  out.commit();
}

std::optional<std::string> Cache::read_report(std::int64_t number) const {
  const fs::path path = folder_ / report_file_name(number);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const Bytes bytes = read_file_bytes(path, max_report_bytes);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void Cache::go_on_from(const ResumePoint& point, const CacheIdentity& identity) {
  Manifest next = manifest_;
  std::string place;
  if (point.branch) {
    const auto later = [&](const CacheEntry& entry) { return entry.number > point.after; };
    std::erase_if(next.frames, later);
    std::erase_if(next.checkpoints, later);
    std::erase_if(next.checkpoints, [&](const CacheEntry& e) { return point.bad_checkpoints.contains(e.number); });
    if (!point.failed_here) next.failures.clear();
    // A branch that left no frame is no part of the history.
    std::erase_if(next.branches, [&](const CacheBranch& branch) { return branch.from_frame >= point.after; });
    const CacheIdentity now = as_stored(identity);
    if (next.frames.empty())
      next.identity = now;
    else if (point.failed_here || difference(next.newest(), now))
      next.branches.push_back({point.after, point.state ? point.state->time : 0, now});
    place = set_aside(std::move(next), [&](const CacheFile& file) {
      if (file.kind == Kind::failure) return !point.failed_here;
      return file.number > point.after ||
             (file.kind == Kind::checkpoint && point.bad_checkpoints.contains(file.number));
    });
  } else {
    std::erase_if(next.frames, [&](const CacheEntry& e) { return point.bad_frames.contains(e.number); });
    std::erase_if(next.checkpoints, [&](const CacheEntry& e) { return point.bad_checkpoints.contains(e.number); });
    place = set_aside(std::move(next), [&](const CacheFile& file) {
      if (file.kind == Kind::checkpoint) return point.bad_checkpoints.contains(file.number);
      return (file.kind == Kind::frame || file.kind == Kind::report) && point.bad_frames.contains(file.number);
    });
  }
  if (!place.empty())
    log::info(fmt::format("{}: {} set aside in {}", folder_.string(),
                          point.branch ? fmt::format("what came after frame {} is", point.after) : "damaged files are",
                          place));
  remove_leftovers();
}

std::optional<std::string> Cache::why_not_resumable(const CacheIdentity& identity) const {
  return difference(manifest_.newest(), as_stored(identity));
}

std::vector<std::string> Cache::unlisted() const {
  const std::set<std::string> listed = listed_files(manifest_);
  std::vector<std::string> names;
  for (const std::string& name : names_in(folder_))
    if (is_state(parse_file_name(name)) && !listed.contains(name)) names.push_back(name);
  return names;
}

void Cache::remove_leftovers() const {
  std::error_code ignored;  // one that stays is harmless
  for (const std::string& name : names_in(folder_))
    if (is_leftover(name)) fs::remove(folder_ / name, ignored);
}

}  // namespace ymir
