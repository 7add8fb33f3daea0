// Grooms from and to files, for the groom commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir::cli {

// Of --scale: the size of one unit of a file [m].
double scale_of(const std::string& text);
// In metres, with radii; Error(bad_input) when there are no strands.
Curves read_groom(const std::filesystem::path& path, double scale);
// Error(usage) unless the name ends in .hair, .usda, .data or .obj.
void require_groom_format(const std::filesystem::path& path);
// Error(usage) when a file to write is one of those that are read.
void require_other_file(const std::filesystem::path& out, const std::vector<std::filesystem::path>& read);
void write_groom(const std::filesystem::path& path, const Curves& curves);

}  // namespace ymir::cli
