#include "ymir/cache/formats/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "ymir/base/error.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/hair.h"
#include "ymir/cache/formats/obj.h"
#include "ymir/cache/formats/ply.h"
#include "ymir/cache/formats/solid_mesh_file.h"
#include "ymir/cache/formats/usc_data.h"
#include "ymir/cache/formats/vdb.h"
#include "ymir/data/cell_quality.h"

namespace ymir {
namespace {

constexpr const char* known = ".hair, .data, .obj, .ply, .vdb, .usda, .msh, .vtk, .vtu, .node and .ele";

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(ExitCode::bad_input, path.string() + ": " + what);
}

const char* name_of(ScalarType type) {
  constexpr const char* names[] = {"f32", "f64", "i32", "i64", "u8", "u64"};
  return names[static_cast<int>(type)];
}

// Text of a file as it may be shown: names in VDBs can be any bytes.
std::string plain(std::string_view text) {
  std::string shown(text.substr(0, 200));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c >= 0x7f; }, '?');
  return shown;
}

class Summary {
 public:
  explicit Summary(const char* format) { summary_.format = format; }
  FileSummary take() { return std::move(summary_); }

  void add(const std::string& key, SummaryValue value) {
    if (auto* text = std::get_if<std::string>(&value)) *text = plain(*text);
    summary_.values.emplace_back(plain(prefix_ + key), std::move(value));
  }
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }  // of all keys that follow
  void add_count(const std::string& key, std::size_t count) { add(key, static_cast<std::int64_t>(count)); }
  void add_bounds(const Box& box) {
    if (box.empty()) return;
    if (!summary_.bounds) summary_.bounds.emplace();
    summary_.bounds->include(box);
  }
  void add_channels(const std::string& kind, const Channels& channels) {
    for (const auto& [name, array] : channels.all()) {
      const std::string size = array.components() > 1 ? fmt::format("x{}", array.components()) : "";
      add(kind + " channel " + name, name_of(array.type()) + size);
    }
  }

  void add_curves(const Curves& curves) {
    add_count("strands", curves.strand_count());
    add_count("vertices", curves.positions.size());
    std::int64_t fewest = curves.strand_count() > 0 ? std::numeric_limits<std::int64_t>::max() : 0;
    std::int64_t most = 0;
    std::int64_t roots = 0;  // strands of one vertex
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0;
    double total = 0;
    for (std::size_t s = 0; s < curves.strand_count(); ++s) {
      const std::int64_t count = curves.first[s + 1] - curves.first[s];
      fewest = std::min(fewest, count);
      most = std::max(most, count);
      if (count == 1) {
        ++roots;
        continue;
      }
      double length = 0;
      for (auto v = static_cast<std::size_t>(curves.first[s]) + 1; v < static_cast<std::size_t>(curves.first[s + 1]);
           ++v)
        length += norm(curves.positions[v] - curves.positions[v - 1]);
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
      total += length;
    }
    add("fewest vertices per strand", fewest);
    add("most vertices per strand", most);
    if (roots > 0) add("strands of one vertex (roots without hair)", roots);
    if (const auto grown = static_cast<std::int64_t>(curves.strand_count()) - roots; grown > 0) {
      add("shortest strand", shortest);
      add("mean strand", total / static_cast<double>(grown));
      add("longest strand", longest);
    }
    add_channels("vertex", curves.vertices);
    add_bounds(bounds(curves.positions));
  }
  void add_surface(const Surface& surface) {
    add_count("vertices", surface.positions.size());
    add_count("triangles", surface.triangles.size());
    add("closed", closed(surface));
    add_channels("vertex", surface.vertices);
    add_channels("face", surface.faces);
    add_bounds(bounds(surface.positions));
  }
  void add_points(const Points& points) {
    add_count("points", points.positions.size());
    add_channels("vertex", points.vertices);
    add_bounds(bounds(points.positions));
  }

 private:
  FileSummary summary_;
  std::string prefix_;
};

FileSummary describe_hair(const std::filesystem::path& path) {
  const FileBytes file(path);
  const HairHeader header = read_hair_header(file.bytes(), path.string());
  Summary summary("hair");
  summary.add_curves(read_hair(file.bytes(), path.string()));
  summary.add("default thickness", static_cast<double>(header.default_thickness));
  summary.add("default transparency", static_cast<double>(header.default_transparency));
  const auto& color = header.default_color;
  summary.add("default color", fmt::format("{} {} {}", color[0], color[1], color[2]));
  if (!header.info.empty()) summary.add("info", header.info);
  return summary.take();
}

