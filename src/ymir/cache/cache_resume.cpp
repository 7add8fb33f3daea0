// Where a run goes on, and what is wrong with a cache: everything that reads all of it and changes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ymir/base/error.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/identity.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;

// A state that a run could be continued from.
struct Candidate {
  const CacheEntry* entry;
  bool failure;
};

std::string numbers_of(const std::vector<CacheEntry>& entries) {
  std::string text;
  for (const CacheEntry& entry : entries) text += (text.empty() ? "" : ", ") + std::to_string(entry.number);
  return text;
}

// "there are checkpoints after frames 8, 16" for messages that ask the user to choose.
std::string checkpoints_in_words(const Manifest& manifest) {
  std::vector<CacheEntry> all = manifest.checkpoints;
  all.insert(all.end(), manifest.failures.begin(), manifest.failures.end());
  std::sort(all.begin(), all.end(), [](const CacheEntry& a, const CacheEntry& b) { return a.number < b.number; });
  const auto same = [](const CacheEntry& a, const CacheEntry& b) { return a.number == b.number; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  if (all.empty()) return "there is no checkpoint";
  return fmt::format("there {} after frame{} {}", all.size() == 1 ? "is a checkpoint" : "are checkpoints",
                     all.size() == 1 ? "" : "s", numbers_of(all));
}

std::int64_t last_finished(const Manifest& manifest, std::int64_t first) {
  return manifest.frames.empty() ? first - 1 : manifest.frames.back().number;
}

// States from which the frames up to `limit` can stay, best first.
std::vector<Candidate> candidates(const Manifest& manifest, std::int64_t limit, bool branch) {
  std::vector<Candidate> found;
  const CacheBranch* since = branch || manifest.branches.empty() ? nullptr : &manifest.branches.back();
  // Without a change of setup the frames must come out as they were: only states of the setup in force serve.
  const auto serves = [&](const CacheEntry& entry) {
    if (entry.number > limit) return false;
    if (since == nullptr) return true;
    return entry.number > since->from_frame || (entry.number == since->from_frame && entry.time == since->time);
  };
  for (const CacheEntry& entry : manifest.checkpoints)
    if (serves(entry)) found.push_back({&entry, false});
  for (const CacheEntry& entry : manifest.failures)
    if (serves(entry) && (branch || (since != nullptr && entry.number == since->from_frame)))
      found.push_back({&entry, true});
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(a.entry->number, a.entry->time) > std::tuple(b.entry->number, b.entry->time);
  });
  return found;
}

}  // namespace

