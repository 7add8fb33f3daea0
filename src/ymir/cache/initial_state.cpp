#include "ymir/cache/initial_state.h"

#include <fmt/format.h>

#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/cache/frame_file.h"

namespace ymir {
namespace {

std::filesystem::path file_of(const std::filesystem::path& folder) { return folder / "initial.h5"; }

}  // namespace

void write_initial_state(const std::filesystem::path& folder, const Frame& initial) {
  write_frame_file(file_of(folder), initial);
}

std::string initial_state_problem(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(file_of(folder), ignored)) return "";
  try {
    read_frame_file(file_of(folder));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::optional<Frame> read_initial_state(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(file_of(folder), ignored)) return std::nullopt;
  try {
    return read_frame_file(file_of(folder));
  } catch (const Error& error) {
    log::warn(fmt::format("{}; going on without the state at time 0", error.what()));
    return std::nullopt;
  }
}

}  // namespace ymir