FileSummary describe_obj(const std::filesystem::path& path) {
  const ObjFile file = read_obj_file(FileBytes(path).bytes(), path.string());
  Summary summary("obj");
  if (file.has_faces()) {
    summary.add_surface(surface_of(file));
  } else if (!file.has_lines()) {
    summary.add_count("vertices", file.positions.size());
    summary.add_bounds(bounds(file.positions));
  }
  if (file.has_lines()) summary.add_curves(curves_of(file));
  return summary.take();
}

FileSummary describe_ply(const std::filesystem::path& path) {
  const FileBytes file(path);
  BoundedReader in(file.bytes(), path.string());
  const PlyHeader header = read_ply_header(in);
  Summary summary("ply");
  summary.add("encoding", std::string(name_of(header.encoding)));
  const PlyElement* faces = header.find("face");
  if (faces && faces->count > 0) {
    summary.add_surface(read_ply(file.bytes(), path.string()));
  } else {
    summary.add_points(read_ply_points(file.bytes(), path.string()));
  }
  return summary.take();
}

FileSummary describe_vdb(const std::filesystem::path& path) {
  const VdbContents contents = read_vdb(path);
  Summary summary("vdb");
  for (const VolumeGrid& grid : contents.volumes) {
    summary.set_prefix("grid " + grid.name + " ");
    summary.add("type", std::string(grid.components == 1 ? "float" : "vec3f"));
    summary.add("voxel", grid.voxel);
    summary.add_count("blocks", grid.blocks.size());
    summary.add("background", static_cast<double>(grid.background[0]));
    if (!grid.values.empty()) {
      const auto [low, high] = std::minmax_element(grid.values.begin(), grid.values.end());
      summary.add("least value", static_cast<double>(*low));
      summary.add("greatest value", static_cast<double>(*high));
    }
    Box box;
    for (const Vec3i& b : grid.blocks) {
      const Vec3d low =
          grid.origin + Vec3d(b * VolumeGrid::block_side) * grid.voxel - Vec3d(0.5, 0.5, 0.5) * grid.voxel;
      box.include(low);
      box.include(low + Vec3d(1, 1, 1) * (VolumeGrid::block_side * grid.voxel));
    }
    summary.add_bounds(box);
  }
  for (const NamedPoints& named : contents.points) {
    summary.set_prefix("grid " + named.name + " ");
    summary.add("type", std::string("points"));
    summary.add_points(named.points);
  }
  summary.set_prefix("");
  for (const std::string& name : contents.skipped) summary.add("grid " + name, std::string("not read"));
  summary.add("read by", std::string(vdb_worker_is_filtered()
                                         ? "a program without files, network or processes"
                                         : "a program with limits alone; build with libseccomp to confine it"));
  return summary.take();
}

FileSummary describe_solid_mesh(const std::filesystem::path& path) {
  const SolidMesh mesh = read_solid_mesh(path);
  const std::string extension = extension_of(path);
  Summary summary(extension == ".msh" ? "msh" : extension == ".vtk" ? "vtk" : extension == ".vtu" ? "vtu" : "tetgen");
  summary.add_count("nodes", mesh.positions.size());
  constexpr const char* shapes[] = {"tetrahedra", "hexahedra", "tetrahedra of 10 nodes"};
  summary.add_count(shapes[static_cast<int>(mesh.shape)], mesh.cell_count());
  double slenderest = 0;
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) slenderest = std::max(slenderest, aspect_of(mesh, c));
  summary.add("largest aspect of a cell", slenderest);
  summary.add_count("triangles of the boundary", mesh.skin.triangles.size());
  summary.add_channels("node", mesh.vertices);
  summary.add_channels("cell", mesh.elements);
  if (!mesh.warning.empty()) summary.add("note", mesh.warning);
  summary.add_bounds(bounds(mesh.positions));
  return summary.take();
}

// Names what is in the file; geometry in it is not read back (Ymir only writes USD).
FileSummary describe_usda(const std::filesystem::path& path) {
  const FileBytes file(path);
  BoundedReader in(file.bytes(), path.string());
  Summary summary("usda");
  bool in_header = true;
  for (auto line = in.next_line(); line; line = in.next_line()) {
    std::string_view rest = *line;
    const std::string_view word = take_word(rest);
    if (word == "def") {
      const std::string_view type = take_word(rest);
      const std::string_view name = take_word(rest);
      summary.add(fmt::format("prim {}", name), std::string(type));
    }
    in_header = in_header && word != ")";
    constexpr std::string_view shown[] = {"startTimeCode", "endTimeCode", "timeCodesPerSecond", "metersPerUnit",
                                          "upAxis"};
    if (in_header && std::find(std::begin(shown), std::end(shown), word) != std::end(shown)) {
      take_word(rest);  // the equals sign
      summary.add(std::string(word), std::string(take_word(rest)));
    }
  }
  return summary.take();
}

}  // namespace

