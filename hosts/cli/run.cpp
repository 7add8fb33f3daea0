#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <utility>

#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "resources.h"
#include "setup_file.h"
#include "shell_word.h"
#include "ymir/base/log.h"
#include "ymir/behaviors/register.h"
#include "ymir/setup/build.h"
#include "ymir/setup/session.h"

namespace ymir::cli {
namespace {

// Names that are not UTF-8 have their bad bytes replaced: the document stays JSON.
std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

FrameRangeArgument parse_frames(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto colon = text.find(':');
  try {
    if (colon != std::string::npos) {
      std::size_t used_first = 0, used_last = 0;
      const std::string first = text.substr(0, colon), last = text.substr(colon + 1);
      const std::pair<std::int64_t, std::int64_t> range{std::stoll(first, &used_first), std::stoll(last, &used_last)};
      if (used_first == first.size() && used_last == last.size() && range.first <= range.second) return range;
    }
  } catch (const std::logic_error&) {  // not a number, or out of range: reported below
  }
  throw Error(ExitCode::usage, "--frames " + text + ": write the first and last frame as A:B, for example 1:48");
}

namespace {

std::string unconverged(std::int64_t solves) {
  return solves > 0 ? fmt::format(", {} above tolerance", grouped(solves)) : std::string();
}

std::uintmax_t bytes_of_frame(const std::filesystem::path& cache, std::int64_t number) {
  const std::string end = fmt::format("{:06}.h5", number);
  std::uintmax_t bytes = 0;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(cache, failure))
    if (entry.path().filename().string().ends_with(end) && entry.is_regular_file(failure))
      bytes += entry.file_size(failure);
  return bytes;
}

// Once, after the first frame: what the others will take, where that is more than there is room or patience for.
void warn_of_long_runs(const std::filesystem::path& cache, std::int64_t number, std::int64_t left, double seconds) {
  constexpr double week = 7 * 86400.0;  // [s]
  std::error_code failure;
  const std::filesystem::space_info disk = std::filesystem::space(cache, failure);
  const auto frames = static_cast<double>(left);
  const double bytes = frames * static_cast<double>(bytes_of_frame(cache, number)), time = frames * seconds;
  if (failure || (bytes < static_cast<double>(disk.available) && time < week)) return;
  log::warn(fmt::format(
      "{} frames are left, which as the first one take about {:.3g} GB ({:.3g} GB are free) and {:.3g} days; end with "
      "Ctrl-C and choose fewer with --frames, or go on later with --resume",
      grouped(left), bytes / 1e9, static_cast<double>(disk.available) / 1e9, time / 86400));
}

// After a numerical failure; kept: the last finished frame.
std::string way_on(std::int64_t kept, const SolverSetup& setup, const std::string& command) {
  if (kept < setup.time.frames.first)
    return fmt::format(". No frame was finished; change the setup, then: {}", command);
  return fmt::format(". Frames to {} are kept; change the setup, then go on with: {} --resume --from {}", kept, command,
                     kept);
}

// A run that stopped says how to go on.
SessionOutcome simulate(const SolverSetup& setup, const SessionOptions& options, SessionEvents events,
                        const std::string& command, Communicator& world) {
  std::optional<std::int64_t> frame;  // the one at hand
  events.begin = [&frame, next = std::move(events.begin)](std::int64_t first, std::int64_t last) {
    frame = first;
    next(first, last);
  };
  events.progress = [&frame, next = std::move(events.progress)](const FrameProgress& progress) {
    frame = progress.frame;
    next(progress);
  };
  try {
    return run_session(setup, options, events, world);
  } catch (const NumericalFailure& failure) {
    throw Error(failure.code(), failure.what() + way_on(failure.frame() - 1, setup, command));
  } catch (const Error& error) {
    if (!frame || (error.code() != ExitCode::io && error.code() != ExitCode::numerical)) throw;
    if (error.code() == ExitCode::numerical)
      throw Error(error.code(), error.what() + way_on(*frame - 1, setup, command));
    throw Error(error.code(),
                fmt::format("{}. Finished frames are kept; go on with: {} --resume", error.what(), command));
  }
}

// answered: the document of --json has been printed.
ExitCode run_to_end(const RunArguments& arguments, bool& answered) {
  const std::atomic<bool>& stop = watch_interrupts();
  Communicator& world = Communicator::world();
  const Registry registry = all_behaviors();
  now("reading " + arguments.setup.string());
  const SolverSetup setup = load_setup(arguments.setup, registry);
  SessionOptions options;
  options.out = arguments.out.empty() ? std::filesystem::path(setup.outputs.cache) : arguments.out;
  options.resume = arguments.resume;
  options.force_restart = arguments.force_restart;
  options.strict = arguments.strict;
  options.dump_contacts = arguments.dump_contacts;
  options.from = arguments.from;
  options.frames = arguments.frames;
  options.stop = &stop;
  const std::string command =
      fmt::format("ymir run {} --out {}", shell_word(arguments.setup.string()), shell_word(options.out.string()));
  options.command = command;

  Progress progress("simulate");
  SessionEvents events;
  std::int64_t last_frame = 0;
  bool estimated = !world.root();
  events.begin = [&](std::int64_t first, std::int64_t last) {
    last_frame = last;
    progress.begin(first, last);
    now(fmt::format("simulating frame {}", first));
  };
  events.progress = [&](const FrameProgress& p) {
    progress.update(
        p.frame, p.fraction,
        fmt::format("substep {}, {} elements{}", p.substep, grouped(p.elements), unconverged(p.unconverged)));
  };
  std::int64_t above_tolerance = 0;
  std::string trouble;
  std::set<std::string> crushed;
  events.frame_done = [&](const Frame& frame, double seconds, const FrameReport& report) {
    above_tolerance += report.unconverged();
    for (const FrameReport::Entry& entry : report.objects)
      if (entry.report.crushed > 0 && crushed.insert(entry.object).second && world.root())
        log::warn(
            fmt::format("frame {}: {}: {:.0f} of its cells are crushed to less than a hundredth of their volume, or "
                        "turned inside out; make it stiffer, what presses or pulls it weaker, or substeps smaller",
                        frame.number, entry.object, entry.report.crushed));
    if (report.unconverged() > 0) trouble = fmt::format("frame {}: {}", frame.number, report.trouble());
    progress.finish_frame(frame.number, fmt::format("{:.2f} s{}", seconds, unconverged(report.unconverged())));
    if (!std::exchange(estimated, true))
      warn_of_long_runs(options.out, frame.number, last_frame - frame.number, seconds);
    now(fmt::format("simulating frame {}", frame.number + 1));
  };
  const SessionOutcome outcome = simulate(setup, options, std::move(events), command, world);
  if (!world.root()) return outcome.interrupted ? ExitCode::interrupted : ExitCode::ok;

  answered = arguments.json;
  if (arguments.json)
    std::cout << to_text(nlohmann::ordered_json{{"cache", options.out.string()},
                                                {"frames", outcome.frames},
                                                {"last_frame", outcome.last_frame},
                                                {"unconverged", above_tolerance},
                                                {"interrupted", outcome.interrupted}});
  if (above_tolerance > 0)
    log::warn(
        fmt::format("{} solves were accepted above their tolerance, last in {}; ymir info {} --stats lists them, "
                    "--strict makes it an error",
                    grouped(above_tolerance), trouble, options.out.string()));
  if (outcome.interrupted) {
    log::warn(fmt::format("stopped after frame {}; go on with: {} --resume", outcome.last_frame, command));
    return ExitCode::interrupted;
  }
  log::info(fmt::format("{}: frames to {} in the cache{}", options.out.string(), outcome.last_frame,
                        outcome.frames == 0 ? "; nothing was left to simulate" : ""));
  const PreviewParams& pictures = setup.outputs.preview;
  if (pictures.every > 0 && !arguments.no_preview) {
    PreviewArguments draw;
    draw.cache = options.out;
    draw.every = pictures.every;
    draw.glow = pictures.style == PictureStyle::glow;
    draw.render.width = pictures.width;
    draw.render.height = pictures.height;
    if (pictures.eye) draw.eye = {pictures.eye->x, pictures.eye->y, pictures.eye->z};
    if (pictures.target) draw.target = {pictures.target->x, pictures.target->y, pictures.target->z};
    if (pictures.fov) draw.fov = *pictures.fov * 180 / std::numbers::pi;
    draw.turn = pictures.turn * 180 / std::numbers::pi;
    return preview(draw);
  }
  return ExitCode::ok;
}

void answer_with(const Error& error, const std::string& message) {
  if (Communicator::world().root())
    std::cout << to_text(nlohmann::ordered_json{{"exit_code", static_cast<int>(error.code())}, {"error", message}})
              << std::flush;
}

}  // namespace

ExitCode run(const RunArguments& arguments) {
  bool answered = false;
  try {
    return run_to_end(arguments, answered);
  } catch (const SetupError& error) {
    if (arguments.json && !answered) answer_with(error, to_string(error.diagnostics()));
    throw;
  } catch (const Error& error) {
    if (arguments.json && !answered) answer_with(error, error.what());
    throw;
  }
}

}  // namespace ymir::cli
