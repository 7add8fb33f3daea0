#include "ymir/setup/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/hash.h"
#include "ymir/base/log.h"
#include "ymir/base/timer.h"
#include "ymir/base/version.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/file_bytes.h"
#include "ymir/cache/gather.h"
#include "ymir/cache/initial_state.h"
#include "ymir/setup/build.h"
#include "ymir/setup/carried_hairs.h"
#include "ymir/setup/frame_report_text.h"
#include "ymir/solids/solid_system.h"

namespace ymir {
namespace {

// How a run begins, as rank 0 sees it; nothing has changed on disk yet.
struct Start {
  std::optional<Cache> cache;  // to be resumed; empty: a new one
  bool keep_files = false;     // frames without a readable manifest are there
  ResumePoint point;
  CacheIdentity identity;
};

// A range that begins after the frames that are there, or outside the setup.
void check_range(const SolverSetup& setup, const SessionOptions& options, std::int64_t after) {
  if (!options.frames) return;
  const auto [first, last] = *options.frames;
  const std::int64_t begin = setup.time.frames.first;
  const std::string range = fmt::format("--frames {}:{}", first, last);
  if (first < begin)
    throw Error(ExitCode::usage, fmt::format("{}: the first frame of {} is {}; use --frames {}:{}", range,
                                             setup.file.string(), begin, begin, std::max(begin, last)));
  if (first <= after + 1) return;
  if (after < begin && !options.resume)
    throw Error(ExitCode::usage, fmt::format("{}: without --resume a run begins at frame {}; use --frames {}:{}, or "
                                             "--resume to go on with the frames in {}; nothing was changed",
                                             range, begin, begin, last, options.out.string()));
  throw Error(ExitCode::usage, fmt::format("{}: {} can go on after frame {}, so frames {} to {} must be simulated "
                                           "first; use --frames {}:{}; nothing was changed",
                                           range, options.out.string(), after, after + 1, first - 1, after + 1, last));
}

Start find_start(const SolverSetup& setup, const SessionOptions& options, std::int64_t last) {
  Start start;
  start.identity = identity_of(setup);
  const std::int64_t first = setup.time.frames.first;
  start.point.after = first - 1;
  const std::string out = options.out.string();
  if (options.resume && !options.force_restart) {
    if (Cache::readable(options.out)) {
      start.cache.emplace(Cache::open_to_write(options.out, options.command));
      start.point = start.cache->find_resume_point({first, last, options.from, start.identity});
      const std::vector<CacheEntry>& there = start.cache->manifest().frames;
      if (start.point.branch && !there.empty() && there.front().number < first)
        throw Error(ExitCode::bad_input, fmt::format("{}: its frames begin with {}, those of the setup with {}; begin "
                                                     "with the same, or choose another folder with --out; nothing was "
                                                     "changed",
                                                     out, there.front().number, first));
      if (start.point.branch && start.cache->manifest().fps != setup.time.fps)
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: cannot go on with {} frames per second, its frames have {}; nothing was changed",
                                out, setup.time.fps, start.cache->manifest().fps));
    } else {
      start.keep_files = Cache::exists(options.out) || Cache::holds_files(options.out);
      log::info(start.keep_files
                    ? fmt::format("{}: no manifest can be read; starting at the first frame; frames in the folder stay "
                                  "if they come out the same and are set aside in discarded/ if not",
                                  out)
                    : fmt::format("{}: no cache to resume, starting at the first frame", out));
    }
  }
  check_range(setup, options, start.point.after);
  return start;
}

