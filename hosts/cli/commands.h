// The commands of the program `ymir`. Each takes what the command line said and returns the exit code; errors are
// thrown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ymir/base/error.h"
#include "ymir/preview/render.h"
#include "ymir/preview/slice.h"

namespace ymir::cli {

using FrameRangeArgument = std::optional<std::pair<std::int64_t, std::int64_t>>;
// "A:B", "A:" is not a range; throws Error(usage).
FrameRangeArgument parse_frames(const std::string& text);

struct RunArguments {
  std::filesystem::path setup;
  std::filesystem::path out;  // empty: what the setup says
  FrameRangeArgument frames;
  bool resume = false;
  std::optional<std::int64_t> from;  // with resume: the last frame to keep
  bool force_restart = false;
  std::filesystem::path dump_contacts;
  bool strict = false;
  bool no_preview = false;
  bool json = false;
};
ExitCode run(const RunArguments&);

struct SetupArguments {
  std::filesystem::path setup;
  std::filesystem::path out;  // check: folder of the cache; empty: the setup's
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
  bool stats = false;
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
  std::vector<double> eye, target;  // three numbers [m], or none
  std::optional<double> fov;        // vertical [degrees]
  double turn = 0;                  // of the camera over the shot [degrees]
  std::string color;                // channel to colour by; empty: none
  std::vector<double> range;        // two numbers, or none: what the shot holds
  std::vector<std::string> show;    // colliders, tiles, wind
  double strand_width = 1;          // times as wide as they are
};
ExitCode preview(const PreviewArguments&);

struct SliceArguments {
  std::filesystem::path cache;
  std::filesystem::path file;         // .png
  std::optional<std::int64_t> frame;  // absent: the last one
  std::string axis = "z", at;         // the place with a unit; empty: the middle
  std::vector<double> range;          // two numbers, or none
  SliceOptions options;
};
ExitCode slice(const SliceArguments&);

struct ExportArguments {
  std::filesystem::path cache;
  // Its extension chooses the format: .usda (all frames), smoke.####.vdb (gas, a file per frame), .ply (points of one
  // frame).
  std::filesystem::path file;
  std::string object;  // by name or group; empty: all
  bool half = false;   // volumes in half precision
  bool clips = false;  // a .usda per frame
  FrameRangeArgument frames;
};
ExitCode export_cache(const ExportArguments&);

struct GroomPicture {
  std::filesystem::path file;  // empty: none
  double turn = 35;            // of the camera about the head, 0: the face, 90: the left side [degrees]
  RenderOptions render{.width = 800, .height = 800, .samples = 16};
};
struct GroomScalp {
  std::filesystem::path mesh;  // empty: the built-in head
  std::string region;          // vertex channel with the density of hair; empty: `scalp` where the mesh has it
  std::string max_angle;       // of the normal from straight up, with unit; empty: what the region says
};
struct GroomHeadArguments {
  std::filesystem::path out;  // .obj, .ply
  GroomPicture picture;
};
ExitCode groom_head(const GroomHeadArguments&);

// Lengths are text with a unit, so that one reader serves command line and setup; empty: the default of the style.
struct GroomGenerateArguments {
  std::string style;
  std::filesystem::path out;  // .hair, .data, .obj, .usda
  GroomScalp scalp;
  std::optional<std::int64_t> strands, vertices;
  std::string length, curl_radius, curl_pitch, radius;
  std::optional<double> noise;
  std::uint64_t seed = 1;
  GroomPicture picture;
};
ExitCode groom_generate(const GroomGenerateArguments&);

struct GroomGuidesArguments {
  std::filesystem::path groom, out;
  std::int64_t count = 0;
  std::string scale;  // size of one unit of the groom's file; empty: 1 m
  GroomScalp scalp;   // for the picture
  GroomPicture picture;
};
ExitCode groom_guides(const GroomGuidesArguments&);

struct GroomInterpolateArguments {
  std::vector<std::filesystem::path> files;  // GROOM [GUIDES_REST] GUIDES_MOVED OUT, as the command line has them
  std::filesystem::path groom;
  std::filesystem::path guides_rest;   // empty: what a cache says of time 0
  std::filesystem::path guides_moved;  // a groom, or a cache with curves
  std::filesystem::path out;           // for a cache: a folder, a .usda, or hairs.####.hair
  std::filesystem::path surface;       // a mesh to stay out of; a cache has its own
  std::string object;                  // curves of the cache to follow; empty: the only ones
  std::string scale;
  int neighbours = 3;
  FrameRangeArgument frames;
};
ExitCode groom_interpolate(const GroomInterpolateArguments&);

struct ContactSolveArguments {
  std::vector<std::filesystem::path> files;  // in FCLIB's layout
  std::filesystem::path save;                // problem and solution; empty: not
  std::string solver = "ladder";
  double tolerance = 1e-6;
  int max_iterations = 0;  // 0: what the solver takes
  int sleep = 0;
  double friction_scale = 1;
  bool json = false;
};
ExitCode contact_solve(const ContactSolveArguments&);

struct BenchArguments {
  std::string name;
  bool quick = false;
  bool json = false;
};
ExitCode bench(const BenchArguments&);

}  // namespace ymir::cli
