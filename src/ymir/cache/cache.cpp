#include "ymir/cache/cache.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/file_bytes.h"
#include "ymir/cache/frame_file.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kept_checkpoints = 2;
constexpr std::uint64_t max_report_bytes = std::uint64_t{1} << 26;

// Names as JSON gives them back, so that a path that is not UTF-8 still compares equal to itself.
CacheIdentity as_stored(const CacheIdentity& identity) {
  Manifest manifest;
  manifest.identity = identity;
  return parse_manifest(manifest_text(manifest), "identity").identity;
}

const CacheIdentity::Input* find_input(const CacheIdentity& identity, const std::string& path) {
  for (const auto& input : identity.inputs)
    if (input.path == path) return &input;
  return nullptr;
}

std::optional<std::string> difference(const CacheIdentity& then, const CacheIdentity& now) {
  std::string all;
  const auto add = [&](const std::string& what) { all += (all.empty() ? "" : "; ") + what; };
  if (then.setup_hash != now.setup_hash)
    add(then.setup_name == now.setup_name
            ? "the setup " + now.setup_name + " changed"
            : "the cache is of setup " + then.setup_name + ", which differs from " + now.setup_name);
  for (const auto& input : now.inputs) {
    const auto* before = find_input(then, input.path);
    if (before == nullptr)
      add("input " + input.path + " is new");
    else if (before->hash != input.hash)
      add("input " + input.path + " changed");
  }
  for (const auto& input : then.inputs)
    if (find_input(now, input.path) == nullptr) add("input " + input.path + " is no longer used");
  return all.empty() ? std::nullopt : std::optional(all);
}

// Why an unforced run may not clear this folder.
std::optional<std::string> why_not_clearable(const fs::path& folder, const CacheIdentity& identity) {
  if (has_manifest(folder)) {
    try {
      return difference(load_manifest(folder).manifest.identity, as_stored(identity));
    } catch (const Error& error) {
      return error.what();
    }
  }
  for (const std::string& name : names_in(folder))
    if (parse_file_name(name)) return "it holds " + name + " but no manifest.json";
  return std::nullopt;
}

}  // namespace

Cache Cache::create(const fs::path& folder, const CacheIdentity& identity, const CacheOptions& options) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ExitCode::io, folder.string() + ": cannot create the folder: " + error.message());
  if (!options.force_restart)
    if (const auto why = why_not_clearable(folder, identity))
      throw Error(ExitCode::bad_input, folder.string() + ": will not be overwritten: " + *why +
                                           "; choose another folder, or --force-restart to discard what is there");
  Cache cache(folder, {});
  cache.manifest_.program_version = options.program_version;
  cache.manifest_.identity = as_stored(identity);
  cache.manifest_.fps = options.fps;
  // The previous manifest is of a run that ends here: a damaged new one must never fall back to it.
  fs::remove(folder / "manifest.previous.json", error);
  save_manifest(folder, cache.manifest_, false);
  cache.remove_unlisted();
  return cache;
}

Cache Cache::open(const fs::path& folder) {
  LoadedManifest loaded = load_manifest(folder);
  Cache cache(folder, std::move(loaded.manifest));
  cache.manifest_problem_ = std::move(loaded.problem);
  if (cache.manifest_problem_) log::warn(*cache.manifest_problem_ + "; using manifest.previous.json");
  return cache;
}

// A damaged manifest on disk must not replace the good one before it.
void Cache::save(Manifest next) {
  save_manifest(folder_, next, !manifest_problem_);
  manifest_problem_.reset();
  manifest_ = std::move(next);
}

void Cache::write(const Frame& frame, double seconds, std::vector<CacheEntry> Manifest::*list,
                  std::string (*file_name)(std::int64_t)) {
  YMIR_CHECK(std::isfinite(frame.time) && std::isfinite(seconds));
  const auto by_number = [](const CacheEntry& entry, std::int64_t number) { return entry.number < number; };
  Manifest next = manifest_;
  auto& entries = next.*list;
  auto place = std::lower_bound(entries.begin(), entries.end(), frame.number, by_number);
  if (place != entries.end() && place->number == frame.number) {
    // While a file is being replaced no manifest may vouch for it.
    place = entries.erase(place);
    save(next);
  }
  CacheEntry entry{
      .number = frame.number, .stamp = {}, .state_hash = frame.hash, .time = frame.time, .seconds = seconds};
  entry.stamp = write_frame_file(folder_ / file_name(frame.number), frame);
  entries.insert(place, entry);
  save(std::move(next));
}