// Why a checkpoint cannot be continued by a changed setup; `fresh` is what that setup would write. Empty: it can.
std::string misfit(const Frame& stored, const Frame& fresh, const TimeParams& time) {
  const double offset = stored.time * time.fps - static_cast<double>(stored.number - time.frames.first + 1);
  if (offset < -1e-6 || offset > 1 - 1e-6) return "frames begin at another number";
  const auto find = [](const Frame& frame, const std::string& name) -> const ObjectState* {
    for (const ObjectState& object : frame.objects)
      if (object.name == name) return &object;
    return nullptr;
  };
  for (const ObjectState& object : stored.objects)
    if (find(fresh, object.name) == nullptr) return fmt::format("the object {} is gone", object.name);
  for (const ObjectState& now : fresh.objects) {
    const ObjectState* then = find(stored, now.name);
    if (then == nullptr) return fmt::format("the object {} is new", now.name);
    for (const auto& [name, array] : then->channels)
      if (!now.channels.contains(name)) return fmt::format("{} has no channel {} any more", now.name, name);
    for (const auto& [name, array] : now.channels) {
      const auto before = then->channels.find(name);
      if (before == then->channels.end()) return fmt::format("{} has a new channel {}", now.name, name);
      if (before->second.type() != array.type() || before->second.components() != array.components())
        return fmt::format("the channel {} of {} has another type", name, now.name);
    }
    const auto layout_now = now.attributes.find("layout"), layout_then = then->attributes.find("layout");
    if (layout_now != now.attributes.end() && layout_then != then->attributes.end() &&
        layout_now->second != layout_then->second)
      return fmt::format("{} has other elements or channels", now.name);
  }
  return {};
}

// Collective. The simulation goes on from the state that was found; refused before anything changes on disk.
void restore(Simulation& simulation, const Start& start, const SolverSetup& setup, const SessionOptions& options) {
  Communicator& communicator = simulation.communicator();
  const Frame* state = start.point.state ? &*start.point.state : nullptr;
  if (communicator.any(state != nullptr && start.point.branch)) {
    const Frame fresh = gather_frame(simulation.checkpoint(setup.time.frames.first - 1), communicator);
    if (state != nullptr)
      if (const std::string why = misfit(*state, fresh, setup.time); !why.empty())
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: the checkpoint after frame {} does not fit the changed setup: {}; nothing was "
                                "changed; undo that change, or simulate from the beginning into another folder with "
                                "--out",
                                options.out.string(), state->number, why));
  }
  if (communicator.any(state != nullptr)) simulation.restore(state);
}

// The first changes on disk.
Cache begin_writing(Start& start, const SolverSetup& setup, const SessionOptions& options) {
  if (!start.cache)
    return Cache::create(options.out, start.identity,
                         {.fps = setup.time.fps,
                          .program_version = std::string(version),
                          .force_restart = options.force_restart,
                          .keep_files = start.keep_files,
                          .command = options.command});
  const ResumePoint& point = start.point;
  const std::string out = options.out.string();
  for (const std::string& note : point.notes) log::warn(note);
  if (point.branch && point.after >= setup.time.frames.first)
    log::info(fmt::format("{}: the changed setup goes on {} frame {}; frames to {} stay", out,
                          point.failed_here ? "where the simulation failed, in" : "after",
                          point.failed_here ? point.after + 1 : point.after, point.after));
  else if (!point.complete && !point.state)
    log::info(
        fmt::format("{}: no usable checkpoint, starting at the first frame; frames that are there stay if they "
                    "come out the same and are set aside in discarded/ if not",
                    out));
  else if (!point.complete)
    log::info(fmt::format("{}: going on after frame {}", out, point.after));
  start.cache->go_on_from(point, start.identity);
  return std::move(*start.cache);
}

void record_contacts(const Simulation& simulation, const std::filesystem::path& folder) {
  for (const auto& object : simulation.objects())
    if (auto* solids = dynamic_cast<SolidSystem*>(object.get()); solids != nullptr && !solids->contacts().empty())
      return solids->record_contacts(folder);
  throw Error(ExitCode::usage,
              fmt::format("--dump-contacts {}: nothing in this setup has exact contact; add `collision`, or `response: "
                          "exact` to a collider; nothing was changed",
                          folder.string()));
}

// What is to be told is why the simulation stopped, even when the disk is full as well.
void keep_failure(Cache& cache, const Frame& state) {
  try {
    cache.write_failure(state);
  } catch (const Error& error) {
    log::warn(fmt::format("the state at the failure could not be kept: {}", error.what()));
  }
}

}  // namespace

CacheIdentity identity_of(const SolverSetup& setup) {
  CacheIdentity identity{setup.hash, setup.file.filename().string(), {}};
  for (const InputSpec& input : setup.inputs) {
    for (const PaintedOverride& painted : input.painted)
      identity.inputs.push_back({painted.written_path, hash_bytes(read_file_bytes(painted.texture))});
    if (!input.recipe.items.empty()) continue;  // the hash of the setup has it
    std::uint64_t hash = hash_bytes(read_file_bytes(input.path));
    for (std::size_t i = 1; i < input.frames.size(); ++i)
      hash = hash_combine(hash, hash_bytes(read_file_bytes(input.frames[i])));
    identity.inputs.push_back({input.written_path, hash});
  }
  if (const auto file = groom_file(setup))
    identity.inputs.push_back({file->written_path, hash_bytes(read_file_bytes(file->path))});
  return identity;
}