ResumePoint Cache::find_resume_point(const ResumeRequest& request) const {
  const std::string here = folder_.string();
  ResumePoint point;
  point.after = request.first - 1;
  const std::int64_t reached = last_finished(manifest_, request.first);
  if (const auto why = why_not_resumable(request.identity)) {
    point.branch = true;
    if (manifest_.frames.empty() && manifest_.checkpoints.empty()) return point;  // nothing to lose
    if (!request.from)
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: cannot resume: {}; to go on with the changed setup use --resume --from N, which "
                      "keeps the frames up to the last checkpoint at or before frame N ({}) and sets later ones "
                      "aside; --force-restart removes all",
                      here, *why, checkpoints_in_words(manifest_)));
  }
  if (request.from && (*request.from < request.first - 1 || *request.from > reached))
    throw Error(ExitCode::usage, fmt::format("--from {}: {} holds frames {} to {}; choose one of them, or {} to begin "
                                             "at the first frame",
                                             *request.from, here, request.first, reached, request.first - 1));

  for (const CacheEntry& entry : manifest_.frames)
    if (const auto problem = problem_with_file(folder_ / frame_file_name(entry.number), entry.stamp)) {
      point.bad_frames.insert(entry.number);
      point.notes.push_back(fmt::format("{}: {}", (folder_ / frame_file_name(entry.number)).string(), *problem));
    }
  for (const CacheEntry& entry : manifest_.checkpoints)
    if (const auto problem = problem_with_file(folder_ / checkpoint_file_name(entry.number), entry.stamp)) {
      point.bad_checkpoints.insert(entry.number);
      point.notes.push_back(fmt::format("{}: {}", (folder_ / checkpoint_file_name(entry.number)).string(), *problem));
    }

  // No frame is missing up to here, or none that this setup could make: earlier ones are of the setup before it.
  std::int64_t intact = request.first - 1;
  if (!point.branch && !manifest_.branches.empty()) {
    const std::int64_t others = manifest_.branches.back().from_frame;
    intact = std::max(intact, others);
    if (!point.bad_frames.empty() && *point.bad_frames.begin() <= others)
      point.notes.push_back(fmt::format("{}: frames to {} are of the setup before; damaged ones among them cannot be "
                                        "made again by this one, the others stay",
                                        here, others));
  }
  for (const CacheEntry& entry : manifest_.frames)
    if (entry.number == intact + 1 && !point.bad_frames.contains(entry.number)) intact = entry.number;
  point.complete = !request.from && intact >= request.last;
  if (point.complete) {
    point.after = intact;
    return point;
  }
  const std::int64_t limit = request.from ? std::min(*request.from, intact) : intact;
  for (const Candidate& candidate : candidates(manifest_, limit, point.branch)) {
    const CacheEntry& entry = *candidate.entry;
    if (!candidate.failure && point.bad_checkpoints.contains(entry.number)) continue;
    const std::string name = candidate.failure ? failure_file_name(entry.number) : checkpoint_file_name(entry.number);
    try {
      point.state = read_frame_file(folder_ / name, entry.stamp);
    } catch (const Error& error) {
      point.notes.emplace_back(error.what());
      continue;
    }
    point.after = entry.number;
    point.failed_here = candidate.failure;
    return point;
  }
  if (request.from && *request.from >= request.first)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no usable checkpoint at or before frame {}; {}; nothing was changed; --from {} begins "
                            "at the first frame and sets aside what comes out differently",
                            here, limit, checkpoints_in_words(manifest_), request.first - 1));
  if (!request.from && !manifest_.branches.empty())
    throw Error(
        ExitCode::io,
        fmt::format("{}: cannot resume: no checkpoint since the setup changed after frame {} is usable; nothing "
                    "was changed; --resume --from N goes on after an earlier one ({}), a run without --resume "
                    "sets all frames aside and begins at the first",
                    here, manifest_.branches.back().from_frame, checkpoints_in_words(manifest_)));
  return point;
}

std::vector<Cache::Problem> Cache::verify() const {
  std::vector<Problem> problems;
  const std::string resume =
      fmt::format("ymir run {} --out {} --resume", manifest_.newest().setup_name, folder_.string());
  if (manifest_problem_)
    problems.push_back({"manifest.json", *manifest_problem_, resume + " repairs it from the one before"});
  if (const auto problem = problem_with_previous_manifest(folder_))
    problems.push_back({"manifest.previous.json", *problem, resume + " writes it again"});
  const auto check = [&](const std::string& name, const FileStamp& stamp, const std::string& remedy) {
    if (auto problem = problem_with_file(folder_ / name, stamp))
      problems.push_back({name, std::move(*problem), remedy});
  };
  const std::size_t manifests = problems.size();
  for (const CacheEntry& entry : manifest_.frames) check(frame_file_name(entry.number), entry.stamp, {});
  const bool frames_bad = problems.size() > manifests;
  for (const CacheEntry& entry : manifest_.checkpoints)
    check(checkpoint_file_name(entry.number), entry.stamp, resume + " drops it and goes on without it");
  for (const CacheEntry& entry : manifest_.failures)
    check(failure_file_name(entry.number), entry.stamp,
          "it is needed only to go on after the failure in place; remove it");
  if (!frames_bad) return problems;
  // What resuming would do about frames depends on all the others.
  std::string remedy;
  try {
    const ResumePoint point = find_resume_point({.first = manifest_.frames.front().number,
                                                 .last = manifest_.frames.back().number,
                                                 .from = {},
                                                 .identity = manifest_.newest()});
    remedy = fmt::format("{} computes it again {}; intact frames stay", resume,
                         point.state ? fmt::format("from the checkpoint after frame {}", point.after)
                                     : std::string("from the first frame"));
  } catch (const Error& error) {
    remedy = error.what();
  }
  for (Problem& problem : problems)
    if (problem.remedy.empty()) problem.remedy = remedy;
  return problems;
}

}  // namespace ymir