FileFormat detect_format(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return FileFormat::unknown;
  char start[8] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof(start));
  const std::string_view head(start, sizeof(start));
  if (head.starts_with("HAIR")) return FileFormat::hair;
  if (head.starts_with("ply\n") || head.starts_with("ply\r")) return FileFormat::ply;
  if (head.starts_with("#usda")) return FileFormat::usda;
  if (head == std::string_view(" BDV\0\0\0\0", 8)) return FileFormat::vdb;
  const std::string extension = extension_of(path);
  if (extension == ".obj") return FileFormat::obj;
  if (extension == ".data") return FileFormat::usc_data;
  if (extension == ".hair") return FileFormat::hair;
  if (extension == ".ply") return FileFormat::ply;
  if (extension == ".vdb") return FileFormat::vdb;
  for (const char* solid : {".msh", ".vtk", ".vtu", ".node", ".ele"})
    if (extension == solid) return FileFormat::solid_mesh;
  return FileFormat::unknown;
}

FileSummary describe_file(const std::filesystem::path& path) {
  switch (detect_format(path)) {
    case FileFormat::hair: return describe_hair(path);
    case FileFormat::obj: return describe_obj(path);
    case FileFormat::ply: return describe_ply(path);
    case FileFormat::vdb: return describe_vdb(path);
    case FileFormat::usda: return describe_usda(path);
    case FileFormat::solid_mesh: return describe_solid_mesh(path);
    case FileFormat::usc_data: {
      Summary summary("data");
      summary.add_curves(read_usc_data(path));
      return summary.take();
    }
    case FileFormat::unknown: break;
  }
  const FileBytes readable(path);  // says so when it is missing, empty or a folder
  refuse(path, fmt::format("is of no known format; known are {}", known));
}

// Points whose property `strand` numbers the strand they belong to, one strand after the other; the other properties
// are channels of the vertices, such as painted stiffness.
static Curves read_ply_curves(const std::filesystem::path& path) {
  Points points = read_ply_points(path);
  const Array* strand = points.vertices.find("strand");
  if (strand == nullptr)
    refuse(path,
           "holds no curves, its points have no property `strand`; number the strand of each vertex, or use .hair");
  const auto number = [&](std::size_t i) -> double {
    if (strand->holds<std::int32_t>()) return strand->as<std::int32_t>()[i];
    if (strand->holds<std::uint8_t>()) return strand->as<std::uint8_t>()[i];
    if (strand->holds<float>()) return strand->as<float>()[i];
    if (strand->holds<double>()) return strand->as<double>()[i];
    refuse(path, "the property `strand` is not a single number; write it as int");
  };
  Curves curves;
  for (std::size_t i = 1; i <= points.positions.size(); ++i)
    if (i == points.positions.size() || number(i) != number(i - 1))
      curves.first.push_back(static_cast<std::int64_t>(i));
  curves.positions = std::move(points.positions);
  curves.vertices = std::move(points.vertices);
  curves.strands.resize(curves.strand_count());
  curves.edges.resize(curves.edge_count());
  return curves;
}

Curves read_curves(const std::filesystem::path& path) {
  switch (detect_format(path)) {
    case FileFormat::ply: return read_ply_curves(path);
    case FileFormat::hair: return read_hair(path);
    case FileFormat::usc_data: return read_usc_data(path);
    case FileFormat::obj: return read_obj_curves(path);
    default: break;
  }
  const FileBytes readable(path);
  refuse(path, "holds no curves that can be read; use .hair, .data, .obj or .ply");
}

Surface read_surface(const std::filesystem::path& path) {
  switch (detect_format(path)) {
    case FileFormat::obj: return read_obj(path);
    case FileFormat::ply: return read_ply(path);
    default: break;
  }
  const FileBytes readable(path);
  refuse(path, "holds no surface that can be read; use .obj or .ply");
}

Points read_points(const std::filesystem::path& path) {
  const auto vertices_of = [](Curves curves) {
    return Points{std::move(curves.positions), std::move(curves.vertices)};
  };
  switch (detect_format(path)) {
    case FileFormat::ply: return read_ply_points(path);
    case FileFormat::obj: return read_obj_points(path);
    case FileFormat::hair: return vertices_of(read_hair(path));
    case FileFormat::usc_data: return vertices_of(read_usc_data(path));
    case FileFormat::vdb: {
      VdbContents contents = read_vdb(path);
      if (contents.points.size() != 1)
        refuse(path, fmt::format("holds {} point grids, expected one; export a single one", contents.points.size()));
      return std::move(contents.points[0].points);
    }
    default: break;
  }
  const FileBytes readable(path);
  refuse(path, "holds no points that can be read; use .ply, .obj or .vdb");
}

}  // namespace ymir