SessionOutcome run_session(const SolverSetup& setup, const SessionOptions& options, const SessionEvents& events,
                           Communicator& communicator) {
  BuiltSimulation built = build(setup, communicator);
  const auto tell = [&](const std::vector<Diagnostic>& warnings) {
    for (const Diagnostic& warning : warnings)
      if (communicator.root()) log::warn(place_of(warning) + warning.message);
  };
  tell(built.warnings);
  Simulation& simulation = *built.simulation;
  tell(ingest(built, setup));

  const std::int64_t first = setup.time.frames.first;
  const std::int64_t last = options.frames ? options.frames->second : setup.time.frames.last;
  if (communicator.root() && last > setup.time.frames.last)
    log::info(fmt::format("--frames: going beyond frame {}, the last one of the setup", setup.time.frames.last));
  Frame initial = gather_frame(simulation.frame(first - 1), communicator);
  std::optional<CarriedHairs> hairs;
  if (communicator.root()) hairs = hairs_of(setup, simulation, initial);
  Start start = communicator.root() ? find_start(setup, options, last) : Start{};
  const bool complete = communicator.any(start.point.complete);
  if (!complete) restore(simulation, start, setup, options);
  if (!options.dump_contacts.empty() && !complete) record_contacts(simulation, options.dump_contacts);
  std::optional<Cache> cache;
  if (communicator.root()) cache.emplace(begin_writing(start, setup, options));
  const std::int64_t after = communicator.max(communicator.root() ? start.point.after : first - 1);
  start.point.state.reset();
  // A branch goes on with frames that began with the initial state of another setup.
  if (cache && cache->manifest().branches.empty() && (!complete || !initial_state_problem(options.out).empty())) {
    if (hairs) initial.objects.push_back(hairs->hairs_of(initial));
    write_initial_state(options.out, initial);
  }
  if (complete) return {.interrupted = false, .last_frame = last, .frames = 0};
  if (events.begin) events.begin(after + 1, last);
  initial = {};
  if (hairs && after >= first) hairs->follow(cache->read_frame(after));

  SessionOutcome outcome{false, after, 0};
  for (std::int64_t number = after + 1; number <= last; ++number) {
    const Timer timer;
    try {
      simulation.advance_frame(number, events.progress);
    } catch (const NumericalFailure&) {
      const Frame whole = gather_frame(simulation.checkpoint(number - 1), communicator);
      if (cache) keep_failure(*cache, whole);
      throw;
    }
    const FrameReport& report = simulation.frame_report();
    if (options.strict && report.unconverged() > 0)
      throw Error(ExitCode::numerical,
                  fmt::format("frame {}: {}; --strict ends the run before it is stored; use more substeps", number,
                              report.trouble()));
    Frame whole = gather_frame(simulation.frame(number), communicator);
    if (hairs) whole.objects.push_back(hairs->hairs_of(whole));
    const double seconds = timer.seconds();
    if (cache) {
      cache->write_frame(whole, seconds);
      cache->write_report(number, to_json_text(report));
    }
    outcome.last_frame = number;
    ++outcome.frames;
    outcome.interrupted = communicator.any(options.stop != nullptr && options.stop->load());
    // Frames that were there and have nothing missing before them any more need not be computed again.
    const bool rest_is_there =
        communicator.any(cache.has_value() && !options.from && cache->holds_frames(number + 1, last));
    // A strict run may end after any frame, and is gone on with from the one before.
    if (outcome.interrupted || number == last || options.strict ||
        (number - first + 1) % setup.outputs.checkpoint_every == 0) {
      const Frame checkpoint = gather_frame(simulation.checkpoint(number), communicator);
      if (cache) cache->write_checkpoint(checkpoint, seconds);
    }
    if (events.frame_done && communicator.root()) events.frame_done(whole, seconds, report);
    if (outcome.interrupted && number < last) return outcome;
    if (rest_is_there) break;
  }
  outcome.last_frame = last;
  outcome.interrupted = false;
  return outcome;
}

}  // namespace ymir
