// File names with a place for the number of a frame: smoke.####.vdb.
#pragma once

#include <cstdint>
#include <filesystem>

namespace ymir::cli {

// Whether the name, not the folder, has a place for a number.
bool is_numbered(const std::filesystem::path& pattern);
// The file of a frame: as many digits as #, filled up with zeros, more where the number needs them.
std::filesystem::path numbered(const std::filesystem::path& pattern, std::int64_t frame);

}  // namespace ymir::cli
