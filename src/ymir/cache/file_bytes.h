// A whole file in memory, as cache files are read: checksums come before parsing.
#pragma once

#include <cstdint>
#include <filesystem>

#include "ymir/parallel/communicator.h"

namespace ymir {

// Error(io) naming the file when it is missing, not a regular file, unreadable, or larger than `limit`.
Bytes read_file_bytes(const std::filesystem::path& path, std::uint64_t limit = UINT64_MAX);

}  // namespace ymir
