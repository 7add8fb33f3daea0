// Draws the frames of a cache. Two passes: one to frame the camera and the colours on all frames, one to draw.
#include "ymir/preview/film.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "ymir/base/log.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/cache.h"
#include "ymir/preview/png.h"

namespace ymir::cli {
namespace {

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

}  // namespace

ExitCode preview(const PreviewArguments& arguments) {
  const std::atomic<bool>& stop = watch_interrupts();
  const Cache cache = Cache::open(arguments.cache);
  const std::vector<std::int64_t> numbers = chosen_frames(cache, arguments);
  const std::filesystem::path folder = arguments.out.empty() ? arguments.cache / "preview" : arguments.out;
  std::filesystem::create_directories(folder);

  PreviewStyle style;
  style.emissive = arguments.glow;
  Framing framing;
  double speed = 0;
  // A dozen frames tell where things go and how fast.
  const std::size_t stride = std::max<std::size_t>(1, numbers.size() / 12);
  for (std::size_t i = 0; i < numbers.size(); i += stride) {
    const Frame frame = cache.read_frame(numbers[numbers.size() - 1 - i]);
    framing.add(scene_from_frame(frame, style));
    speed = std::max(speed, reference_speed(frame));
  }
  if (speed > 0) style.reference_speed = speed;
  style.ground_height = framing.ground_height();
  const Camera camera = framing.camera(static_cast<double>(arguments.render.width) / arguments.render.height);

  Film film(folder / "film.mp4", arguments.render.width, arguments.render.height,
            cache.manifest().fps / static_cast<double>(arguments.every));
  Progress progress("draw");
  progress.begin(1, static_cast<std::int64_t>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    PreviewScene scene = scene_from_frame(cache.read_frame(numbers[i]), style);
    scene.camera = camera;
    const Image image = render(scene, arguments.render);
    AtomicFile file(folder / fmt::format("frame_{:06}.png", numbers[i]));
    file.write(encode_png(image));
    file.commit();
    if (!arguments.no_film) film.add(image);
    progress.finish_frame(static_cast<std::int64_t>(i) + 1, "");
    if (stop.load()) return ExitCode::interrupted;
  }
  log::info(fmt::format("{}: {} pictures", folder.string(), numbers.size()));
  if (arguments.no_film) return ExitCode::ok;
  const FilmReport report = film.finish();
  if (report.written)
    log::info((folder / "film.mp4").string());
  else
    log::warn(report.message);
  return ExitCode::ok;
}

}  // namespace ymir::cli
