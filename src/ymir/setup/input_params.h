// One entry of the `inputs:` section: a file, a sequence of files or a recipe, what it holds, the length of its unit,
// its motion.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/behaviors/generated_input.h"
#include "ymir/param/motion_params.h"

namespace ymir {

struct InputParams : MotionParams, GeneratedInput {
  std::optional<std::string> points, curves, surface, body, volume;  // exactly one of these or of GeneratedInput's
  double scale = 1;                                                  // [m]
  UpAxis up = UpAxis::y;

  static Schema<InputParams> schema();
};

// What may stand in `overrides:` instead of a value of that parameter, a number.
SchemaInfo painting_schema(const ParamInfo& parameter);

// Ways to give an input, of which each has exactly one, and what it holds then.
struct InputSource {
  std::string_view parameter;
  InputKind kind;
  bool made;  // instead of read
};
std::span<const InputSource> input_sources();

// Files that a pattern such as head.####.obj or head.%04d.obj names, one per frame, without a gap.
struct FileSequence {
  std::vector<std::filesystem::path> files;
  std::int64_t first_frame = 1;
  std::string problem;  // why there is none, and what to do
};

bool is_sequence_pattern(const std::filesystem::path& path);
FileSequence find_sequence(const std::filesystem::path& pattern);

}  // namespace ymir
