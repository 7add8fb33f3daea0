// The `outputs:` section of a setup: what a run leaves behind. It does not change results.
#pragma once

#include <cstdint>
#include <string>

#include "ymir/param/schema.h"

namespace ymir {

enum class PictureStyle : std::uint8_t { daylight, glow };

struct PreviewParams {
  std::int64_t every = 0;  // [frames]; 0: none
  int width = 960;         // [pixels]
  int height = 540;
  PictureStyle style = PictureStyle::daylight;

  static Schema<PreviewParams> schema();
};

struct OutputParams {
  std::string cache;                  // folder; the reader fills in "out/<stem of the setup file>" when none is given
  std::int64_t checkpoint_every = 8;  // [frames]
  PreviewParams preview;

  static Schema<OutputParams> schema();
};

}  // namespace ymir
