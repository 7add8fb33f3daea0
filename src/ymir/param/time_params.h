// The `time:` section of a setup: frames > substeps > Newton iterations. Time is 0 s at the beginning of the first
// frame.
#pragma once

#include <cstdint>

#include "ymir/param/schema.h"

namespace ymir {

struct TimeParams {
  FrameRange frames;
  double fps = 24;  // [1/s]
  int substeps = 1;
  bool adaptive = false;
  int max_substeps = 64;
  int newton_iterations = 8;
  double largest_speed = 1000;  // [m/s]; a substep that ends with more is undone
  double largest_stretch = 1000;  // of an edge, by its rest length

  static Schema<TimeParams> schema();
  std::int64_t frame_count() const { return frames.last - frames.first + 1; }
  double frame_duration() const { return 1 / fps; }  // [s]
};

}  // namespace ymir
