#include "ymir/setup/session.h"

#include <fmt/format.h>

#include "ymir/base/hash.h"
#include "ymir/base/log.h"
#include "ymir/base/timer.h"
#include "ymir/base/version.h"
#include "ymir/behaviors/scope.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/file_bytes.h"
#include "ymir/cache/gather.h"
#include "ymir/cache/initial_state.h"
#include "ymir/setup/build.h"
#include "ymir/setup/carried_hairs.h"
#include "ymir/setup/frame_report_text.h"

namespace ymir {
namespace {

// The cache as one rank sees it: rank 0 has it, the others nothing.
struct Opened {
  std::optional<Cache> cache;
  std::optional<Frame> checkpoint;
};

Opened open_cache(const SolverSetup& setup, const SessionOptions& options) {
  const CacheIdentity identity = identity_of(setup);
  if (options.resume && !options.force_restart && Cache::exists(options.out)) {
    Opened opened{Cache::open(options.out), {}};
    if (const auto why = opened.cache->why_not_resumable(identity))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: cannot resume: {}; use --force-restart to start again", options.out.string(), *why));
    opened.checkpoint = opened.cache->rewind();
    return opened;
  }
  if (options.resume && !options.force_restart)
    log::info(fmt::format("{}: no cache to resume, starting at the first frame", options.out.string()));
  return {Cache::create(options.out, identity, {setup.time.fps, std::string(version), options.force_restart}), {}};
}

// On rank 0, where the setup asks for hairs; before anything on disk is touched.
std::optional<CarriedHairs> hairs_of(const SolverSetup& setup, Simulation& simulation, const Frame& initial) {
  if (!setup.outputs.hairs) return std::nullopt;
  const HairsParams& params = *setup.outputs.hairs;
  std::vector<InputSpec> inputs = setup.inputs;
  if (setup.find_input(params.groom) == nullptr) {
    InputSpec file;
    file.name = params.groom;
    file.kind = InputKind::curves;
    file.path = setup.file.parent_path() / params.groom;
    inputs.push_back(file);
  }
  const Scope scope(simulation, inputs, "outputs.hairs", 0, 0);
  return CarriedHairs(scope.curves({params.groom}), initial, params.group.path == "/" ? "" : params.group.path,
                      params.guides, params.groom);
}

}  // namespace

CacheIdentity identity_of(const SolverSetup& setup) {
  CacheIdentity identity{setup.hash, setup.file.filename().string(), {}};
  for (const InputSpec& input : setup.inputs) {
    if (!input.recipe.items.empty()) continue;  // the hash of the setup has it
    std::uint64_t hash = hash_bytes(read_file_bytes(input.path));
    for (std::size_t i = 1; i < input.frames.size(); ++i)
      hash = hash_combine(hash, hash_bytes(read_file_bytes(input.frames[i])));
    identity.inputs.push_back({input.written_path, hash});
  }
  return identity;
}

SessionOutcome run_session(const SolverSetup& setup, const SessionOptions& options, const SessionEvents& events,
                           Communicator& communicator) {
  BuiltSimulation built = build(setup, communicator);
  for (const Diagnostic& warning : built.warnings)
    if (communicator.root()) log::warn(place_of(warning) + warning.message);
  Simulation& simulation = *built.simulation;
  simulation.ingest();

  Frame initial = gather_frame(simulation.frame(setup.time.frames.first - 1), communicator);
  std::optional<CarriedHairs> hairs;
  if (communicator.root()) hairs = hairs_of(setup, simulation, initial);
  Opened opened;
  if (communicator.root()) opened = open_cache(setup, options);
  std::int64_t first = setup.time.frames.first, last = setup.time.frames.last;
  const std::int64_t resumed = communicator.max(opened.checkpoint ? opened.checkpoint->number : first - 1);
  if (resumed >= first) simulation.restore(opened.checkpoint ? &*opened.checkpoint : nullptr);
  opened.checkpoint.reset();
  if (options.frames) {
    last = options.frames->second;
    if (options.frames->first > resumed + 1)
      throw Error(ExitCode::usage,
                  fmt::format("--frames {}:{}: the cache ends at frame {}; frames before {} must be simulated first",
                              options.frames->first, last, resumed, options.frames->first));
  }
  if (events.begin) events.begin(resumed + 1, last);
  if (opened.cache) write_initial_state(options.out, initial);
  initial = {};
  if (hairs && resumed >= first) hairs->follow(opened.cache->read_frame(resumed));

  SessionOutcome outcome{false, resumed, 0};
  const auto save_checkpoint = [&](std::int64_t number, double seconds) {
    const Frame whole = gather_frame(simulation.checkpoint(number), communicator);
    if (opened.cache) opened.cache->write_checkpoint(whole, seconds);
  };
  for (std::int64_t number = resumed + 1; number <= last; ++number) {
    const Timer timer;
    try {
      simulation.advance_frame(number, events.progress);
    } catch (const NumericalFailure&) {
      save_checkpoint(number - 1, timer.seconds());
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
    if (opened.cache) {
      opened.cache->write_frame(whole, seconds);
      opened.cache->write_report(number, to_json_text(report));
    }
    outcome.last_frame = number;
    ++outcome.frames;
    outcome.interrupted = communicator.any(options.stop != nullptr && options.stop->load());
    const std::int64_t done = number - setup.time.frames.first + 1;
    if (outcome.interrupted || number == last || done % setup.outputs.checkpoint_every == 0)
      save_checkpoint(number, seconds);
    if (events.frame_done && communicator.root()) events.frame_done(whole, seconds, report);
    if (outcome.interrupted && number < last) return outcome;
  }
  outcome.interrupted = false;
  return outcome;
}

}  // namespace ymir
