// One entry of the `inputs:` section: a file or a sequence of files, what it holds, the length of its unit, its motion.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ymir/param/motion_params.h"

namespace ymir {

struct InputParams : MotionParams {
  std::optional<std::string> points, curves, surface, volume;  // exactly one
  double scale = 1;                                            // [m]

  static Schema<InputParams> schema();
};

// Files that a pattern such as head.####.obj or head.%04d.obj names, one per frame, without a gap.
struct FileSequence {
  std::vector<std::filesystem::path> files;
  std::int64_t first_frame = 1;
  std::string problem;  // why there is none, and what to do
};

bool is_sequence_pattern(const std::filesystem::path& path);
FileSequence find_sequence(const std::filesystem::path& pattern);

}  // namespace ymir
