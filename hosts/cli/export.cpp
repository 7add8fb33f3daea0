#include <fmt/format.h>

#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "ymir/base/log.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/cache/formats/ply.h"
#include "ymir/cache/formats/usda.h"

namespace ymir::cli {
namespace {

void export_points(const Frame& frame, const std::filesystem::path& file) {
  const ObjectState* found = nullptr;
  for (const ObjectState& object : frame.objects) {
    if (object.kind != "points") continue;
    if (found != nullptr)
      throw Error(ExitCode::bad_input,
                  fmt::format("frame {} holds points of {} and of {}; a .ply holds one object, export .usda",
                              frame.number, found->name, object.name));
    found = &object;
  }
  if (found == nullptr)
    throw Error(ExitCode::bad_input, fmt::format("frame {} holds no points; export .usda", frame.number));
  write_ply(file, points_of(*found));
}

}  // namespace

ExitCode export_cache(const ExportArguments& arguments) {
  const std::atomic<bool>& stop = watch_interrupts();
  const Cache cache = Cache::open(arguments.cache);
  std::vector<std::int64_t> numbers;
  for (const CacheEntry& entry : cache.frames())
    if (!arguments.frames || (entry.number >= arguments.frames->first && entry.number <= arguments.frames->second))
      numbers.push_back(entry.number);
  if (numbers.empty())
    throw Error(ExitCode::bad_input, arguments.cache.string() + ": holds no such frame; see ymir info");
  if (arguments.file.extension() == ".ply") {
    export_points(cache.read_frame(numbers.back()), arguments.file);
    return ExitCode::ok;
  }
  if (arguments.file.extension() != ".usda")
    throw Error(ExitCode::usage, arguments.file.string() + ": no such format; name the file .usda or .ply");
  UsdaWriter writer(arguments.file, cache.manifest().fps);
  Progress progress("export");
  progress.begin(numbers.front(), numbers.back());
  for (const std::int64_t number : numbers) {
    writer.add_frame(cache.read_frame(number));
    progress.finish_frame(number, "");
    if (stop.load()) return ExitCode::interrupted;
  }
  writer.finish();
  log::info(fmt::format("{}: {} frames", arguments.file.string(), numbers.size()));
  return ExitCode::ok;
}

}  // namespace ymir::cli
