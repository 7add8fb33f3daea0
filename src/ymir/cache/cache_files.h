// Names of the files in a cache folder. Only files with these names are ever moved or removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ymir {

struct CacheFile {
  enum class Kind : std::uint8_t { frame, checkpoint, failure, report };
  Kind kind = Kind::frame;
  std::int64_t number = 0;
};

std::string frame_file_name(std::int64_t number);       // frame_000012.h5
std::string checkpoint_file_name(std::int64_t number);  // checkpoint_000012.h5
std::string failure_file_name(std::int64_t number);     // failure_000012.h5
std::string report_file_name(std::int64_t number);      // report_000012.json

// Empty for every name that the functions above do not give.
std::optional<CacheFile> parse_file_name(const std::string& name);
// True for what AtomicFile leaves when it is killed: NAME.PID-N.tmp of one of our files.
bool is_leftover(const std::string& name);

// Sorted; Error(io) when the folder cannot be listed.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace ymir
