// Frames that left a cache without anybody asking for their removal: CACHE/discarded/0001/, 0002/ ..., each with the
// manifest that describes what it holds, so that each can be read like a cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ymir/cache/manifest.h"

namespace ymir {

// A new folder in `cache`/discarded with this manifest in it. Error(io) with nothing changed when there is no space.
std::filesystem::path make_discarded_folder(const std::filesystem::path& cache, const Manifest& manifest);
// Files that are not there are passed over.
void move_files(const std::filesystem::path& from, const std::filesystem::path& to,
                const std::vector<std::string>& names);

struct Discarded {
  std::string folder;  // "discarded/0001"
  std::int64_t frames = 0;
  std::uint64_t bytes = 0;
};
std::vector<Discarded> list_discarded(const std::filesystem::path& cache);

}  // namespace ymir
