// Motion of guides carried to all hairs: from a cache to a cache, or from one groom to another.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "commands.h"
#include "groom_files.h"
#include "interrupt.h"
#include "numbered_file.h"
#include "progress.h"
#include "ymir/base/hash.h"
#include "ymir/base/log.h"
#include "ymir/base/version.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/file_bytes.h"
#include "ymir/cache/formats/describe.h"
#include "ymir/cache/formats/frame_objects.h"
#include "ymir/cache/formats/usda.h"
#include "ymir/cache/initial_state.h"
#include "ymir/grooms/hair_carrier.h"
#include "ymir/grooms/polyline.h"
#include "ymir/setup/carried_hairs.h"

namespace ymir::cli {
namespace {

double total_length(const Curves& curves) {
  double length = 0;
  for (std::size_t s = 0; s < curves.strand_count(); ++s) length += polyline_length(points_of(curves, s));
  return length;
}

// Guides at rest that are in other units than where they went.
void require_same_unit(const GroomInterpolateArguments& arguments, const Curves& rest, const Curves& moved) {
  const double before = total_length(rest), after = total_length(moved);
  if (after > 3 * before || before > 3 * after)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: its strands are {:.3g} m long together, in {} {:.3g} m; give the guides in metres, as "
                            "groom guides writes them",
                            arguments.guides_rest.string(), before, arguments.guides_moved.string(), after));
}

// The state at rest: of the cache, with the guides of the file where one is given.
Frame rest_of(const GroomInterpolateArguments& arguments, const Cache& cache) {
  std::optional<Frame> initial = read_initial_state(cache.folder());
  if (arguments.guides_rest.empty()) {
    if (initial) return std::move(*initial);
    throw Error(ExitCode::bad_input,
                fmt::format("{}: holds no state at time 0 (initial.h5); name the guides at rest before the cache",
                            cache.folder().string()));
  }
  const Frame first = cache.read_frame(cache.frames().front().number);
  Frame rest = initial.value_or(Frame{first.number - 1, 0, 0, {}, {}});
  std::erase_if(rest.objects, [](const ObjectState& object) { return object.kind == "curves"; });
  const Curves guides = read_groom(arguments.guides_rest, 1);
  std::vector<Vec3f> positions;
  for (const Vec3d& p : guides.positions) positions.emplace_back(p);
  // Under every name a frame has curves by: --object chooses.
  for (const ObjectState& object : first.objects) {
    if (object.kind != "curves" || (!arguments.object.empty() && object.name != arguments.object)) continue;
    require_same_unit(arguments, guides, curves_of(object));
    ObjectState& state = rest.objects.emplace_back(ObjectState{object.name, "curves", {}, {}});
    state.channels["position"] = {Place::vertex, Array::of(positions), "m"};
    state.channels["first"] = {Place::object, Array::of(guides.first)};
  }
  return rest;
}

std::vector<std::int64_t> chosen_frames(const Cache& cache, const FrameRangeArgument& range) {
  std::vector<std::int64_t> numbers;
  for (const CacheEntry& entry : cache.frames())
    if (!range || (entry.number >= range->first && entry.number <= range->second)) numbers.push_back(entry.number);
  if (numbers.empty())
    throw Error(ExitCode::bad_input, cache.folder().string() + ": holds no such frame; see ymir info");
  return numbers;
}

// A frame of the hairs and of the surfaces they are on.
Frame carried(CarriedHairs& hairs, const Frame& from) {
  Frame frame{from.number, from.time, 0, {}, {}};
  for (const ObjectState& object : from.objects)
    if (object.kind == "surface") frame.objects.push_back(object);
  frame.objects.push_back(hairs.hairs_of(from));
  for (const auto& [name, array] : frame.objects.back().channels)
    frame.hash = hash_combine(hash_text(name, frame.hash), hash_bytes(array.bytes()));
  return frame;
}

