// The `outputs:` section of a setup: what a run leaves behind. It does not change results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ymir/math/vec3.h"
#include "ymir/param/references.h"
#include "ymir/param/schema.h"

namespace ymir {

enum class PictureStyle : std::uint8_t { daylight, glow };

struct PreviewParams {
  std::int64_t every = 0;  // [frames]; 0: none
  int width = 960;         // [pixels]
  int height = 540;
  PictureStyle style = PictureStyle::daylight;
  std::optional<Vec3d> eye;     // [m]; absent: where it sees the whole shot
  std::optional<Vec3d> target;  // [m]; absent: the middle of the shot
  std::optional<double> fov;    // vertical [rad]
  double turn = 0;              // over the shot [rad]

  static Schema<PreviewParams> schema();
};

// Hairs that are carried by the simulated strands into every frame.
struct HairsParams {
  std::string groom;  // an input of curves, or a file relative to the setup file
  GroupRef group;     // of the strands to follow; empty: the only ones
  int guides = 3;     // strands that a hair follows

  static Schema<HairsParams> schema();
};

struct OutputParams {
  std::string cache;                  // folder; the reader fills in "out/<stem of the setup file>" when none is given
  std::int64_t checkpoint_every = 8;  // [frames]
  PreviewParams preview;
  std::optional<HairsParams> hairs;

  static Schema<OutputParams> schema();
};

}  // namespace ymir
