#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "progress.h"
#include "resources.h"
#include "statistics.h"
#include "ymir/base/plain_text.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/discarded.h"
#include "ymir/cache/formats/describe.h"
#include "ymir/cache/initial_state.h"
#include "ymir/data/channel_info.h"

namespace ymir::cli {
namespace {

// Names that are not UTF-8 have their bad bytes replaced: the document stays JSON.
std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

using Json = nlohmann::ordered_json;

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

Json entry_to_json(const CacheEntry& entry) {
  return {{"number", entry.number},
          {"time", entry.time},
          {"hash", hex(entry.state_hash)},
          {"bytes", entry.stamp.bytes},
          {"checksum", hex(entry.stamp.checksum)},
          {"seconds", entry.seconds}};
}

void print_history(const Cache& cache, const std::vector<Discarded>& discarded,
                   const std::optional<LockHolder>& writer) {
  const Manifest& manifest = cache.manifest();
  for (const CacheEntry& entry : manifest.failures)
    std::cout << fmt::format("  state at the failure in frame {}, {:.4f} s\n", entry.number + 1, entry.time);
  for (const CacheBranch& branch : manifest.branches)
    std::cout << fmt::format("  from frame {} on computed from {} (setup {})\n", branch.from_frame + 1,
                             plain_text(branch.identity.setup_name), hex(branch.identity.setup_hash));
  for (const Discarded& d : discarded)
    std::cout << fmt::format("  set aside: {}, {} frames, {} bytes; remove that folder if you do not need it\n",
                             plain_text(d.folder), d.frames, grouped(static_cast<std::int64_t>(d.bytes)));
  for (const std::string& name : cache.unlisted())
    std::cout << fmt::format("  not listed: {}; --resume keeps it if it comes out the same and sets it aside if not\n",
                             plain_text(name));
  if (writer) std::cout << fmt::format("  being written by {}\n", plain_text(writer->in_words()));
}

ExitCode cache_info(const InfoArguments& arguments) {
  const Cache cache = Cache::open(arguments.path);
  if (arguments.stats) {
    print_statistics(cache, arguments.json);
    return ExitCode::ok;
  }
  std::vector<Cache::Problem> problems = cache.verify();
  if (const std::string why = initial_state_problem(arguments.path); !why.empty())
    problems.push_back({"initial.h5", why, "run its setup with --resume, which writes it anew"});
  const Manifest& manifest = cache.manifest();
  const std::vector<Discarded> discarded = list_discarded(arguments.path);
  const std::optional<LockHolder> writer = CacheLock::holder_of(arguments.path);
  if (arguments.json) {
    Json frames = Json::array(), checkpoints = Json::array(), damaged = Json::array();
    for (const CacheEntry& entry : manifest.frames) frames.push_back(entry_to_json(entry));
    for (const CacheEntry& entry : manifest.checkpoints) checkpoints.push_back(entry_to_json(entry));
    for (const Cache::Problem& p : problems)
      damaged.push_back({{"file", p.file}, {"what", p.what}, {"remedy", p.remedy}});
    Json branches = Json::array(), aside = Json::array();
    for (const CacheBranch& b : manifest.branches)
      branches.push_back({{"from_frame", b.from_frame},
                          {"time", b.time},
                          {"setup", b.identity.setup_name},
                          {"setup_hash", hex(b.identity.setup_hash)}});
    for (const Discarded& d : discarded)
      aside.push_back({{"folder", d.folder}, {"frames", d.frames}, {"bytes", d.bytes}});
    std::cout << to_text(Json{{"kind", "cache"},
                              {"setup", manifest.identity.setup_name},
                              {"setup_hash", hex(manifest.identity.setup_hash)},
                              {"branches", branches},
                              {"fps", manifest.fps},
                              {"frames", frames},
                              {"checkpoints", checkpoints},
                              {"unlisted", cache.unlisted()},
                              {"discarded", aside},
                              {"writer", writer ? Json(writer->in_words()) : Json()},
                              {"problems", damaged}});
  } else {
    std::cout << fmt::format("cache of {} (ymir {}), {} fps, {} frames, {} checkpoints\n",
                             plain_text(manifest.identity.setup_name), plain_text(manifest.program_version),
                             manifest.fps, manifest.frames.size(), manifest.checkpoints.size());
    for (const CacheEntry& entry : manifest.frames)
      std::cout << fmt::format("  frame {:>6}  {:>9.4f} s  state {}  {:>12} bytes  {:.2f} s\n", entry.number,
                               entry.time, hex(entry.state_hash), grouped(static_cast<std::int64_t>(entry.stamp.bytes)),
                               entry.seconds);
    for (const CacheEntry& entry : manifest.checkpoints)
      std::cout << fmt::format("  checkpoint after frame {}\n", entry.number);
    print_history(cache, discarded, writer);
  }
  for (const Cache::Problem& p : problems)
    std::cerr << fmt::format("{}: {}: {}; {}\n", plain_text(arguments.path.string()), plain_text(p.file),
                             plain_text(p.what), plain_text(p.remedy));
  if (!problems.empty())
    throw Error(ExitCode::io, fmt::format("{}: {} damaged file{}; what to do is said with each",
                                          arguments.path.string(), problems.size(), problems.size() == 1 ? "" : "s"));
  return ExitCode::ok;
}

// Least and largest value of each component; finite: false when any is not a number.
struct Extremes {
  std::vector<double> low, high;
  bool finite = true;
};

template <class T>
Extremes extremes_of(const Array& array) {
  const auto components = static_cast<std::size_t>(array.components());
  Extremes e{std::vector<double>(components, std::numeric_limits<double>::infinity()),
             std::vector<double>(components, -std::numeric_limits<double>::infinity())};
  const std::byte* at = array.bytes().data();
  for (std::size_t i = 0; i < array.count() * components; ++i, at += sizeof(T)) {
    T stored;
    std::memcpy(&stored, at, sizeof stored);
    const auto value = static_cast<double>(stored);
    e.finite = e.finite && std::isfinite(value);
    e.low[i % components] = std::min(e.low[i % components], value);
    e.high[i % components] = std::max(e.high[i % components], value);
  }
  return e;
}

Extremes extremes_of(const Array& array) {
  switch (array.type()) {
    case ScalarType::f32: return extremes_of<float>(array);
    case ScalarType::f64: return extremes_of<double>(array);
    case ScalarType::i32: return extremes_of<std::int32_t>(array);
    case ScalarType::i64: return extremes_of<std::int64_t>(array);
    case ScalarType::u8: return extremes_of<std::uint8_t>(array);
    case ScalarType::u64: return extremes_of<std::uint64_t>(array);
  }
  return {};
}

ExitCode frame_info(const InfoArguments& arguments) {
  const Frame frame = read_frame_file(arguments.path);
  Json objects = Json::array();
  std::string text = fmt::format("frame {}, {} s, state {}\n", frame.number, frame.time, hex(frame.hash));
  for (const ObjectState& object : frame.objects) {
    Json channels = Json::object();
    text += fmt::format("  {} ({})\n", plain_text(object.name), plain_text(object.kind));
    for (const auto& [name, array] : object.channels) {
      channels[name] = {{"count", array.count()},
                        {"components", array.components()},
                        {"type", type_text(array.type(), 1)},
                        {"place", name_of(array.place)},
                        {"unit", array.unit}};
      text +=
          fmt::format("    {:<12} {:<10} {:>12} x {:<3} {:<5}", plain_text(name), name_of(array.place),
                      grouped(static_cast<std::int64_t>(array.count())), array.components(), plain_text(array.unit));
      if (array.count() > 0) {
        const Extremes e = extremes_of(array);
        channels[name].update({{"low", e.low}, {"high", e.high}, {"finite", e.finite}});
        text += fmt::format("   [{:.6g}] to [{:.6g}]{}", fmt::join(e.low, ", "), fmt::join(e.high, ", "),
                            e.finite ? "" : "   NOT FINITE");
      }
      text += "\n";
    }
    objects.push_back({{"name", object.name}, {"kind", object.kind}, {"channels", channels}});
  }
  std::cout << (arguments.json ? to_text(Json{{"kind", "frame"},
                                              {"number", frame.number},
                                              {"time", frame.time},
                                              {"hash", hex(frame.hash)},
                                              {"objects", objects}})
                               : text);
  return ExitCode::ok;
}

ExitCode file_info(const InfoArguments& arguments) {
  const FileSummary summary = describe_file(arguments.path);
  Json json{{"kind", "file"}, {"format", summary.format}};
  std::string text = "format: " + summary.format + "\n";
  for (const auto& [name, value] : summary.values)
    std::visit(
        [&, &key = name](const auto& v) {
          json[key] = v;
          text += fmt::format("{}: {}\n", key, v);
        },
        value);
  if (summary.bounds) {
    const Box& b = *summary.bounds;
    json["bounds"] = {{b.low.x, b.low.y, b.low.z}, {b.high.x, b.high.y, b.high.z}};
    text += fmt::format("bounds: [{:g}, {:g}, {:g}] to [{:g}, {:g}, {:g}]\n", b.low.x, b.low.y, b.low.z, b.high.x,
                        b.high.y, b.high.z);
  }
  std::cout << (arguments.json ? to_text(json) : text);
  return ExitCode::ok;
}

}  // namespace

ExitCode info(const InfoArguments& arguments) {
  if (!std::filesystem::exists(arguments.path))
    throw Error(ExitCode::bad_input, arguments.path.string() + ": no such file or folder");
  now("reading " + arguments.path.string());
  if (std::filesystem::is_directory(arguments.path)) return cache_info(arguments);
  if (arguments.stats)
    throw Error(ExitCode::usage, arguments.path.string() + ": --stats is of a cache; name its folder");
  return arguments.path.extension() == ".h5" ? frame_info(arguments) : file_info(arguments);
}

}  // namespace ymir::cli