// Where the frames go: a cache, one .usda, or one groom each.
class HairsWriter {
 public:
  HairsWriter(const GroomInterpolateArguments& arguments, const Cache& from) : out_(arguments.out) {
    if (out_.extension() == ".usda" && !is_numbered(out_)) {
      usda_.emplace(out_, from.manifest().fps);
    } else if (!is_numbered(out_)) {
      CacheIdentity identity = from.manifest().identity;
      identity.setup_hash = hash_combine(hash_text("groom interpolate", identity.setup_hash),
                                         static_cast<std::uint64_t>(arguments.neighbours));
      identity.inputs.push_back({arguments.groom.string(), hash_bytes(read_file_bytes(arguments.groom))});
      cache_.emplace(Cache::create(out_, identity, {from.manifest().fps, std::string(version), false}));
    }
  }
  void begin(const Frame& rest) {
    if (cache_) write_initial_state(out_, rest);
  }
  void write(const Frame& frame) {
    if (cache_) cache_->write_frame(frame);
    if (usda_) usda_->add_frame(frame);
    if (!cache_ && !usda_) write_groom(numbered(out_, frame.number), curves_of(frame.objects.back()));
  }
  void finish() {
    if (usda_) usda_->finish();
  }

 private:
  std::filesystem::path out_;
  std::optional<Cache> cache_;
  std::optional<UsdaWriter> usda_;
};

void require_cache_output(const GroomInterpolateArguments& arguments) {
  if (is_numbered(arguments.out)) return require_groom_format(arguments.out);
  if (arguments.out.has_extension() && arguments.out.extension() != ".usda")
    throw Error(ExitCode::usage, arguments.out.string() +
                                     ": the frames of a cache go to a folder, which becomes a cache, to one .usda, or "
                                     "to numbered files such as hairs.####.hair");
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.out, arguments.guides_moved, ignored))
    throw Error(ExitCode::usage, arguments.out.string() + ": is the cache of the guides; name another folder");
}

ExitCode interpolate_cache(const GroomInterpolateArguments& arguments, double scale) {
  const std::atomic<bool>& stop = watch_interrupts();
  const Cache cache = Cache::open(arguments.guides_moved);
  const std::vector<std::int64_t> numbers = chosen_frames(cache, arguments.frames);
  const Frame rest = rest_of(arguments, cache);
  CarriedHairs hairs(read_groom(arguments.groom, scale), rest, arguments.object, arguments.neighbours,
                     arguments.groom.string());
  HairsWriter writer(arguments, cache);
  writer.begin(carried(hairs, rest));
  // Velocities need the frame before, where there is one.
  const auto before = std::find_if(cache.frames().begin(), cache.frames().end(),
                                   [&](const CacheEntry& entry) { return entry.number == numbers.front() - 1; });
  if (before != cache.frames().end()) hairs.follow(cache.read_frame(before->number));
  Progress progress("interpolate");
  progress.begin(numbers.front(), numbers.back());
  for (const std::int64_t number : numbers) {
    writer.write(carried(hairs, cache.read_frame(number)));
    progress.finish_frame(number, "");
    if (stop.load() && number != numbers.back()) return ExitCode::interrupted;
  }
  writer.finish();
  log::info(fmt::format("{}: {} frames of {} strands that follow {}", arguments.out.string(), numbers.size(),
                        grouped(static_cast<std::int64_t>(hairs.strand_count())), hairs.guides_name()));
  return ExitCode::ok;
}

}  // namespace

ExitCode groom_interpolate(const GroomInterpolateArguments& arguments) {
  const double scale = scale_of(arguments.scale);
  require_other_file(arguments.out,
                     {arguments.groom, arguments.guides_rest, arguments.guides_moved, arguments.surface});
  if (std::filesystem::is_directory(arguments.guides_moved)) {
    require_cache_output(arguments);
    return interpolate_cache(arguments, scale);
  }
  if (arguments.guides_rest.empty())
    throw Error(ExitCode::usage,
                arguments.guides_moved.string() + ": is no cache; write GROOM GUIDES_REST GUIDES_MOVED OUT");
  require_groom_format(arguments.out);
  HairCarrier::Surfaces surfaces;
  if (!arguments.surface.empty()) surfaces.emplace("surface", read_surface(arguments.surface));
  const HairCarrier carrier(read_groom(arguments.groom, scale), read_groom(arguments.guides_rest, 1), {},
                            arguments.neighbours, arguments.groom.string(), arguments.guides_rest.string());
  const Curves moved = read_groom(arguments.guides_moved, 1);
  require_same_unit(arguments, carrier.guides(), moved);
  const Curves hairs = carrier.carry(moved, surfaces, arguments.guides_moved.string());
  write_groom(arguments.out, hairs);
  log::info(fmt::format("{}: {} strands follow {} guides", arguments.out.string(),
                        grouped(static_cast<std::int64_t>(hairs.strand_count())),
                        grouped(static_cast<std::int64_t>(carrier.guides().strand_count()))));
  return ExitCode::ok;
}

}  // namespace ymir::cli
