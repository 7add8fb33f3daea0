// Parameters that name something else of the setup: an entry of `inputs:` or a group.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/math/rigid_motion.h"
#include "ymir/param/value.h"

namespace ymir {

enum class UpAxis : std::uint8_t { y, z };
enum class InputKind : std::uint8_t { points, curves, surface, body, volume };

constexpr std::string_view to_string(InputKind kind) {
  switch (kind) {
    case InputKind::points: return "points";
    case InputKind::curves: return "curves";
    case InputKind::surface: return "surface";
    case InputKind::body: return "body";
    case InputKind::volume: return "volume";
  }
  return "";
}

// Name of an entry of `inputs:`; empty when none was given.
struct InputRef {
  std::string name;
  bool empty() const { return name.empty(); }
  friend bool operator==(const InputRef&, const InputRef&) = default;
};

// Path of a group ("Hair" or "Characters/Hair"; "/" is the whole setup); empty when none was given. A setup file may
// name the group alone where that is unambiguous; the reader stores the path.
struct GroupRef {
  std::string path;
  bool empty() const { return path.empty(); }
  friend bool operator==(const GroupRef&, const GroupRef&) = default;
};

// A parameter painted on the roots of curves, or on a soft body: grey values of a texture, black for `low` and white
// for `high`.
struct PaintedOverride {
  std::string parameter;
  InputRef surface;  // whose texture coordinates count; none: those of the input itself
  std::filesystem::path texture;
  std::string written_path;  // as the setup file has it
  double low = 0, high = 1;  // in the unit of the parameter
};

// An entry of `inputs:`, checked: its files exist, or its recipe can be followed.
struct InputSpec {
  std::string name;
  InputKind kind = InputKind::points;
  ParamValues recipe;          // of an input that is made instead of read (GeneratedInput), complete; empty: a file
  std::filesystem::path path;  // resolved against the setup file's folder; of a sequence, its first file
  std::string written_path;    // as the setup file has it
  // A sequence: one file per frame from first_frame on; empty where the input is one file.
  std::vector<std::filesystem::path> frames;
  std::int64_t first_frame = 1;
  RigidMotion motion;
  double scale = 1;       // length of one unit of the file [m]
  UpAxis up = UpAxis::y;  // of the file; z is turned to y
  // A point of the file in metres, y up.
  Vec3d place(Vec3d p) const { return (up == UpAxis::z ? Vec3d{p.x, p.z, -p.y} : p) * scale; }
  ParamValues overrides;  // parameters that behaviors take from this object instead of their own
  std::vector<PaintedOverride> painted;
};

}  // namespace ymir
