#include "numbered_file.h"

#include <fmt/format.h>

namespace ymir::cli {

bool is_numbered(const std::filesystem::path& pattern) {
  return pattern.filename().string().find('#') != std::string::npos;
}

std::filesystem::path numbered(const std::filesystem::path& pattern, std::int64_t frame) {
  const std::string name = pattern.filename().string();
  const std::size_t begin = name.find('#');
  const std::size_t end = std::min(name.find_first_not_of('#', begin), name.size());
  // A minus sign counts as a digit, so that names stay equally long.
  return pattern.parent_path() / fmt::format("{}{:0{}}{}", name.substr(0, begin), frame, end - begin, name.substr(end));
}

}  // namespace ymir::cli
