// The commands of the program `ymir`. Each takes what the command line said and returns the exit code; errors are
// thrown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "ymir/base/error.h"
#include "ymir/preview/render.h"

namespace ymir::cli {

using FrameRangeArgument = std::optional<std::pair<std::int64_t, std::int64_t>>;
// "A:B", "A:" is not a range; throws Error(usage).
FrameRangeArgument parse_frames(const std::string& text);

struct RunArguments {
  std::filesystem::path setup;
  std::filesystem::path out;  // empty: what the setup says
  FrameRangeArgument frames;
  bool resume = false;
  bool force_restart = false;
  bool no_preview = false;
  bool json = false;
};
ExitCode run(const RunArguments&);

struct SetupArguments {
  std::filesystem::path setup;
  bool json = false;
};
ExitCode check(const SetupArguments&);
ExitCode explain(const SetupArguments&);

struct DescribeArguments {
  std::string behavior;         // empty: the list of all
  std::filesystem::path pages;  // folder to write the reference pages to; empty: none
  bool json = false;
};
ExitCode describe(const DescribeArguments&);
ExitCode schema();

struct InfoArguments {
  std::filesystem::path path;  // cache folder, frame file or exchange file
  bool json = false;
};
ExitCode info(const InfoArguments&);

struct PreviewArguments {
  std::filesystem::path cache;
  std::filesystem::path out;  // empty: CACHE/preview
  FrameRangeArgument frames;
  std::int64_t every = 1;
  bool glow = false;
  bool no_film = false;
  RenderOptions render;
};
ExitCode preview(const PreviewArguments&);

struct ExportArguments {
  std::filesystem::path cache;
  std::filesystem::path file;  // its extension chooses the format: .usda (all frames), .ply (points of one frame)
  FrameRangeArgument frames;
};
ExitCode export_cache(const ExportArguments&);

struct BenchArguments {
  std::string name;
  bool quick = false;
  bool json = false;
};
ExitCode bench(const BenchArguments&);

}  // namespace ymir::cli
