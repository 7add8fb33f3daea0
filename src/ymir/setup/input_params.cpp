#include "ymir/setup/input_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace ymir {
namespace {

// A file name around its number.
struct Pattern {
  std::string before, after;
  std::size_t digits = 0;  // at least so many, filled up with zeros; 0: no pattern
};

Pattern pattern_of(const std::string& name) {
  if (const std::size_t begin = name.find('#'); begin != std::string::npos) {
    const std::size_t end = std::min(name.find_first_not_of('#', begin), name.size());
    return {name.substr(0, begin), name.substr(end), end - begin};
  }
  const std::size_t begin = name.find('%');
  if (begin == std::string::npos) return {};
  std::size_t end = begin + 1, width = 0;
  while (end < name.size() && name[end] >= '0' && name[end] <= '9' && end - begin < 4)
    width = width * 10 + static_cast<std::size_t>(name[end++] - '0');
  if (end >= name.size() || name[end] != 'd' || (width > 0 && name[begin + 1] != '0')) return {};
  return {name.substr(0, begin), name.substr(end + 1), std::max<std::size_t>(width, 1)};
}

std::optional<std::int64_t> number_in(const std::string& name, const Pattern& pattern) {
  if (name.size() <= pattern.before.size() + pattern.after.size() || !name.starts_with(pattern.before) ||
      !name.ends_with(pattern.after))
    return std::nullopt;
  const std::string digits =
      name.substr(pattern.before.size(), name.size() - pattern.before.size() - pattern.after.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::all_of(digits.begin(), digits.end(), is_digit) || digits.size() < pattern.digits) return std::nullopt;
  if (digits.size() > pattern.digits && digits.front() == '0') return std::nullopt;
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status != std::errc() || number > 9'999'999) return std::nullopt;
  return number;
}

}  // namespace

Schema<InputParams> InputParams::schema() {
  using P = InputParams;
  return with_motion(
      with_generated(
          Schema<P>(
              "input",
              "Geometry or volumes, from a file (points, curves, surface, body, volume) or made (groom, helix, line, "
              "guides, shape); "
              "exactly one of these.")
              .param(&P::points, "points", "File of loose points, relative to the setup file.")
              .param(&P::curves, "curves",
                     "File of curves such as a groom, relative to the setup file; may be a sequence like a surface, "
                     "for `follow`.")
              .param(&P::surface, "surface",
                     "File of a triangle mesh, relative to the setup file; head.####.obj is a sequence, one file per "
                     "frame.")
              .param(&P::body, "body",
                     "File of a volume mesh, tetrahedra or hexahedra (Gmsh .msh, .vtk, .vtu, TetGen .node and .ele), "
                     "relative to the setup file; may be a sequence like a surface.")
              .param(&P::volume, "volume", "File of a volume, relative to the setup file.")
              .param(&P::scale, "scale", unit::m, "Length of one unit of the file.")
              .positive()
              .only_with({"points", "curves", "surface", "body", "volume"})
              .param(&P::up, "up", "Axis that points up in the file; z is turned to y. Volumes must have y up.")
              .enumerated<UpAxis>({{"y", UpAxis::y}, {"z", UpAxis::z}})
              .only_with({"points", "curves", "surface", "body"})),
      "Point that turns in place; the origin when absent.", {Condition::given({"surface", "body", "shape"})});
}

SchemaInfo painting_schema(const ParamInfo& parameter) {
  SchemaInfo fields;
  fields.name = "painting";
  fields.doc = "Grey values of a picture at the texture coordinates of the roots of curves, or of the nodes of a body.";
  const auto text = [&](const char* name, const char* doc, bool required) {
    ParamInfo info;
    info.name = name;
    info.doc = doc;
    info.type = ParamType::text;
    info.required = required;
    info.optional = !required;
    fields.params.push_back(std::move(info));
  };
  text("texture", "PNG, 8 or 16 bits, relative to the setup file.", true);
  text("surface",
       "Input with a surface on which the curves grow, or around the body, whose texture coordinates count; those of "
       "the curves or of the body's nodes (channels u and v) when absent.",
       false);
  for (const char* name : {"low", "high"}) {
    ParamInfo info = parameter;
    info.name = name;
    info.doc = name == std::string_view("low") ? "Value where the picture is black." : "Value where it is white.";
    info.varying = false;
    info.optional = false;
    info.required = true;
    info.old_names.clear();
    info.only_when.clear();
    fields.params.push_back(std::move(info));
  }
  return fields;
}

std::span<const InputSource> input_sources() {
  static constexpr std::array<InputSource, 10> sources{{{"points", InputKind::points, false},
                                                        {"curves", InputKind::curves, false},
                                                        {"surface", InputKind::surface, false},
                                                        {"body", InputKind::body, false},
                                                        {"volume", InputKind::volume, false},
                                                        {"groom", InputKind::curves, true},
                                                        {"helix", InputKind::curves, true},
                                                        {"line", InputKind::curves, true},
                                                        {"guides", InputKind::curves, true},
                                                        {"shape", InputKind::surface, true}}};
  return sources;
}

bool is_sequence_pattern(const std::filesystem::path& path) { return pattern_of(path.filename().string()).digits > 0; }

FileSequence find_sequence(const std::filesystem::path& path) {
  const Pattern pattern = pattern_of(path.filename().string());
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::map<std::int64_t, std::filesystem::path> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    std::error_code unreadable;
    if (const auto number = number_in(name, pattern); number && entry->is_regular_file(unreadable))
      found[*number] = path.parent_path() / name;
  }
  FileSequence sequence;
  if (found.empty()) {
    sequence.problem =
        "no file of that pattern; # stands for a digit of the frame number, paths are relative to the "
        "setup file";
    return sequence;
  }
  sequence.first_frame = found.begin()->first;
  for (const auto& [number, file] : found) {
    const std::int64_t expected = sequence.first_frame + static_cast<std::int64_t>(sequence.files.size());
    if (number != expected) {
      sequence.problem =
          fmt::format("the file {}{:0{}}{} is missing; the sequence goes from frame {} to {}", pattern.before, expected,
                      pattern.digits, pattern.after, sequence.first_frame, found.rbegin()->first);
      sequence.files.clear();
      return sequence;
    }
    sequence.files.push_back(file);
  }
  return sequence;
}

}  // namespace ymir
