// A folder that a command writes to.
#pragma once

#include <filesystem>

namespace ymir::cli {

// Makes it, with those above, unless it is there. Throws Error (io) with the option to change.
void make_folder(const std::filesystem::path& folder, const char* option);

}  // namespace ymir::cli
