#include "ymir/cache/formats/obj.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "ymir/base/error.h"
#include "ymir/base/reach.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/bounded_reader.h"

namespace ymir {
namespace {

// Statements that say nothing about vertices, faces or lines, among them the free-form surfaces of the format.
constexpr std::string_view skipped[] = {"vn",       "vp",         "p",         "o",      "g",     "s",    "mtllib",
                                        "usemtl",   "maplib",     "usemap",    "mg",     "bevel", "lod",  "c_interp",
                                        "d_interp", "shadow_obj", "trace_obj", "cstype", "deg",   "bmat", "step",
                                        "curv",     "curv2",      "surf",      "parm",   "trim",  "hole", "scrv",
                                        "sp",       "end",        "con",       "ctech",  "stech", "call", "csh"};

class ObjParser {
 public:
  ObjParser(std::span<const std::byte> bytes, const std::string& name) : in_(bytes, name) {}

  ObjFile parse() {
    while (next_statement()) {
      std::string_view rest = statement_;
      const std::string_view keyword = take_word(rest);
      if (keyword.empty()) continue;
      if (keyword == "v") {
        vertex(rest);
      } else if (keyword == "vt") {
        texture_vertex(rest);
      } else if (keyword == "f" || keyword == "fo") {
        face(rest);
      } else if (keyword == "l") {
        polyline(rest);
      } else if (std::find(std::begin(skipped), std::end(skipped), keyword) == std::end(skipped)) {
        in_.fail(fmt::format("unknown statement {}; this is not an OBJ file or it is damaged", printable(keyword)));
      }
    }
    check_forward_references();
    return std::move(file_);
  }

 private:
  // One statement in statement_: comments removed, lines that end in a backslash joined.
  bool next_statement() {
    auto line = in_.next_line();
    if (!line) return false;
    statement_ = without_comment(*line);
    if (!continues(statement_)) return true;
    joined_.clear();
    while (line && continues(*line)) {
      joined_.append(line->substr(0, line->size() - 1)).append(" ");
      line = in_.next_line();
    }
    if (line) joined_.append(*line);
    statement_ = without_comment(joined_);
    return true;
  }
  static bool continues(std::string_view line) { return !line.empty() && line.back() == '\\'; }
  static std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

  void vertex(std::string_view rest) {
    if (file_.positions.size() >= std::numeric_limits<std::int32_t>::max())
      in_.fail("more than 2^31 - 1 vertices; split the file");
    Vec3d p;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = take_word(rest);
      if (!parse_number(word, p[axis]) || !fits_in_frames(p[axis]))
        in_.fail(fmt::format("coordinate {} of vertex {} is {}, expected a finite number{}; export the file again",
                             "xyz"[axis], file_.positions.size() + 1, printable(word),
                             std::isfinite(p[axis]) && p[axis] != 0 ? " that 32 bits can hold" : ""));
    }
    file_.positions.push_back(p);
  }

  // One to three numbers; what is damaged here leaves the mesh without texture coordinates, not without a shape.
  void texture_vertex(std::string_view rest) {
    double u = 0, v = 0;
    if (!parse_number(take_word(rest), u) || !std::isfinite(u)) u = std::numeric_limits<double>::quiet_NaN();
    const std::string_view second = take_word(rest);
    if (!second.empty() && (!parse_number(second, v) || !std::isfinite(v)))
      u = std::numeric_limits<double>::quiet_NaN();
    file_.uvs.emplace_back(static_cast<float>(u), static_cast<float>(v), 0.0f);
  }

  // The vt of a corner from 0; -1: none.
  std::int64_t corner_uv(std::string_view word) const {
    const std::size_t slash = word.find('/');
    if (slash == std::string_view::npos) return -1;
    word.remove_prefix(slash + 1);
    std::int64_t index = 0;
    if (!parse_integer(word.substr(0, word.find('/')), index)) return -1;
    return index > 0 ? index - 1 : static_cast<std::int64_t>(file_.uvs.size()) + index;
  }

  // "7", "7/2", "7/2/3", "7//3" or negative: the vertex index from 0. Normal indices are only looked over.
  std::int32_t corner(std::string_view word) {
    const std::size_t slash = word.find('/');
    std::int64_t index = 0;
    if (!parse_integer(word.substr(0, slash), index) || index == 0 || !valid_tail(word, slash))
      in_.fail(fmt::format("{} is not a vertex reference such as 7, 7/2, 7//3 or -1; export the file again",
                           printable(word)));
    const auto defined = static_cast<std::int64_t>(file_.positions.size());
    if (index < -defined || index > std::numeric_limits<std::int32_t>::max())
      in_.fail(fmt::format("vertex {} does not exist: {} vertices so far; export the file again", index, defined));
    if (index < 0) return static_cast<std::int32_t>(defined + index);
    if (index > highest_) {
      highest_ = index;
      highest_line_ = in_.line();
    }
    return static_cast<std::int32_t>(index - 1);
  }
  static bool valid_tail(std::string_view word, std::size_t slash) {
    for (int part = 0; slash != std::string_view::npos; ++part) {
      word.remove_prefix(slash + 1);
      slash = word.find('/');
      const std::string_view number = word.substr(0, slash);
      std::int64_t ignored = 0;
      const bool empty_allowed = part == 0;
      if (part > 1 || !(number.empty() ? empty_allowed : parse_integer(number, ignored))) return false;
    }
    return true;
  }
  std::size_t corners(std::string_view rest, const char* what, std::size_t fewest) {
    corners_.clear();
    corner_uvs_.clear();
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      corners_.push_back(corner(word));
      corner_uvs_.push_back(corner_uv(word));
    }
    if (corners_.size() < fewest)
      in_.fail(
          fmt::format("a {} needs {} vertices, this one has {}; export the file again", what, fewest, corners_.size()));
    return corners_.size();
  }

