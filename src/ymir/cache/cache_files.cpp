#include "ymir/cache/cache_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include "ymir/base/error.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;

struct Naming {
  CacheFile::Kind kind;
  std::string_view prefix;
  std::string_view suffix;

  std::string name(std::int64_t number) const { return fmt::format("{}{:06}{}", prefix, number, suffix); }
};

constexpr Naming frames{CacheFile::Kind::frame, "frame_", ".h5"};
constexpr Naming checkpoints{CacheFile::Kind::checkpoint, "checkpoint_", ".h5"};
constexpr Naming failures{CacheFile::Kind::failure, "failure_", ".h5"};
constexpr Naming reports{CacheFile::Kind::report, "report_", ".json"};
constexpr std::array all_kinds{frames, checkpoints, failures, reports};

}  // namespace

std::string frame_file_name(std::int64_t number) { return frames.name(number); }
std::string checkpoint_file_name(std::int64_t number) { return checkpoints.name(number); }
std::string failure_file_name(std::int64_t number) { return failures.name(number); }
std::string report_file_name(std::int64_t number) { return reports.name(number); }

std::optional<CacheFile> parse_file_name(const std::string& name) {
  for (const Naming& naming : all_kinds) {
    if (!name.starts_with(naming.prefix)) continue;
    std::int64_t number = 0;
    std::from_chars(name.data() + naming.prefix.size(), name.data() + name.size(), number);
    if (name == naming.name(number)) return CacheFile{naming.kind, number};
  }
  return std::nullopt;
}

bool is_leftover(const std::string& name) {
  if (!name.ends_with(".tmp")) return false;
  const std::size_t suffix = name.rfind('.', name.size() - 5);
  if (suffix == std::string::npos || name.find_first_not_of("0123456789-", suffix + 1) != name.size() - 4) return false;
  const std::string target = name.substr(0, suffix);
  return parse_file_name(target) || target == "manifest.json";
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error) throw Error(ExitCode::io, folder.string() + ": cannot list: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ymir
