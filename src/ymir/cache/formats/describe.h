// What a file holds, for `ymir info FILE`: any exchange format, recognised by its first bytes, then by its extension.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

using SummaryValue = std::variant<bool, std::int64_t, double, std::string>;

struct FileSummary {
  std::string format;  // "hair", "data", "obj", "ply", "vdb", "usda", "msh", "vtk", "vtu", "tetgen"
  std::vector<std::pair<std::string, SummaryValue>> values;  // in the order they should be shown
  std::optional<Box> bounds;                                 // in the units of the file
};

enum class FileFormat { hair, usc_data, obj, ply, vdb, usda, solid_mesh, unknown };
FileFormat detect_format(const std::filesystem::path& path);

// An Error(bad_input) when the file is of no known format or is malformed.
FileSummary describe_file(const std::filesystem::path& path);

// Geometry from whichever format the file has; an Error(bad_input) when that format cannot hold it.
Curves read_curves(const std::filesystem::path& path);    // .hair .data .obj
Surface read_surface(const std::filesystem::path& path);  // .obj .ply
Points read_points(const std::filesystem::path& path);    // .ply .obj .vdb, and the vertices of .hair and .data

}  // namespace ymir