  void face(std::string_view rest) {
    const std::size_t count = corners(rest, "face", 3);
    for (std::size_t i = 2; i < count; ++i) {
      const std::array<std::int32_t, 3> t{corners_[0], corners_[i - 1], corners_[i]};
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
      file_.triangles.push_back(t);
      file_.triangle_uvs.push_back({corner_uvs_[0], corner_uvs_[i - 1], corner_uvs_[i]});
    }
  }
  void polyline(std::string_view rest) {
    corners(rest, "polyline", 2);
    file_.line_vertices.insert(file_.line_vertices.end(), corners_.begin(), corners_.end());
    file_.line_first.push_back(static_cast<std::int64_t>(file_.line_vertices.size()));
  }

  void check_forward_references() const {
    if (highest_ > static_cast<std::int64_t>(file_.positions.size()))
      throw Error(ExitCode::bad_input, fmt::format("{}:{}: vertex {} does not exist: the file has {}; export it again",
                                                   in_.name(), highest_line_, highest_, file_.positions.size()));
  }

  BoundedReader in_;
  ObjFile file_;
  std::string_view statement_;
  std::string joined_;
  std::vector<std::int32_t> corners_;
  std::vector<std::int64_t> corner_uvs_;
  std::int64_t highest_ = 0;
  std::size_t highest_line_ = 0;
};

// Formatted text into a file; AtomicFile gathers it into blocks.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path) : file_(path) {}
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    buffer_.clear();
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    file_.write(std::string_view(buffer_.data(), buffer_.size()));
  }
  void positions(const std::vector<Vec3d>& positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Vec3d p = positions[i];
      if (!is_finite(p))
        throw Error(ExitCode::numerical,
                    fmt::format("{}: vertex {} is not finite; nothing was written: check the simulation",
                                file_.path().string(), i));
      print("v {} {} {}\n", p.x, p.y, p.z);
    }
  }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  fmt::memory_buffer buffer_;
};

}  // namespace

ObjFile read_obj_file(std::span<const std::byte> bytes, const std::string& name) {
  return ObjParser(bytes, name).parse();
}

Surface surface_of(ObjFile file) {
  Surface surface;
  surface.positions = std::move(file.positions);
  surface.triangles = std::move(file.triangles);
  surface.vertices.resize(surface.positions.size());
  surface.faces.resize(surface.triangles.size());
  const auto known = [&](std::int64_t i) {
    return i >= 0 && i < std::ssize(file.uvs) && std::isfinite(file.uvs[static_cast<std::size_t>(i)].x);
  };
  const bool all_known = std::all_of(file.triangle_uvs.begin(), file.triangle_uvs.end(), [&](const auto& corners) {
    return std::all_of(corners.begin(), corners.end(), known);
  });
  if (file.uvs.empty() || !all_known) return surface;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto uv = surface.faces.add<Vec3f>("uv" + std::to_string(k));
    for (std::size_t t = 0; t < uv.size(); ++t) uv[t] = file.uvs[static_cast<std::size_t>(file.triangle_uvs[t][k])];
  }
  return surface;
}

Curves curves_of(const ObjFile& file) {
  Curves curves;
  curves.first = file.line_first;
  curves.positions.reserve(file.line_vertices.size());
  for (const std::int32_t v : file.line_vertices)
    curves.positions.push_back(file.positions[static_cast<std::size_t>(v)]);
  curves.vertices.resize(curves.positions.size());
  curves.edges.resize(curves.edge_count());
  curves.strands.resize(curves.strand_count());
  return curves;
}

Surface read_obj(std::span<const std::byte> bytes, const std::string& name) {
  ObjFile file = read_obj_file(bytes, name);
  if (!file.has_faces())
    throw Error(ExitCode::bad_input, name + ": no faces; export a mesh, or read it as curves or points");
  return surface_of(std::move(file));
}

Curves read_obj_curves(std::span<const std::byte> bytes, const std::string& name) {
  const ObjFile file = read_obj_file(bytes, name);
  if (!file.has_lines())
    throw Error(ExitCode::bad_input, name + ": no polylines (l statements); export curves as polylines");
  return curves_of(file);
}

Points read_obj_points(std::span<const std::byte> bytes, const std::string& name) {
  Points points;
  points.positions = read_obj_file(bytes, name).positions;
  if (points.positions.empty()) throw Error(ExitCode::bad_input, name + ": no vertices; export points as v statements");
  points.vertices.resize(points.positions.size());
  return points;
}

Surface read_obj(const std::filesystem::path& path) { return read_obj(FileBytes(path).bytes(), path.string()); }
Curves read_obj_curves(const std::filesystem::path& path) {
  return read_obj_curves(FileBytes(path).bytes(), path.string());
}
Points read_obj_points(const std::filesystem::path& path) {
  return read_obj_points(FileBytes(path).bytes(), path.string());
}

void write_obj(const std::filesystem::path& path, const Surface& surface) {
  TextFile out(path);
  out.print("# written by ymir\n");
  out.positions(surface.positions);
  for (const auto& t : surface.triangles) out.print("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  out.commit();
}

void write_obj(const std::filesystem::path& path, const Curves& curves) {
  TextFile out(path);
  out.print("# written by ymir\n");
  out.positions(curves.positions);
  for (std::size_t s = 0; s < curves.strand_count(); ++s) {
    if (curves.first[s + 1] - curves.first[s] < 2) continue;  // a root without hair is no polyline
    out.print("l");
    for (std::int64_t v = curves.first[s]; v < curves.first[s + 1]; ++v) out.print(" {}", v + 1);
    out.print("\n");
  }
  out.commit();
}

}  // namespace ymir