void Cache::write_frame(const Frame& frame, double seconds) {
  write(frame, seconds, &Manifest::frames, frame_file_name);
}

void Cache::write_checkpoint(const Frame& frame, double seconds) {
  write(frame, seconds, &Manifest::checkpoints, checkpoint_file_name);
  if (manifest_.checkpoints.size() <= kept_checkpoints) return;
  Manifest next = manifest_;
  const auto surplus =
      next.checkpoints.begin() + static_cast<std::ptrdiff_t>(next.checkpoints.size() - kept_checkpoints);
  std::vector<std::int64_t> old;
  for (auto it = next.checkpoints.begin(); it != surplus; ++it) old.push_back(it->number);
  next.checkpoints.erase(next.checkpoints.begin(), surplus);
  save(std::move(next));
  std::error_code ignored;  // a file that stays is unlisted and harmless
  for (const std::int64_t number : old) fs::remove(folder_ / checkpoint_file_name(number), ignored);
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

std::optional<Frame> Cache::last_good_checkpoint(std::int64_t max_frame) const {
  for (auto entry = manifest_.checkpoints.rbegin(); entry != manifest_.checkpoints.rend(); ++entry) {
    if (entry->number > max_frame) continue;
    try {
      return read_frame_file(folder_ / checkpoint_file_name(entry->number), entry->stamp);
    } catch (const Error& error) {
      log::warn(std::string(error.what()) + "; trying an earlier checkpoint");
    }
  }
  return std::nullopt;
}

void Cache::truncate_after(std::int64_t frame) {
  Manifest next = manifest_;
  const auto later = [frame](const CacheEntry& entry) { return entry.number > frame; };
  std::erase_if(next.frames, later);
  std::erase_if(next.checkpoints, later);
  save(std::move(next));
  remove_unlisted();
}

std::optional<Frame> Cache::rewind() {
  std::int64_t intact = std::numeric_limits<std::int64_t>::max();
  for (const CacheEntry& entry : manifest_.frames) {
    const fs::path path = folder_ / frame_file_name(entry.number);
    if (const auto problem = problem_with_file(path, entry.stamp)) {
      log::warn(path.string() + ": " + *problem + "; going back to before frame " + std::to_string(entry.number));
      intact = entry.number - 1;
      break;
    }
  }
  std::optional<Frame> checkpoint = last_good_checkpoint(intact);
  truncate_after(checkpoint ? checkpoint->number : std::numeric_limits<std::int64_t>::min());
  return checkpoint;
}

std::optional<std::string> Cache::why_not_resumable(const CacheIdentity& identity) const {
  return difference(manifest_.identity, as_stored(identity));
}

std::vector<Cache::Problem> Cache::verify() const {
  std::vector<Problem> problems;
  if (manifest_problem_) problems.push_back({"manifest.json", *manifest_problem_});
  if (const auto problem = problem_with_previous_manifest(folder_))
    problems.push_back({"manifest.previous.json", *problem});
  const auto check = [&](const std::string& name, const FileStamp& stamp) {
    if (auto problem = problem_with_file(folder_ / name, stamp)) problems.push_back({name, std::move(*problem)});
  };
  for (const CacheEntry& entry : manifest_.frames) check(frame_file_name(entry.number), entry.stamp);
  for (const CacheEntry& entry : manifest_.checkpoints) check(checkpoint_file_name(entry.number), entry.stamp);
  return problems;
}

// Removes files of ours that the manifest on disk does not list; whatever else is in the folder stays.
void Cache::remove_unlisted() const {
  std::set<std::string> listed;
  for (const CacheEntry& entry : manifest_.frames) {
    listed.insert(frame_file_name(entry.number));
    listed.insert(report_file_name(entry.number));  // a report goes with its frame
  }
  for (const CacheEntry& entry : manifest_.checkpoints) listed.insert(checkpoint_file_name(entry.number));
  for (const std::string& name : names_in(folder_)) {
    if (!is_leftover(name) && (!parse_file_name(name) || listed.contains(name))) continue;
    std::error_code error;
    fs::remove(folder_ / name, error);
    if (error) throw Error(ExitCode::io, (folder_ / name).string() + ": cannot remove: " + error.message());
  }
}

}  // namespace ymir
