#include "make_folder.h"

#include <fmt/format.h>

#include "ymir/base/error.h"

namespace ymir::cli {

void make_folder(const std::filesystem::path& folder, const char* option) {
  namespace fs = std::filesystem;
  std::error_code failure, ignored;
  fs::create_directories(folder, failure);
  if (fs::is_directory(folder, ignored)) return;
  throw Error(ExitCode::io,
              fmt::format("{}: cannot create the folder: {}; choose another with {}", folder.string(),
                          fs::exists(folder, ignored) ? "there is a file of that name" : failure.message(), option));
}

}  // namespace ymir::cli
