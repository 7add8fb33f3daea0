#include "ymir/preview/slice.h"

#include <fmt/format.h>

#include <cmath>

#include "commands.h"
#include "quantity.h"
#include "resources.h"
#include "ymir/base/log.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/cache.h"
#include "ymir/preview/png.h"

namespace ymir::cli {

ExitCode slice(const SliceArguments& arguments) {
  if (arguments.file.extension() != ".png")
    throw Error(ExitCode::usage, arguments.file.string() + ": pictures are .png; name it so");
  SliceOptions options = arguments.options;
  options.axis = arguments.axis == "x" ? 0 : arguments.axis == "y" ? 1 : 2;
  if (!arguments.at.empty()) options.at = quantity("--at", arguments.at, unit::m, 0);
  if (arguments.range.size() == 2) {
    options.range = {arguments.range[0], arguments.range[1]};
    if (!(options.range->second > options.range->first && std::isfinite(options.range->second - options.range->first)))
      throw Error(ExitCode::usage, fmt::format("--range {} {}: give the least value first, then a larger one",
                                               options.range->first, options.range->second));
  }
  const Cache cache = Cache::open(arguments.cache);
  if (cache.frames().empty())
    throw Error(ExitCode::bad_input, arguments.cache.string() + ": holds no frame; simulate first");
  const Frame frame = cache.read_frame(arguments.frame.value_or(cache.frames().back().number));
  now(fmt::format("drawing frame {}", frame.number));
  const Slice plane = cut(frame, options);
  AtomicFile file(arguments.file);
  file.write(encode_png(draw(plane, frame, options)));
  file.commit();
  log::info(fmt::format("{}: {} in the plane {} = {:g} m of frame {}, {:.4g} to {:.4g}", arguments.file.string(),
                        plane.channel, arguments.axis, plane.at, frame.number, plane.least, plane.most));
  return ExitCode::ok;
}

}  // namespace ymir::cli
