// Draws the frames of a cache. Two passes: one to frame the camera and the colours on the whole shot, one to draw.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "commands.h"
#include "interrupt.h"
#include "make_folder.h"
#include "progress.h"
#include "resources.h"
#include "ymir/base/log.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/cache.h"
#include "ymir/preview/film.h"
#include "ymir/preview/overlays.h"
#include "ymir/preview/png.h"

namespace ymir::cli {
namespace {

constexpr double degree = std::numbers::pi / 180;

std::vector<std::int64_t> chosen_frames(const Cache& cache, const PreviewArguments& arguments) {
  std::vector<std::int64_t> numbers;
  for (const CacheEntry& entry : cache.frames()) {
    if (arguments.frames && (entry.number < arguments.frames->first || entry.number > arguments.frames->second))
      continue;
    if ((entry.number - cache.frames().front().number) % arguments.every == 0) numbers.push_back(entry.number);
  }
  if (numbers.empty())
    throw Error(ExitCode::bad_input,
                arguments.cache.string() + ": holds no frame to draw; simulate first, or choose other --frames");
  return numbers;
}

std::optional<Vec3d> place(const char* option, const std::vector<double>& numbers) {
  if (numbers.empty()) return std::nullopt;
  const Vec3d p{numbers[0], numbers[1], numbers[2]};
  if (!is_finite(p) || std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > 1e9)
    throw Error(ExitCode::usage, fmt::format("{} {} {} {}: give three lengths in metres", option, p.x, p.y, p.z));
  return p;
}

CameraChoice chosen_camera(const PreviewArguments& arguments) {
  CameraChoice choice;
  choice.eye = place("--eye", arguments.eye);
  choice.target = place("--target", arguments.target);
  if (choice.eye && choice.target && norm(*choice.eye - *choice.target) < 1e-9)
    throw Error(ExitCode::usage, "--eye and --target are the same place; move one of them");
  for (const auto& [option, value] : {std::pair{"--fov", arguments.fov.value_or(0)},
                                      {"--turn", arguments.turn},
                                      {"--strand-width", arguments.strand_width}})
    if (!std::isfinite(value)) throw Error(ExitCode::usage, fmt::format("{} {}: give a number", option, value));
  if (arguments.fov) choice.fov = *arguments.fov * degree;
  choice.turn = arguments.turn * degree;
  return choice;
}

PreviewStyle chosen_style(const PreviewArguments& arguments) {
  PreviewStyle style;
  style.emissive = arguments.glow;
  style.strand_width = static_cast<float>(arguments.strand_width);
  const auto shows = [&](const char* what) {
    return std::find(arguments.show.begin(), arguments.show.end(), what) != arguments.show.end();
  };
  style.show_colliders = shows("colliders");
  style.show_tiles = shows("tiles");
  style.show_wind = shows("wind");
  if (!arguments.range.empty()) {
    if (arguments.color.empty()) throw Error(ExitCode::usage, "--range belongs to --color; name a channel with it");
    if (!(arguments.range[1] > arguments.range[0]) || !std::isfinite(arguments.range[1] - arguments.range[0]))
      throw Error(ExitCode::usage, fmt::format("--range {} {}: give the least value first, then a larger one",
                                               arguments.range[0], arguments.range[1]));
  }
  return style;
}

// What must be the same in all pictures of a shot.
struct Shot {
  Framing framing;
  double speed = 0, wind = 0;
  std::optional<std::pair<double, double>> range;
  std::string channels;  // of the last frame
  std::string unit;      // of the channel to colour by
};

// Up to 48 frames, spread over the whole cache whichever of them are drawn, tell where things go and how fast: the
// camera of one frame is that of the film. Where the user has placed it, fewer do for ground and colours.
Shot survey(const Cache& cache, const PreviewStyle& style, const std::string& color, const CameraChoice& choice) {
  const std::size_t most = choice.eye && choice.target ? 12 : 48;
  Shot shot;
  const std::size_t count = cache.frames().size(), taken = std::min(count, most);
  for (std::size_t i = 0; i < taken; ++i) {
    const CacheEntry& entry = cache.frames()[taken > 1 ? i * (count - 1) / (taken - 1) : 0];
    now(fmt::format("reading frame {}", entry.number));
    const Frame frame = cache.read_frame(entry.number);
    shot.framing.add(scene_from_frame(frame, style));
    shot.speed = std::max(shot.speed, reference_speed(frame));
    if (style.show_wind) shot.wind = std::max(shot.wind, reference_wind(frame));
    if (color.empty()) continue;
    shot.channels = channel_names(frame);
    if (shot.unit.empty()) shot.unit = channel_unit(frame, color);
    if (const auto range = channel_range(frame, color))
      shot.range =
          shot.range ? std::pair(std::min(shot.range->first, range->first), std::max(shot.range->second, range->second))
                     : *range;
  }
  return shot;
}

}  // namespace

ExitCode preview(const PreviewArguments& arguments) {
  const std::atomic<bool>& stop = watch_interrupts();
  const CameraChoice choice = chosen_camera(arguments);
  PreviewStyle style = chosen_style(arguments);
  const Cache cache = Cache::open(arguments.cache);
  const std::vector<std::int64_t> numbers = chosen_frames(cache, arguments);
  const Shot shot = survey(cache, style, arguments.color, choice);
  if (!arguments.color.empty() && !shot.range)
    throw Error(ExitCode::bad_input, fmt::format("{}: no object has a channel {}; there are {}",
                                                 arguments.cache.string(), arguments.color, shot.channels));
  if (shot.speed > 0) style.reference_speed = shot.speed;
  if (shot.wind > 0) style.reference_wind = shot.wind;
  if (!arguments.color.empty()) {
    style.colors = ChannelColors{arguments.color, shot.range->first, shot.range->second, shot.unit};
    if (!arguments.range.empty()) {
      style.colors->low = arguments.range[0];
      style.colors->high = arguments.range[1];
    }
    if (!(style.colors->high > style.colors->low)) style.colors->high = style.colors->low + 1;  // the same everywhere
  }
  style.ground_height = shot.framing.ground_height();
  const Camera camera =
      shot.framing.camera(static_cast<double>(arguments.render.width) / arguments.render.height, choice);

  const std::filesystem::path folder = arguments.out.empty() ? arguments.cache / "preview" : arguments.out;
  make_folder(folder, "--out");
  std::optional<Film> film;
  if (!arguments.no_film)
    film.emplace(folder / "film.mp4", arguments.render.width, arguments.render.height,
                 cache.manifest().fps / static_cast<double>(arguments.every));
  Progress progress("draw");
  progress.begin(1, static_cast<std::int64_t>(numbers.size()));
  const std::int64_t first = cache.frames().front().number, last = cache.frames().back().number;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    now(fmt::format("drawing frame {}", numbers[i]));
    PreviewScene scene = scene_from_frame(cache.read_frame(numbers[i]), style);
    // Over all frames of the shot, the one after the last would close the circle.
    const double part = static_cast<double>(numbers[i] - first) / static_cast<double>(last - first + 1);
    scene.camera = turned(camera, choice.turn * part);
    Image image = render(scene, arguments.render);
    if (style.colors) draw_key(image, *style.colors);
    AtomicFile file(folder / fmt::format("frame_{:06}.png", numbers[i]));
    file.write(encode_png(image));
    file.commit();
    if (film) film->add(image);
    progress.finish_frame(static_cast<std::int64_t>(i) + 1, "");
    if (stop.load()) return ExitCode::interrupted;
  }
  log::info(fmt::format("{}: {} {}", folder.string(), numbers.size(), numbers.size() == 1 ? "picture" : "pictures"));
  if (!film) return ExitCode::ok;
  const FilmReport report = film->finish();
  if (report.written)
    log::info((folder / "film.mp4").string());
  else
    log::warn(report.message);
  return ExitCode::ok;
}

}  // namespace ymir::cli
