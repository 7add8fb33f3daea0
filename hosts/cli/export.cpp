#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "commands.h"
#include "interrupt.h"
#include "numbered_file.h"
#include "progress.h"
#include "ymir/base/log.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/cache/formats/frame_volumes.h"
#include "ymir/cache/formats/ply.h"
#include "ymir/cache/formats/usda.h"
#include "ymir/cache/formats/vdb.h"
#include "ymir/cache/initial_state.h"

namespace ymir::cli {
namespace {

bool chosen(const ObjectState& object, const std::string& name) {
  return name.empty() || object.name == name || object.name.starts_with(name + "/");
}

// The one object of that kind.
const ObjectState* only(const Frame& frame, const char* kind, const std::string& name, const char* remedy) {
  const ObjectState* found = nullptr;
  for (const ObjectState& object : frame.objects) {
    if (object.kind != kind || !chosen(object, name)) continue;
    if (found != nullptr)
      throw Error(ExitCode::bad_input, fmt::format("frame {} holds {} of {} and of {}; {}", frame.number, kind,
                                                   found->name, object.name, remedy));
    found = &object;
  }
  return found;
}

[[noreturn]] void nothing_to_write(const ExportArguments& arguments, const Frame& frame, const std::string& what) {
  std::set<std::string> held;
  for (const ObjectState& object : frame.objects) held.insert(object.kind + " of " + object.name);
  throw Error(ExitCode::bad_input,
              fmt::format("{}: frame {} holds no {}{}; nothing was written: it holds {}", arguments.cache.string(),
                          frame.number, what, arguments.object.empty() ? "" : " of " + arguments.object,
                          held.empty() ? "nothing" : fmt::format("{}", fmt::join(held, ", "))));
}

void export_points(const ExportArguments& arguments, const Frame& frame) {
  const ObjectState* found = only(frame, "points", arguments.object, "choose with --object, or export .usda");
  if (found == nullptr) nothing_to_write(arguments, frame, "points");
  write_ply(arguments.file, points_of(*found));
}

VdbContents contents_of(const ObjectState& gas, bool half) {
  VdbContents contents;
  contents.volumes = volumes_of(gas);
  contents.half = half;
  return contents;
}

// Frames one after the other, with progress and an end when asked to stop.
template <class F>
ExitCode for_each_frame(const Cache& cache, const std::vector<std::int64_t>& numbers, F&& write) {
  const std::atomic<bool>& stop = watch_interrupts();
  Progress progress("export");
  progress.begin(numbers.front(), numbers.back());
  for (const std::int64_t number : numbers) {
    if (stop.load()) return ExitCode::interrupted;
    progress.finish_frame(number, write(cache.read_frame(number)));
  }
  return ExitCode::ok;
}

ExitCode export_vdb(const ExportArguments& arguments, const Cache& cache, const std::vector<std::int64_t>& numbers) {
  if (numbers.size() > 1 && !is_numbered(arguments.file))
    throw Error(ExitCode::usage,
                fmt::format("{}: {} frames need numbered files, such as {}.####.vdb; or choose one with --frames",
                            arguments.file.string(), numbers.size(), arguments.file.stem().string()));
  const auto gas_of = [&](const Frame& frame) {
    return only(frame, "volume", arguments.object, "choose one with --object");
  };
  const Frame last = cache.read_frame(numbers.back());
  if (gas_of(last) == nullptr) nothing_to_write(arguments, last, "volume");
  const ExitCode end = for_each_frame(cache, numbers, [&](const Frame& frame) {
    const ObjectState* gas = gas_of(frame);
    const VdbContents contents = gas != nullptr ? contents_of(*gas, arguments.half) : VdbContents{};
    write_vdb(is_numbered(arguments.file) ? numbered(arguments.file, frame.number) : arguments.file, contents);
    std::size_t blocks = 0;
    for (const VolumeGrid& grid : contents.volumes) blocks = std::max(blocks, grid.blocks.size());
    return fmt::format("{} voxels", grouped(static_cast<std::int64_t>(blocks * VolumeGrid::block_voxels)));
  });
  if (end == ExitCode::ok) log::info(fmt::format("{}: {} frames", arguments.file.string(), numbers.size()));
  return end;
}

// shot.usda, group Smoke: shot.Smoke.####.vdb beside it.
std::filesystem::path volume_file(const std::filesystem::path& usda, const std::string& object, std::int64_t frame) {
  std::string name = object;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return numbered(usda.parent_path() / fmt::format("{}.{}.####.vdb", usda.stem().string(), name), frame);
}

void keep_chosen(Frame& frame, const std::string& name) {
  std::erase_if(frame.objects, [&](const ObjectState& object) { return !chosen(object, name); });
}

bool has_usd_form(const Frame& frame, const std::string& name) {
  return std::any_of(frame.objects.begin(), frame.objects.end(), [&](const ObjectState& object) {
    const bool drawn = object.kind == "points" || object.kind == "curves" || object.kind == "surface";
    return chosen(object, name) && (drawn || object.kind == "volume");
  });
}

ExitCode export_usda(const ExportArguments& arguments, const Cache& cache, const std::vector<std::int64_t>& numbers) {
  const Frame last = cache.read_frame(numbers.back());
  if (!has_usd_form(last, arguments.object)) nothing_to_write(arguments, last, "points, curves, surface or volume");
  UsdaWriter writer(arguments.file, cache.manifest().fps,
                    arguments.clips ? UsdaWriter::Layers::per_frame : UsdaWriter::Layers::one);
  if (auto initial = read_initial_state(arguments.cache); initial && initial->number + 1 == numbers.front()) {
    keep_chosen(*initial, arguments.object);
    writer.add_initial(*initial);
  }
  const ExitCode end = for_each_frame(cache, numbers, [&](Frame frame) {
    keep_chosen(frame, arguments.object);
    writer.add_frame(frame);
    for (const ObjectState& object : frame.objects) {
      if (object.kind != "volume") continue;
      const VdbContents contents = contents_of(object, arguments.half);
      const auto file = volume_file(arguments.file, object.name, frame.number);
      write_vdb(file, contents);
      std::vector<std::string> fields;
      for (const VolumeGrid& grid : contents.volumes) fields.push_back(grid.name);
      writer.add_volume(object.name, fields, file.filename().string());
    }
    return std::string();
  });
  if (end != ExitCode::ok) return end;
  writer.finish();
  log::info(fmt::format("{}: {} frames", arguments.file.string(), numbers.size()));
  return ExitCode::ok;
}

}  // namespace

ExitCode export_cache(const ExportArguments& arguments) {
  const std::string extension = arguments.file.extension().string();
  if (extension != ".ply" && extension != ".vdb" && extension != ".usda")
    throw Error(ExitCode::usage, arguments.file.string() + ": no such format; name the file .usda, .vdb or .ply");
  if (extension != ".vdb" && is_numbered(arguments.file))
    throw Error(ExitCode::usage, arguments.file.string() +
                                     ": only .vdb files are numbered; a .usda holds all frames, or gathers one layer "
                                     "per frame with --clips");
  const Cache cache = Cache::open(arguments.cache);
  std::vector<std::int64_t> numbers;
  for (const CacheEntry& entry : cache.frames())
    if (!arguments.frames || (entry.number >= arguments.frames->first && entry.number <= arguments.frames->second))
      numbers.push_back(entry.number);
  if (numbers.empty())
    throw Error(ExitCode::bad_input, arguments.cache.string() + ": holds no such frame; see ymir info");
  if (extension == ".vdb") return export_vdb(arguments, cache, numbers);
  if (extension == ".usda") return export_usda(arguments, cache, numbers);
  export_points(arguments, cache.read_frame(numbers.back()));
  return ExitCode::ok;
}

}  // namespace ymir::cli
